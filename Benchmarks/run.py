#!/usr/bin/env python3
"""Measures Dragoman and the programs that it is compared with; prints medians and ratios.

    make bench                    all parts, about ten minutes
    make bench PART=accept        one part, or several: PART="accept through"
    make bench PART=cost AGAINST=old-dragoman     what a message costs, by turns with another build; also: accept, through, latency
"""

import argparse
import gc
import os
import shutil
import sys
import time

from bench import machine
from bench.bench import Bench
from bench.gateway import ROOT
from bench.parts import ALL
from bench.report import Report
from bench.stand_in import StandIn


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("parts", nargs="*", metavar="PART", help=" ".join(ALL))
    options.add_argument("--gateway", default=os.path.join(ROOT, ".build", "release", "dragoman"))
    options.add_argument("--against", metavar="GATEWAY",
                         help="another build, which accept, cost and latency measure in turns with this one")
    options.add_argument("--json", default=os.path.join(ROOT, ".build", "benchmarks", "results.json"))
    options.add_argument("--folder", default=os.path.join(ROOT, ".build", "benchmarks", "work"),
                         help="the folder of the queues; its disk is part of what is measured")
    given = options.parse_args()
    if unknown := set(given.parts) - set(ALL):
        options.error(f"no such part: {' '.join(sorted(unknown))}; the parts are {' '.join(ALL)}")
    if not os.access(given.gateway, os.X_OK):
        options.error(f"{given.gateway} does not exist: build it with `make build`")
    if given.against and not os.access(given.against, os.X_OK):
        options.error(f"{given.against} does not exist or cannot be executed")
    against = os.path.abspath(given.against) if given.against else None
    # nginx resolves relative paths in its own folder.
    given.folder = os.path.abspath(given.folder)
    gc.disable()
    shutil.rmtree(given.folder, ignore_errors=True)
    os.makedirs(given.folder)
    report = Report(machine.description())
    stand_in = StandIn(given.folder)
    failed = False
    try:
        bench = Bench(given.folder, os.path.abspath(given.gateway), against, stand_in.start(), report)
        for name in given.parts or ALL:
            started = time.monotonic()
            print(f"{name} …", end=" ", file=sys.stderr, flush=True)
            try:
                ALL[name](bench)
            except (RuntimeError, TimeoutError, OSError) as error:
                failed = True
                report.note(name, f"failed: {error}")
            print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    finally:
        stand_in.stop()
        shutil.rmtree(given.folder, ignore_errors=True)
    print(report.table())
    os.makedirs(os.path.dirname(given.json), exist_ok=True)
    with open(given.json, "w") as file:
        file.write(report.json() + "\n")
    return 1 if failed else 0


sys.exit(main())
