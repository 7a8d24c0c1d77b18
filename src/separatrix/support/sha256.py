"""A SHA-256 that can be left off and gone on with elsewhere, as an object of hashlib cannot: it has no state to show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compiled.sha256 import BLOCK, FIRST_STATE, take_in


@dataclass(frozen=True)
class Sha256:
    """What has been hashed so far: a small value that goes to other machines.

    >>> Sha256().after(b"ab").after(b"c").hexdigest()[:16]
    'ba7816bf8f01cfea'
    """

    state: tuple[int, ...] = tuple(FIRST_STATE.tolist())
    rest: bytes = b""
    """What is less than a block as yet."""
    length: int = 0
    """Bytes in all."""

    def after(self, data: bytes | memoryview) -> Sha256:
        """Return what there is once these bytes are hashed, too."""
        state, scratch, view = np.array(self.state, np.uint32), np.empty(64, np.uint32), memoryview(data).cast("B")
        first = min(-len(self.rest) % BLOCK, len(view))
        last = first + (len(view) - first) // BLOCK * BLOCK
        begun = self.rest + bytes(view[:first])
        rest = begun if len(begun) < BLOCK else b""
        for whole in (begun, view[first:last]):
            take_in(np.frombuffer(whole, np.uint8), state, scratch)
        return Sha256(tuple(state.tolist()), rest + bytes(view[last:]), self.length + len(view))

    def hexdigest(self) -> str:
        """Return the digest of all bytes so far."""
        padding = b"\x80" + bytes((-self.length - 9) % BLOCK) + (8 * self.length).to_bytes(8, "big")
        return "".join(f"{word:08x}" for word in self.after(padding).state)
