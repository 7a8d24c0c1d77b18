"""Kernels: functions that are compiled when they are first called, and kept on disk for the next process.

They are kept in a folder whose name holds the digest of all kernel sources and of the versions of what compiles them: a
kernel has those that it calls compiled into it, so a change anywhere leads to another folder, and no outdated kernel is ever
run. The folder is the first of these that can be written: in ``NUMBA_CACHE_DIR``, beside the sources, in the user's cache.
Where there is none, kernels are compiled anew in each process, and a `CacheWarning` says so.

Settings such as ``NUMBA_BOUNDSCHECK``, and the processor, are in the names of the files. Files are written whole under
another name first, so that several processes may use one folder.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import sigutils, types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, infer_global

from ..exceptions import CacheWarning

config: Any = numba.config

_HERE = Path(__file__).parent

_SETTINGS = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")
"""What numba can be set to that changes the code it makes, besides the processor."""


def kernel(function: Callable[..., Any] | None = None, *, fastmath: Any = False, inline: bool = False) -> Any:
    """Compile a function on plain arrays, kept on disk for the next process.

    Kernels allocate nothing, so they do without numba's reference counting (``_nrt``): counting the arrays of a call
    would cost more than a short row. They release the interpreter's lock while they run.

    What a hot loop calls for each row is to be compiled in its place (``inline``): an array is passed as seven arguments,
    and a call takes as long as a short row.
    """
    if function is None:
        return functools.partial(kernel, fastmath=fastmath, inline=inline)
    options: Any = {"nogil": True, "fastmath": fastmath, "_nrt": False, "forceinline": inline}
    compiled = numba.njit(**options)(function)
    if compiled is not function and Path(function.__code__.co_filename).parent == _HERE:  # else no digest knows its source
        compiled._cache = _Cache(function)
    return compiled


def by_type(function: Callable[..., Any] | None = None, *, fastmath: Any = False, inline: bool = False) -> Any:
    """Begin a kernel with one body for each type of its first argument, a named tuple.

    Bodies are added by ``@function.register(Type)``, as for `functools.singledispatch`, which chooses among them where
    Python calls. Where a kernel calls, the compiler chooses, so that the choice costs nothing when it runs.
    """
    if function is None:
        return functools.partial(by_type, fastmath=fastmath, inline=inline)
    chosen: Any = functools.singledispatch(function)
    add, name = chosen.register, function.__name__

    def register(kind: type) -> Callable[[Callable[..., Any]], Any]:
        def keep(body: Callable[..., Any]) -> Any:
            body.__name__ = body.__qualname__ = f"{name}_{kind.__name__}"  # for the files in the cache
            return add(kind, kernel(body, fastmath=fastmath, inline=inline))

        return keep

    class Template(AbstractTemplate):
        """What numba asks: which function a call with arguments of these types is, and where its code is."""

        key = chosen

        def generic(self, args: Any, kws: Any) -> Any:
            body = types.Dispatcher(chosen.dispatch(args[0].instance_class))
            return body.get_call_type(self.context, tuple(map(types.unliteral, args)), kws)

        def get_impl_key(self, sig: Any) -> Any:
            return chosen.dispatch(sig.args[0].instance_class).get_overload(sig.args)

    chosen.register = register
    infer_global(chosen, types.Function(Template))
    return chosen


class _Cache(NullCache):
    """Where the compiled forms of one kernel are kept, one file for each: all that numba asks of a cache.

    A file that cannot be read, is damaged or is of other types than asked for is as good as none.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = self._file(sig, target_context.codegen())
        for folder in _store().readable:
            try:
                digest, data = _cut(folder.joinpath(name).read_bytes())
                if digest == _digest(data):
                    result = CompileResult._rebuild(target_context, *pickle.loads(data))
                    if tuple(result.signature.args) == tuple(sigutils.normalize_signature(sig)[0]):
                        return result
            except Exception:  # whatever is wrong with it, compiling is always possible
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not data.lifted and not data.library.has_dynamic_globals:
            content = dumps(data._reduce())
            _store().write(self._file(sig, data.codegen), _digest(content) + content)

    def _file(self, sig: Any, codegen: Any) -> str:
        settings = [getattr(config, name, None) for name in _SETTINGS]
        return f"{self._name}-{_digest(repr((sigutils.normalize_signature(sig), codegen.magic_tuple(), settings))).hex()}"


