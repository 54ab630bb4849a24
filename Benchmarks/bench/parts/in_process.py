"""The hot path's steps one by one, in process: nanoseconds and allocations an operation."""

import json
import os

from .. import processes
from ..gateway import ROOT

PART = "parts"


def run(bench):
    program = os.path.join(os.path.dirname(bench.binary), "benchmark-parts")
    if not os.path.exists(program):
        processes.run(["swift", "build", "-c", "release", "--product", "benchmark-parts"], 1200, cwd=ROOT)

    def measure():
        figures = []
        for line in processes.run([program, bench.folder], 60).splitlines():
            step = json.loads(line)
            figures.append((step["name"], "ns", step["nanoseconds"], None))
            figures.append((f"{step['name']}: allocations", "", step["allocations"], None))
        return figures

    bench.repeat(PART, measure, count=3, seconds_max=40)
