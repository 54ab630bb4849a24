"""Measures the cost of an idle gateway, and how soon it is ready."""

import time

from .. import machine
from ..gateway import Gateway
from ..load import batch
from .accept import RESTING

PART = "idle"
SECONDS = 10


def run(bench):
    def start():
        with Gateway(bench, "idle") as gateway:
            return [("start to ready", "ms", gateway.ready_seconds * 1000, ("≤", 300))]

    bench.repeat(PART, start, count=7, seconds_max=15)
    bench.repeat(PART, lambda: _idle(bench), count=1, seconds_max=20)


def _idle(bench):
    with Gateway(bench, "idle") as gateway:
        # One message first, so that everything that is allocated at first use is counted.
        gateway.post("/v1/notifications/batch", batch(100))
        gateway.wait_until_sent(100, 30)
        time.sleep(2)
        woken, cpu = machine.wake_ups(gateway.pid), gateway.cpu_seconds
        time.sleep(SECONDS)
        woken, cpu = machine.wake_ups_since(woken, gateway.pid), gateway.cpu_seconds - cpu
        memory, _ = gateway.memory_mib
    return [
        ("resident memory", "MiB", memory, ("≤", 40)),
        # One wake-up a second is libdispatch's: its monitor of the threads that Swift's concurrency runs on
        # (_dispatch_workq_worker_register), which cannot be turned off. All others are the gateway's own.
        ("wake-ups, the one a second of libdispatch's monitor among them", "/s", woken / SECONDS, ("≤", 1.5)),
        ("CPU", "ms/s", cpu / SECONDS * 1000, None),
    ]
