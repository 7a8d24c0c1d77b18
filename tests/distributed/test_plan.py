"""What deciding costs on paper is what it costs: tasks, and bytes to the client."""

import importlib.util
import sys
from typing import Any

import dask
import pytest
from paths import ROOT

import separatrix as sx

_spec = importlib.util.spec_from_file_location("benchmark_of_clusters", ROOT / "benchmarks" / "cluster.py")
benchmark = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = benchmark  # where its classes look themselves up
_spec.loader.exec_module(benchmark)


@pytest.mark.parametrize(("rows", "per_block"), [(20_000, 1_000), (30_000, 2_500)])
def test_the_plan_holds_of_a_run(rows, per_block, two_workers):
    whole = [benchmark.generated(block, per_block) for block in range(rows // per_block)]
    counted = benchmark.Counted(sx.DaskRows(list(map(dask.delayed, whole)), client=two_workers))
    verdict: Any = sx.decide(counted.rows)
    assert verdict.separable
    plan = benchmark.Plan(rows=rows, rows_per_block=per_block, passes=verdict.passes)
    assert plan.blocks == len(counted.rows.facts.sizes)
    assert counted.tasks == plan.tasks
    assert counted.largest <= plan.bytes_per_result
    assert counted.bytes <= plan.bytes_to_client
    verdict.certificate.document()
    assert counted.tasks == plan.tasks + plan.blocks
