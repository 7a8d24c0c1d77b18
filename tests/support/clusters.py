"""Clusters for tests: processes on this machine, and a double that does in this process what a cluster would."""

import random

import pytest

from separatrix.distributed.cluster import local_client
from separatrix.streaming.stream import HeldRows, Stream


def running(workers):
    """Yield the client of a cluster of so many processes, and end it."""
    client, cluster = local_client(workers)
    yield client
    client.close()
    cluster.close()


@pytest.fixture(scope="session")
def one_worker():
    """A client of a cluster of one process."""
    yield from running(1)


@pytest.fixture(scope="session")
def two_workers():
    """A client of a cluster of two processes."""
    yield from running(2)


class Shuffled(Stream):
    """Rows in blocks whose results arrive in any order."""

    def __init__(self, X, y, sizes, seed=0):
        super().__init__(HeldRows(X, y, sizes))
        self._random = random.Random(seed)

    def map(self, function, *given, blocks=None):
        found = list(super().map(function, *given, blocks=blocks))
        self._random.shuffle(found)
        yield from found
