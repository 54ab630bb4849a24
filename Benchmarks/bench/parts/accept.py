"""Measures how many notifications a second are accepted, each on disk before its 202, compared with nginx's constant.

Nothing is sent during the run: the app's rate is close to zero. `through` measures accepting under full delivery.
"""

from ..gateway import Gateway
from ..load import batch, notification

PART = "accept"
SECONDS = 4
RESTING = {"apps": {"default": {"rate": "1/s"}}}


def run(bench):
    def measure():
        constant, _ = bench.wrk.run(f"http://127.0.0.1:{bench.stand_in.constant}/", notification(), seconds=SECONDS)
        with Gateway(bench, "accept", settings=RESTING) as gateway:
            before = gateway.cpu_seconds
            single, bad = bench.wrk.run(f"{gateway.url}/v1/notifications", notification(), seconds=SECONDS)
            cpu = gateway.cpu_seconds - before
            _expect_none(bad)
        with Gateway(bench, "accept", settings=RESTING) as gateway:
            batches, bad = bench.wrk.run(
                f"{gateway.url}/v1/notifications/batch", batch(100), connections=16, seconds=SECONDS
            )
            _expect_none(bad)
        return [
            ("nginx, constant 202", "req/s", constant, None),
            ("one a request", "req/s", single, None),
            ("one a request / nginx", "×", single / constant, ("≥", 0.4)),
            ("one a request, CPU", "µs", cpu / (single * SECONDS) * 1e6, None),
            ("100 a request", "notifications/s", batches * 100, ("≥", 60000)),
        ]

    bench.repeat(PART, measure, count=5, seconds_max=75)


def _expect_none(bad):
    if bad:
        raise RuntimeError(f"{bad} requests were not accepted")
