"""Measures how many notifications a second are accepted, each on disk before its 202, compared with nginx's constant.

Nothing is sent during the run: the app's rate is close to zero. `through` measures accepting under full delivery.
"""

from .. import machine
from ..gateway import Gateway
from ..load import batch, notification

PART = "accept"
SECONDS = 4
RESTING = {"apps": {"default": {"rate": "1/s"}}}


def run(bench):
    """With `bench.against`, the two executables take turns, so that both meet the same machine."""

    def measure():
        constant, _ = bench.wrk.run(f"http://127.0.0.1:{bench.stand_in.constant}/", notification(), seconds=SECONDS)
        figures = [("nginx, constant 202", "req/s", constant, None)]
        figures += _measure(bench, bench.binary, "", constant)
        if bench.against:
            figures += _measure(bench, bench.against, "against: ", constant)
        return figures

    bench.repeat(PART, measure, count=5, seconds_max=75 * (2 if bench.against else 1))


def _measure(bench, binary, prefix, constant):
    with Gateway(bench, "accept", settings=RESTING, binary=binary) as gateway:
        before = gateway.cpu_seconds
        with machine.Instructions(gateway.pid) as instructions:
            single, bad = bench.wrk.run(f"{gateway.url}/v1/notifications", notification(), seconds=SECONDS)
        cpu = gateway.cpu_seconds - before
        _expect_none(bad)
    with Gateway(bench, "accept", settings=RESTING, binary=binary) as gateway:
        batches, bad = bench.wrk.run(
            f"{gateway.url}/v1/notifications/batch", batch(100), connections=16, seconds=SECONDS
        )
        _expect_none(bad)
    count = single * SECONDS
    figures = [
        (f"{prefix}one a request", "req/s", single, None),
        (f"{prefix}one a request / nginx", "×", single / constant, None),
        (f"{prefix}one a request, CPU", "µs", cpu / count * 1e6, None),
        (f"{prefix}100 a request", "notifications/s", batches * 100, None),
    ]
    if instructions.count:
        figures.append(
            (f"{prefix}one a request, instructions in user space", "thousand", instructions.count / count / 1e3, None)
        )
    return figures


def _expect_none(bad):
    if bad:
        raise RuntimeError(f"{bad} requests were not accepted")