_BYTES_PER_DIGEST = 16
"""Bytes of a digest, of sources as of files."""


def _digest(data: bytes | str) -> bytes:
    return hashlib.blake2b(data.encode() if isinstance(data, str) else data, digest_size=_BYTES_PER_DIGEST).digest()


def _cut(content: bytes) -> tuple[bytes, bytes]:
    return content[:_BYTES_PER_DIGEST], content[_BYTES_PER_DIGEST:]


class _Store:
    """The folders of this version of the kernels: those to read from, and the one to write to, made when it is needed."""

    def __init__(self) -> None:
        version = _version()
        self.readable = [] if version is None else [place / version for place in _places()]
        self._written: Path | None = None
        self._tried = False

    def write(self, name: str, content: bytes) -> None:
        """Keep a file, if there is a folder for it; if not, say so once."""
        if not self._tried:
            self._tried = True
            self._written = next((folder for folder in self.readable if _usable(folder)), None)
            if self._written is None:
                warnings.warn(_UNCACHED, CacheWarning, stacklevel=2)
        if self._written is not None:
            try:
                _write_whole(self._written / name, content)
            except OSError:  # a full disk, or another version has removed the folder: it is only a cache
                self._written = None


_UNCACHED = (
    "There is no folder to keep compiled loops in, so that every process compiles them anew, which takes some seconds. "
    "Set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
)


@functools.cache
def _store() -> _Store:
    return _Store()


def _version() -> str | None:
    """Return a name for these kernels as this Python would compile them; None where their sources cannot be read."""
    digest = hashlib.blake2b(digest_size=_BYTES_PER_DIGEST)
    try:
        sources = sorted(_HERE.glob("*.py"))
        for source in sources:
            digest.update(_digest(source.name) + _digest(source.read_bytes()))
    except OSError:
        return None
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(versions).encode())
    return f"{sys.implementation.cache_tag}-{digest.hexdigest()}" if sources else None


def _places() -> Iterator[Path]:
    """Yield where folders of kernels may be, the best first: those outside of the package are of this installation alone."""
    installation = _digest(str(_HERE)).hex()
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR).absolute() / f"separatrix-{installation}"
    yield _HERE / "__pycache__"
    if (cache := _users_cache()) is not None:
        yield cache / "separatrix" / installation


def _users_cache() -> Path | None:
    """Return where the user's programs keep what can be made again; None if there is no user, as in some containers."""
    usual = {"win32": "~/AppData/Local", "darwin": "~/Library/Caches"}.get(sys.platform, "~/.cache")
    for each in (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser(usual)):
        if os.path.isabs(each):
            return Path(each)
    return None


def _usable(folder: Path) -> bool:
    """Make a folder, if it is not there, and see whether files can be written to it."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_whole(folder / "writable", b"")
    except OSError:
        return False
    if new:
        _remove_outdated(folder)
    return True


def _remove_outdated(folder: Path) -> None:
    """Remove the folders beside it that hold other versions for the same Python.

    A process that still works with one of them has what it needs in memory, and compiles what it does not find.
    """
    tag = re.escape(str(sys.implementation.cache_tag))
    for other in folder.parent.iterdir():
        if other != folder and re.fullmatch(rf"{tag}-[0-9a-f]{{{2 * _BYTES_PER_DIGEST}}}", other.name):
            shutil.rmtree(other, ignore_errors=True)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it, so that nobody reads half of it."""
    unfinished = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
