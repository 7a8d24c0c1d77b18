"""The cluster that ``--scheduler`` names: found, or started on this machine."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from ..exceptions import FileError
from ..support.escaping import brief

Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Have the workers of a cluster of Dask read the rows, in blocks: the address of its scheduler, "
        "tcp://10.0.0.1:8786; or local, which starts processes on this machine.",
        metavar="ADDRESS",
    ),
]

LOCAL = "local"

SECONDS_TO_ANSWER = 5.0
"""Seconds that a scheduler has to answer in."""

started = ExitStack()
"""Ends what a command has started, whatever came of it."""


def client_at(scheduler: str) -> Any:
    """Return the client of a cluster; processes that are started for it end with the command."""
    from ..distributed.cluster import connected, local_client, require_dask

    try:
        require_dask()
    except ImportError as error:
        raise FileError(f"--scheduler: {error}") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is said once, by whom it stops
    if scheduler == LOCAL:
        client, cluster = local_client()
        started.callback(cluster.close)
        started.callback(client.close)
        return client
    if "://" not in scheduler:
        raise FileError(
            f"--scheduler must be {LOCAL}, or an address such as tcp://127.0.0.1:8786 or tls://127.0.0.1:8786, not "
            f"{brief(scheduler)}."
        )
    try:
        return connected(scheduler, SECONDS_TO_ANSWER)
    except OSError:
        raise FileError(
            f"There is no scheduler of Dask at {scheduler} that answers within {SECONDS_TO_ANSWER:g} s. Is it started, and "
            "does it speak TLS if and only if the address begins with tls?"
        ) from None
    except Exception as error:  # what an address may be, and what TLS needs, is for Dask to say
        if scheduler.startswith("tls:"):
            raise FileError(
                f"--scheduler {brief(scheduler)}: TLS takes the files that Dask's configuration names: "
                "distributed.comm.tls.ca-file, distributed.comm.tls.client.cert and .key, in a file of ~/.config/dask or as "
                f"DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on. Dask says: {error}"
            ) from None
        raise FileError(f"--scheduler {brief(scheduler)}: {error}") from None
