"""A plugin of pytest that tells `fuzz.py` of a round while it runs: how many problems were tried, and what has failed.

It writes to the folder FUZZ_RECORD at once, since a round may be cut short, and its processes may die. In each worker the
body of every property is wrapped: a problem that fails is known before hypothesis has made it smaller.
"""

import functools
import json
import os
import random
import traceback
from pathlib import Path

import pytest
from hypothesis.errors import UnsatisfiedAssumption

FOLDER = Path(os.environ.get("FUZZ_RECORD", "."))  # not set where this is only looked at for examples
count = [0]
properties = set()


def note(test, text):
    """Append a failure; a short line is written as a whole, whoever else writes."""
    with (FOLDER / "failures").open("a") as file:
        file.write(json.dumps({"test": test, "text": text}) + "\n")


def watched(body, name):
    """Return the body of a property such that it counts its calls and notes the first that fails."""
    failed = False

    @functools.wraps(body)
    def tried(*args, **kwargs):
        nonlocal failed
        count[0] += 1
        (FOLDER / f"{os.getpid()}.tried").write_text(str(count[0]))
        try:
            return body(*args, **kwargs)
        except (Exception, pytest.fail.Exception) as error:
            if not failed and not isinstance(error, UnsatisfiedAssumption):
                failed = True
                note(name, traceback.format_exc())
            raise

    return tried


def pytest_itemcollected(item):
    found = getattr(getattr(item, "obj", None), "hypothesis", None)
    if found is not None and found.inner_test not in properties:  # parametrised tests share one
        found.inner_test = watched(found.inner_test, item.nodeid.partition("[")[0])
        properties.add(found.inner_test)


def pytest_collection_modifyitems(items):
    """Take the properties in another order in each round, the same for all workers: time may not suffice for all of them."""
    random.Random(str(FOLDER)).shuffle(items)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reports())


class Reports:
    """What the process that leads the workers is told of as failed: a worker that has died is, too."""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            note(report.nodeid, str(report.longrepr))

    def pytest_collectreport(self, report):
        self.pytest_runtest_logreport(report)
