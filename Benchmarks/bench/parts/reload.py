"""Measures how long accepting takes at 1,000 a second while the gateway reloads 50 MB of strings, of which each file has
changed, beside the same without a reload; and its memory at the peak of the reload. Both with few changed texts, and with
all of them changed."""

import multiprocessing
import os
import re
import signal

from .. import processes
from ..gateway import Gateway
from ..load import notification, open_loop, percentile, request_bytes
from .catalog import RELOADS, _locales, _write_catalog

PART = "reload"
KEYS = 4_000
# A change of a file changes every so many of its texts.
CHANGES = [("", 100), ("all changed: ", 1)]
RATE = 1_000
SECONDS = 6
_START = "Revision "


def run(bench):
    """With `bench.against`, the two executables take turns, so that both meet the same machine."""
    folder = os.path.join(bench.folder, "reload")
    size = _write(folder)
    bench.report.note(PART, f"the strings have {size / 1e6:.0f} MB")

    def measure():
        figures = []
        for name, every in CHANGES:
            figures += _measure(bench, bench.binary, folder, name, every)
            if bench.against:
                figures += _measure(bench, bench.against, folder, f"against: {name}", every)
        return figures

    bench.repeat(PART, measure, count=3, seconds_max=180 * (2 if bench.against else 1))


def _write(folder):
    size = 0
    for locale in _locales():
        values = os.path.join(folder, "res", f"values{locale}")
        os.makedirs(values, exist_ok=True)
        path = os.path.join(values, "strings.xml")
        with open(path, "w") as file:
            file.write("<resources>\n")
            for key in range(KEYS):
                file.write(f'  <string name="text_{key}">{_START}0 of text {key} for %1$s of %2$s{locale}</string>\n')
            file.write("</resources>\n")
        size += os.path.getsize(path)
    _write_catalog(os.path.join(folder, "catalog.yaml"), 60)
    return size


def _revisions(path, every):
    """The offsets of the digits that a change of the file changes."""
    with open(path, "rb") as file:
        text = file.read()
    starts = [match.end() for match in re.finditer(_START.encode(), text)]
    return starts[::every]


def _measure(bench, binary, folder, prefix, every):
    settings = {"apps": {"default": {"catalog": os.path.join(folder, "catalog.yaml")}}}
    body = {**notification(), "template": "template_0", "args": {"name": "Bob", "place": "Rome"}}
    requests = [request_bytes("/v1/notifications", body)] * (RATE * SECONDS)
    with Gateway(bench, "reload-gateway", settings=settings, binary=binary) as gateway:
        without = _milliseconds(open_loop(gateway.port, requests, RATE))
        before, _ = gateway.memory_mib
        _forget_peak(gateway.pid)
        reloads = Reloads(gateway, folder, every)
        during = _milliseconds(open_loop(gateway.port, requests, RATE))
        reloads.stop()
        _, peak = gateway.memory_mib
    return [
        (f"{prefix}p50 without a reload", "ms", percentile(without, 0.5), None),
        (f"{prefix}p99 without a reload", "ms", percentile(without, 0.99), None),
        (f"{prefix}p50 during reloads", "ms", percentile(during, 0.5), None),
        (f"{prefix}p99 during reloads", "ms", percentile(during, 0.99), None),
        (f"{prefix}p99 during reloads / without", "×", percentile(during, 0.99) / percentile(without, 0.99), ("≤", 2)),
        (f"{prefix}memory at the peak / before", "×", peak / before, ("≤", 1.5)),
        (f"{prefix}reloads begun", "", reloads.begun.value, None),
    ]


def _milliseconds(answers):
    if bad := [answer.status for answer in answers if answer.status != 202]:
        raise RuntimeError(f"{len(bad)} requests were not accepted: {bad[0]}")
    return [answer.seconds * 1000 for answer in answers]


def _forget_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w") as file:
        file.write("5")


class Reloads:
    """One reload after the other, each after a change of texts in all files. A process of its own makes them, with a lower
    priority (nice 10): as a thread of this one, it would take turns with the load generator."""

    def __init__(self, gateway, folder, every):
        self.gateway = gateway
        self.begun = multiprocessing.Value("i", 0)
        self.revisions = {path: _revisions(path, every) for path in (
            os.path.join(folder, "res", f"values{locale}", "strings.xml") for locale in _locales())}
        self.stopping = multiprocessing.Event()
        self.process = multiprocessing.Process(target=self._run, daemon=True)
        self.process.start()

    def _run(self):
        os.nice(10)
        while not self.stopping.is_set():
            for path, offsets in self.revisions.items():
                with open(path, "r+b", buffering=0) as file:
                    for offset in offsets:
                        os.pwrite(file.fileno(), str((self.begun.value + 1) % 10).encode(), offset)
            done = self._done()
            os.kill(self.gateway.pid, signal.SIGHUP)
            self.begun.value += 1
            processes.wait_until(lambda done=done: self._done() > done, 120, "the reload", pause=0.2)

    def _done(self):
        lines = [line for line in self.gateway.get("/metrics").splitlines() if line.startswith(RELOADS)]
        return sum(float(line.split()[-1]) for line in lines)

    def stop(self):
        self.stopping.set()
        self.process.join()
        if self.process.exitcode:
            raise RuntimeError("the reloads failed")
