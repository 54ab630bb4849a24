"""The console in Debian's Chromium: its first paint, an app with 160 locales while one scrolls and types, and its matrix."""

import json
import os

from .. import processes
from ..gateway import ROOT

PART = "console"


def run(bench):
    bench.repeat(PART, lambda: _measure(bench), count=2, seconds_max=120)


def _measure(bench):
    script = os.path.join(ROOT, "scripts", "test-browser")
    return json.loads(processes.run([script, bench.binary, "--measure"], 120))
