"""Measures the latency of a hundred apps while FCM answers one of them with 503."""

from ..gateway import CATALOG, Gateway
from ..load import batch, notification, open_loop, percentile, request_bytes
from .latency import _from_accept_to_sent

PART = "apps"
APPS = 100
PER_SECOND = 500
SECONDS = 8


def run(bench):
    bench.repeat(PART, lambda: _measure(bench), count=2, seconds_max=50)


def _measure(bench):
    well = _p99(bench, down=None)
    ill = _p99(bench, down="app-0")
    return [
        ("all up: accept to sent p50", "ms", well[0], None),
        ("all up: accept to sent p99", "ms", well[1], None),
        ("one of 100 down: the others' p50", "ms", ill[0], None),
        ("one of 100 down: the others' p99", "ms", ill[1], None),
    ]


def _p99(bench, down):
    names = [f"app-{number}" for number in range(APPS)]
    app = {
        "catalog": CATALOG,
        "credentials": "none",
        "endpoint": bench.stand_in.endpoint,
        "ca_file": bench.stand_in.certificate,
        "rate": "1000000/s",
    }
    gateway = Gateway(bench, "apps")
    gateway.configuration["apps"] = {
        name: dict(app, project_id="down" if name == down else "slow") for name in names
    }
    with gateway:
        if down:
            # Its own backlog, so that it could delay the others.
            for item in range(5):
                notifications = batch(200, app=down)["notifications"]
                gateway.post("/v1/notifications/batch", {"notifications": notifications})
        warm_up = [request_bytes("/v1/notifications", notification(0, app=name)) for name in names[1:]]
        open_loop(gateway.port, warm_up, 200)
        count = PER_SECOND * SECONDS
        requests = [
            request_bytes("/v1/notifications", notification(number % 1000, app=names[1 + number % (APPS - 1)]))
            for number in range(count)
        ]
        open_loop(gateway.port, requests, PER_SECOND)
        gateway.wait_until_sent(count + len(warm_up), 30)
        took = _from_accept_to_sent(gateway, count + len(warm_up))
    # The list is newest first, so the warm-up is at the end.
    values = list(took.values())[:count]
    return percentile(values, 0.5), percentile(values, 0.99)
