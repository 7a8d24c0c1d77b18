"""Clusters for tests: processes on this machine, and a double that does in this process what a cluster would."""

import pickle
import random

import cloudpickle
import dask
import numpy as np
import pytest

import separatrix as sx
from separatrix.distributed.cluster import local_client
from separatrix.distributed.file_pieces import OnRowsOfPiece
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


def in_parts(X, y, sizes, client, **options):
    """Rows as delayed parts of these sizes."""
    ends = np.cumsum(sizes)
    parts = [dask.delayed((X[end - size : end], y[end - size : end])) for end, size in zip(ends, sizes, strict=True)]
    return sx.DaskRows(parts, client=client, **options)


class Shuffled(Stream):
    """Rows in blocks whose results arrive in any order, pickled."""

    def __init__(self, X, y, sizes, seed=0):
        super().__init__(HeldRows(X, y, sizes))
        self._random = random.Random(seed)

    def map(self, function, *given, blocks=None):
        function, given = pickle.loads(cloudpickle.dumps((function, given)))
        found = [pickle.loads(pickle.dumps(each)) for each in super().map(function, *given, blocks=blocks)]
        self._random.shuffle(found)
        yield from found


class Away:
    """Workers in this process: what they are sent, and what they send, is pickled, and arrives in any order."""

    def __init__(self, seed=0):
        self._random = random.Random(seed)
        self.largest = 0
        """Bytes of the largest answer."""

    def __call__(self, function, items, *given):
        message, arrived = cloudpickle.dumps((function, given)), []
        for k, item in enumerate(items):
            sent = cloudpickle.dumps(item)
            call, more = pickle.loads(message)
            answer = cloudpickle.dumps(call(pickle.loads(sent), 0, *more))
            self.largest = max(self.largest, len(answer))
            arrived.append((k, pickle.loads(answer)))
        self._random.shuffle(arrived)
        yield from arrived


class FilesAway:
    """The blocks of files that are read by workers elsewhere, asked as those that are read here are."""

    def __init__(self, blocks, ask):
        self._blocks, self._ask = blocks, ask
        self.facts, self.notes = blocks.facts, blocks.notes

    def blocks(self, numbers):
        items = [self._blocks.pieces.piece(self._blocks.numbers[k], self._blocks.first(k)) for k in numbers]
        for k, block in self._ask(OnRowsOfPiece(_itself, self._blocks.way), items):
            yield numbers[k], block

    @property
    def learnt(self):
        return self._blocks.learnt

    @property
    def places(self):
        return self._blocks.places


def _itself(block, start):
    return block
