"""Which workers: those of the client that is given, those of the client in use, or processes of this machine."""

from __future__ import annotations

import logging
import os
import pydoc
import weakref
from collections.abc import Callable
from typing import Any

INSTALL = "Rows on a cluster take Dask: install it with pip install 'separatrix[dask]'."


def require_dask() -> None:
    """Refuse to go on without Dask."""
    try:
        import dask  # noqa: F401
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError(INSTALL) from error


def client_in_use() -> Any:
    """Return the client that the caller has made before, if there is one; else None."""
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        return None


def connected(address: str, timeout: float | None = None) -> Any:
    """Return a client of the scheduler at an address, such as ``"tcp://127.0.0.1:8786"``; wait for it so many seconds."""
    from distributed import Client

    waiting = {} if timeout is None else {"timeout": timeout}
    return Client(address, set_as_default=False, **waiting)


def require_alike(client: Any) -> None:
    """Refuse workers that have another version of this library, or none."""
    from .. import __version__

    # What is asked must not be of this library: workers that lack it could not even be asked.
    found = client.run(pydoc.locate, "separatrix.__version__", on_error="return")
    odd = {address: version for address, version in found.items() if version != __version__}
    if odd:
        address, version = min(odd.items(), key=lambda pair: str(pair[0]))
        has = f"separatrix {version}" if isinstance(version, str) else "no separatrix that can be imported"
        others = f" (and {len(odd) - 1:,} more are unlike)" if len(odd) > 1 else ""
        raise ValueError(
            f"The worker at {address} has {has}{others}, but here it is {__version__}. Every worker needs the same version."
        )


def local_client(workers: int | None = None, memory_limit: str | int = "auto") -> tuple[Any, Any]:
    """Start processes on this machine, which listen to this machine alone; return their client and cluster.

    Each works in one thread. There is no dashboard.
    """
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=workers or os.cpu_count(), threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address=None, scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # for its health, and no dashboard
        memory_limit=memory_limit, silence_logs=logging.CRITICAL, env={"NUMBA_NUM_THREADS": "1"},
    )  # fmt: skip
    return Client(cluster, set_as_default=False), cluster


def closing(owner: Any, *closed: Any) -> Callable[[], Any]:
    """Have things closed when their owner is gone, at the latest when Python ends; return what closes them at once."""
    return weakref.finalize(owner, _close, closed)


def _close(closed: tuple[Any, ...]) -> None:
    for each in closed:
        each.close()
