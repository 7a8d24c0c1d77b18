"""The processes that are started when there is no cluster: on this machine alone, and gone in the end without a word."""

import os
import subprocess
import sys
import time
from unittest import mock

import dask
import numpy as np
import psutil
import pytest

import separatrix as sx
from separatrix.distributed.cluster import require_dask

SCRIPT = """
import sys
import dask, numpy as np, psutil
import separatrix as sx

if __name__ == "__main__":
    rows = sx.DaskRows([dask.delayed((np.array([[0.0], [1.0]]), np.array([0, 1])))], workers=2)
    print(sx.Perceptron().fit(rows).converged_)
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    heard = {each.laddr.ip for one in family for each in one.net_connections() if each.status == psutil.CONN_LISTEN}
    print(len(rows.client.nthreads()), sorted(heard))
    print(*(one.pid for one in family[1:]))
    if "close" in sys.argv:
        rows.close()
"""


def runs(pid):
    try:
        return psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["close", "exit"])
def test_processes_hear_this_machine_alone_and_end_without_a_word(ending, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    told = subprocess.run([sys.executable, "-W", "error", script, ending], capture_output=True, text=True, timeout=300)
    assert told.stderr == ""
    converged, heard, processes = told.stdout.splitlines()
    assert converged == "True"
    assert heard == "2 ['127.0.0.1']"
    end = time.monotonic() + 30  # what multiprocessing has started to clean up ends a moment later
    while any(map(runs, processes.split())) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(runs, processes.split()))


def test_a_scheduler_is_found_by_its_address(one_worker):
    address = one_worker.scheduler.address
    parts = [dask.delayed((np.array([[0.0], [1.0]]), np.array([0, 1])))]
    with sx.DaskRows(parts, client=address) as rows:
        assert rows.client.scheduler.address == address
        assert rows.facts.n == 2
    assert rows.client.status == "closed"
    assert one_worker.status == "running"


def test_the_client_in_use_is_taken(one_worker):
    with one_worker.as_current():
        rows = sx.DaskRows([dask.delayed((np.array([[0.0], [1.0]]), np.array([0, 1])))])
        assert rows.client is one_worker
        rows.close()
    assert one_worker.status == "running"


def test_without_dask_it_says_how_to_install_it():
    with (
        mock.patch.dict(sys.modules, {"dask": None}),
        pytest.raises(ImportError, match=r"pip install 'separatrix\[dask\]'"),
    ):
        require_dask()


def test_the_package_does_without_dask_until_it_is_used():
    code = "import sys, separatrix as sx; sx.DaskRows; sx.MixedPerceptron; print('dask' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert told.stdout.strip() == "False"
