"""The SHA-256 that can be gone on with elsewhere is that of hashlib, wherever it is left off."""

import hashlib
import pickle

from hypothesis import given
from hypothesis import strategies as st

from separatrix.support.sha256 import Sha256


@given(st.lists(st.binary(max_size=200), max_size=6))
def test_it_is_that_of_hashlib_wherever_it_is_left_off(pieces):
    total, known = Sha256(), hashlib.sha256()
    for piece in pieces:
        total = pickle.loads(pickle.dumps(total.after(memoryview(piece))))
        known.update(piece)
        assert total.hexdigest() == known.hexdigest()
    assert Sha256().after(b"".join(pieces)) == total


def test_every_length_near_a_block_is_padded_rightly():
    for size in range(300):
        data = bytes(range(256))[: size % 256] * (1 + size // 256)
        assert Sha256().after(data).hexdigest() == hashlib.sha256(data).hexdigest()
