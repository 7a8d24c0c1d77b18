"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import signal
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..exceptions import FileError


def write_whole(path: str | Path, text: str | bytes | Iterable[str]) -> None:
    """Write a file whole or not at all: never half of it in the place of an old one. A long text may come in parts.

    A file that is replaced keeps its mode and, where that is allowed, its owner. What is written is on the disk before it
    takes the place of the old file; until then it is beside it, under a name that begins with a dot, and is removed if
    anything goes wrong: a full disk, Ctrl-C, or a signal to end, all but one that cannot be heard (``kill -9``).

    Where a link leads to a file, that one is replaced. What is no file, such as a pipe or a device, is written to.
    """
    path, parts = Path(path), map(_encoded, [text] if isinstance(text, str | bytes) else text)
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                file.writelines(parts)
            return
        target = os.path.realpath(path)
        old = os.stat(target) if os.path.exists(target) else None
        new = os.path.join(os.path.dirname(target), f".{path.name[:40]}.{secrets.token_hex(4)}")
        with _removed_on_ending(new):
            _write_synced(new, parts, old)
            os.replace(new, target)
            _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.") from None


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _write_synced(name: str, parts: Iterable[bytes], like: os.stat_result | None) -> None:
    """Write a new file that is on the disk when this returns, with the mode and owner of another if there is one."""
    mode = 0o666 if like is None else stat.S_IMODE(like.st_mode)
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)  # never readable by more than it is to be
    with open(handle, "wb") as file:
        if like is not None:
            if hasattr(os, "chown"):
                with suppress(OSError):  # only the superuser can give a file away
                    os.chown(name, like.st_uid, like.st_gid)
            os.chmod(name, mode)
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: str) -> None:
    """Have the disk know the new name, too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _removed_on_ending(name: str) -> Iterator[None]:
    """Remove a file if the work ends early: by an exception, or by a signal that ends the process and is not handled."""

    def end(number: int, _: object) -> None:
        Path(name).unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    heard: list[int] = []
    if threading.current_thread() is threading.main_thread():
        deadly = [getattr(signal, each) for each in ("SIGTERM", "SIGHUP") if hasattr(signal, each)]
        heard = [each for each in deadly if signal.getsignal(each) is signal.SIG_DFL]
    try:
        for each in heard:
            signal.signal(each, end)
        yield
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
