"""Tasks sent to a cluster, a bounded number at a time, and what comes of them.

What a worker has done is taken by the client as soon as it is there, and forgotten by the cluster. So neither the client
nor the workers hold more results than are in flight, however many parts there are. Whatever ends a pass early, Ctrl-C
included, cancels the tasks that it has sent, and no others.
"""

from __future__ import annotations

import hashlib
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..support import interruption
from .tasks import Failure, applied, as_given, stepped

TASKS_PER_THREAD = 4
"""Tasks in flight for each thread of the workers: one is being done, the next one is there, others are on their way."""


SECONDS_WITHOUT_WORKERS = 300.0
"""Seconds after which a cluster without workers is given up: those that come as they are needed take a while to start."""

_SECONDS_PER_LOOK = 5.0
"""Seconds between two looks for workers."""


@dataclass
class Submission:
    """A call, with the tasks in flight that make it."""

    client: Any
    retries: int
    message: Any
    """Where the pickled call is: a future."""
    token: str
    """What tells it from other calls: a digest of it. So a task has the same key whenever it is sent."""
    sent: set[Any] = field(default_factory=set)

    @classmethod
    @contextmanager
    def of(cls, client: Any, retries: int, function: Callable[..., Any], *given: Any) -> Iterator[Submission]:
        """Send a function and what it is given to the cluster; what is still in flight in the end is cancelled."""
        import cloudpickle

        message = cloudpickle.dumps((function, given), pickle.HIGHEST_PROTOCOL)
        token = hashlib.sha256(message).hexdigest()[:32]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once, and not for each task
            future = client.submit(as_given, message, key=f"separatrix-call-{token}", retries=retries)
        made = cls(client, retries, future, token)
        try:
            yield made
        finally:
            if made.sent:
                client.cancel(list(made.sent), force=False)

    @property
    def most(self) -> int:
        """The most tasks in flight."""
        return max(2, TASKS_PER_THREAD * sum(self.client.nthreads().values()))

    def each(self, parts: Sequence[tuple[int, int, Any]]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each part with what the call makes of it, as they come."""
        left, numbers, most = iter(parts), dict[str, int](), self.most
        done = self._as_completed(self._send_each(islice(left, most), numbers))
        for future, result in self._coming(done):
            k = numbers.pop(future.key)
            found = self._taken(future, result)
            if len(numbers) <= most // 2:
                done.update(self._send_each(islice(left, most - len(numbers)), numbers))
            yield k, found

    def in_turn(self, chains: Sequence[Sequence[tuple[int, int, Any]]], state: Any) -> Iterator[tuple[int, int, Any]]:
        """Go through chains of parts at once, each from the same state; yield chain, part and the state after it, in order.

        The state goes from worker to worker.
        """
        ahead = max(2, self.most // max(1, len(chains)))
        left = [iter(chain) for chain in chains]
        last: list[Any] = [pickle.dumps(state, pickle.HIGHEST_PROTOCOL)] * len(chains)
        waiting: list[dict[str, int]] = [{} for _ in chains]
        there: dict[str, Any] = {}

        def send(chain: int) -> list[Any]:
            some = list(islice(left[chain], ahead - len(waiting[chain])))
            futures, last[chain] = self._send_chain(chain, some, last[chain])
            waiting[chain].update((future.key, k) for future, (k, _, _) in zip(futures, some, strict=True))
            return futures

        done = self._as_completed([future for chain in range(len(chains)) for future in send(chain)])
        for future, result in self._coming(done):
            there[future.key] = self._taken(future, result)
            chain = int(future.key.rpartition("-")[2])
            while (key := next(iter(waiting[chain]), None)) in there:
                k, after = waiting[chain].pop(key), there.pop(key)
                if len(waiting[chain]) <= ahead // 2:
                    done.update(send(chain))
                yield chain, k, pickle.loads(after)

    def _as_completed(self, futures: list[Any]) -> Any:
        """Return futures with their results, as they come; errors are results here."""
        from distributed import as_completed

        return as_completed(futures, loop=self.client.loop, with_results=True, raise_errors=False)

    def _coming(self, done: Any) -> Iterator[tuple[Any, Any]]:
        """Yield what is done; give up if there have been no workers for long, which Dask would wait for for ever."""
        looked = worked = time.monotonic()
        while not done.is_empty():
            if done.has_ready():
                yield next(done)
                worked = time.monotonic()
                continue
            with done.thread_condition:
                done.thread_condition.wait(0.1)
            interruption.check()
            if time.monotonic() - looked > min(_SECONDS_PER_LOOK, SECONDS_WITHOUT_WORKERS):
                looked = time.monotonic()
                if self.client.nthreads():
                    worked = looked
                elif looked - worked > SECONDS_WITHOUT_WORKERS:
                    raise ConnectionError(
                        f"The cluster has had no workers for {SECONDS_WITHOUT_WORKERS:g} s. Their logs say why: a module "
                        "that functions or data need must be there on every worker, for example."
                    )

    def _send_each(self, parts: Iterator[tuple[int, int, Any]], numbers: dict[str, int]) -> list[Any]:
        from dask.delayed import delayed

        tasks = []
        for k, start, part in parts:
            key = self._key(k, part)
            numbers[key] = k
            tasks.append(delayed(applied, pure=True)(self.message, part, k, start, dask_key_name=key))
        return self._send(tasks)

    def _send_chain(self, chain: int, parts: list[tuple[int, int, Any]], state: Any) -> tuple[list[Any], Any]:
        """Send some links of a chain, which begins with a state or with the future of one; return them, and the last one."""
        from dask.delayed import delayed

        tasks = []
        for k, start, part in parts:
            key = f"{self._key(k, part)}-{chain}"
            state = delayed(stepped, pure=True)(self.message, part, k, start, state, dask_key_name=key)
            tasks.append(state)
        futures = self._send(tasks)
        return futures, futures[-1] if futures else state

    def _send(self, tasks: list[Any]) -> list[Any]:
        if not tasks:
            return []
        futures: list[Any] = self.client.compute(tasks, retries=self.retries, optimize_graph=True)
        self.sent.update(futures)
        return futures

    def _key(self, k: int, part: Any) -> str:
        return f"separatrix-{self.token}-{k}-{hashlib.sha256(str(part.key).encode()).hexdigest()[:16]}"

    def _taken(self, future: Any, result: Any) -> Any:
        """Return what a task returned, or raise its error as if it had been made here."""
        from distributed import KilledWorker

        self.sent.discard(future)
        error = None
        if future.status == "error":
            error = result[1]
        elif isinstance(result, Failure):
            error = result.error
        elif future.status != "finished":
            error = ConnectionError("The cluster has dropped a task: its scheduler has ended, or somebody has cancelled it.")
        if isinstance(error, KilledWorker):
            error = MemoryError(
                "Several workers in turn died over the same part of the rows, most likely for want of memory. Make the "
                f"parts smaller, or give the workers more memory. Dask says: {error}"
            )
        if error is not None:
            raise error.with_traceback(None) from None
        return result


@dataclass(frozen=True)
class Workers:
    """The workers of a client, as `file_pieces.Ask` has them asked."""

    client: Any
    retries: int

    def __call__(self, function: Callable[..., Any], items: Sequence[Any], *given: Any) -> Iterator[tuple[int, Any]]:
        """Have them call ``function(item, 0, *given)`` with each item; yield its place with what came of it."""
        with Submission.of(self.client, self.retries, function, *given) as submission:
            yield from submission.each([(k, 0, item) for k, item in enumerate(items)])
