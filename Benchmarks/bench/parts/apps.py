"""Measures the latency of a hundred apps while FCM answers one of them with 503, and what a thousand apps cost that
have all sent something.
"""

import os

from ..gateway import CATALOG, Gateway
from ..load import batch, notification, open_loop, percentile, request_bytes
from .latency import _from_accept_to_sent

PART = "apps"
APPS = 100
PER_SECOND = 500
SECONDS = 8
MANY = 1000


def run(bench):
    bench.repeat(PART, lambda: _measure(bench), count=2, seconds_max=50)
    bench.repeat(PART, lambda: _measure_many(bench), count=2, seconds_max=60)


def _measure(bench):
    well = _p99(bench, down=None)
    ill = _p99(bench, down="app-0")
    return [
        ("all up: accept to sent p50", "ms", well[0], None),
        ("all up: accept to sent p99", "ms", well[1], None),
        ("one of 100 down: the others' p50", "ms", ill[0], None),
        ("one of 100 down: the others' p99", "ms", ill[1], None),
    ]


def _gateway(bench, names, down=None):
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
    return gateway


def _measure_many(bench):
    """Each of the apps sends ten messages."""
    names = [f"app-{number}" for number in range(MANY)]
    with _gateway(bench, names) as gateway:
        ready = gateway.ready_seconds
        before = gateway.cpu_seconds
        requests = [request_bytes("/v1/notifications", notification(0, app=name)) for name in names * 10]
        open_loop(gateway.port, requests, 1000)
        gateway.wait_until_sent(len(requests), 60)
        cpu = (gateway.cpu_seconds - before) / len(requests)
        apps = gateway.get("/v1/stats")["apps"]
        if any(apps[name]["deliveries"]["sent"] != 10 for name in names):
            raise RuntimeError("not all apps have sent")
        now, _ = gateway.memory_mib
        threads = len(os.listdir(f"/proc/{gateway.pid}/task"))
    name = f"{MANY:,} apps"
    return [
        (f"{name}: start to ready", "s", ready, None),
        (f"{name}, after use: threads", "", threads, ("≤", 50)),
        (f"{name}, after use: memory", "MiB", now, ("≤", 100)),
        (f"{name}: CPU at 1,000 a second", "µs/msg", cpu * 1e6, None),
    ]


def _p99(bench, down):
    names = [f"app-{number}" for number in range(APPS)]
    gateway = _gateway(bench, names, down)
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
