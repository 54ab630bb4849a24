"""Measures what a million waiting deliveries cost at startup, in memory, on disk and in throughput."""

import time

from ..gateway import Gateway
from ..load import batch
from .accept import RESTING

PART = "backlog"
WAITING = 1_000_000
# Sent from little: all that is there.
MESSAGES = 60_000
# Sent from a million: so many that the 10,000 that are read ahead in the end, but not sent, hardly count.
MESSAGES_OF_MILLION = 200_000


def run(bench):
    # Measured once: a million deliveries take long, and the results are ratios and sizes.
    bench.repeat(PART, lambda: _measure(bench), count=1, seconds_max=120)


def _measure(bench):
    empty = _throughput_when_empty(bench)
    fill = Gateway(bench, "backlog", settings=RESTING)
    with fill:
        rate = bench.h2load.run(f"{fill.url}/v1/notifications/batch", batch(1000), WAITING // 1000, 8) * 1000
        _, memory_filling = fill.memory_mib
        disk = fill.disk_bytes
    restarted = Gateway(bench, "backlog", project="fast", keeps=True)
    with restarted:
        ready = restarted.ready_seconds
        first = restarted.deliveries()["sent"]
        started = time.monotonic()
        restarted.wait_until_sent(first + MESSAGES_OF_MILLION, 120)
        full = (restarted.deliveries()["sent"] - first) / (time.monotonic() - started)
        _, memory = restarted.memory_mib
    return [
        ("fill, 1,000 a request", "notifications/s", rate, None),
        ("memory while filling", "MiB", memory_filling, ("≤", 200)),
        ("disk", "bytes/delivery", disk / WAITING, ("≤", 1500)),
        ("start to ready", "ms", ready * 1000, ("≤", 1000)),
        ("sending from a million", "msg/s", full, None),
        ("sending from little", "msg/s", empty, None),
        ("from a million / from little", "×", full / empty, ("≥", 0.9)),
        ("memory while sending", "MiB", memory, ("≤", 200)),
    ]


def _throughput_when_empty(bench):
    """Measures sending only, from a queue that contains no more than is sent."""
    with Gateway(bench, "backlog-empty", settings=RESTING) as fill:
        bench.h2load.run(f"{fill.url}/v1/notifications/batch", batch(1000), MESSAGES // 1000, 8)
    with Gateway(bench, "backlog-empty", keeps=True) as gateway:
        first = gateway.deliveries()["sent"]
        started = time.monotonic()
        gateway.wait_until_sent(MESSAGES, 120)
        return (MESSAGES - first) / (time.monotonic() - started)
