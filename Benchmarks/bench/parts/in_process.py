"""Measures each step of the hot path in process: nanoseconds and allocations per operation."""

import json
import os

from .. import processes
from ..gateway import ROOT

PART = "parts"


BUILD = os.path.join(ROOT, ".build", "benchmarks", "parts")


def run(bench):
    # Built separately and not counted in the part's time: `@testable` needs other settings than the product.
    build = ["swift", "build", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", BUILD]
    environment = dict(os.environ, DRAGOMAN_BENCHMARK_PARTS="1")
    processes.run(build + ["--product", "benchmark-parts"], 1800, cwd=ROOT, env=environment)
    program = os.path.join(BUILD, "release", "benchmark-parts")

    def measure():
        figures = []
        for line in processes.run([program, bench.folder], 60, cwd=ROOT).splitlines():
            step = json.loads(line)
            if "ratio" in step:
                figures.append((step["name"], "x", step["ratio"], None))
                continue
            figures.append((step["name"], "ns", step["nanoseconds"], None))
            figures.append((f"{step['name']}: allocations", "", step["allocations"], None))
        return figures

    bench.repeat(PART, measure, count=3, seconds_max=40)
