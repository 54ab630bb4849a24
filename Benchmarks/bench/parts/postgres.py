"""Measures a queue in PostgreSQL against one in SQLite, on the same disk and in turns: accepting, through to a recorded
answer, and three gateways that share the queue. The CPU time is that of the gateways and of the whole server. With
`bench.against`, the two executables take turns.
"""

import concurrent.futures
import os
import time

from ..gateway import Gateway
from ..load import batch, notification
from ..postgres import Postgres
from .accept import RESTING

PART = "postgres"
SECONDS = 4
MESSAGES = 60_000


def run(bench):
    with Postgres(os.path.join(bench.folder, "postgres")) as server:
        turns = 2 if bench.against else 1
        for size in [1, 100]:
            bench.repeat(PART, lambda: _accept(bench, server, size), count=3, seconds_max=60 * turns)
        for size in [100, 1]:
            bench.repeat(PART, lambda: _through(bench, server, size), count=3, seconds_max=90 * turns)


def _words(size):
    return "one a request" if size == 1 else f"{size} a request"


def _load(size):
    if size == 1:
        return "/v1/notifications", notification(), 64
    return "/v1/notifications/batch", batch(size), 16


def _accept(bench, server, size):
    path, body, connections = _load(size)

    def rate(settings, binary=None):
        with Gateway(bench, "postgres-accept", settings=settings, binary=binary) as gateway:
            accepted, bad = bench.wrk.run(gateway.url + path, body, connections=connections, seconds=SECONDS)
        if bad:
            raise RuntimeError(f"{bad} requests were not accepted")
        return accepted * size

    sqlite = rate(RESTING)
    cpu = server.cpu_seconds
    postgres = rate({**RESTING, "queue": {"url": server.database()}})
    cpu = (server.cpu_seconds - cpu) / (postgres * SECONDS) * 1e6
    name = f"accept, {_words(size)}"
    figures = [
        (f"{name}: SQLite", "/s", sqlite, None),
        (f"{name}: PostgreSQL", "/s", postgres, None),
        (f"{name}: PostgreSQL / SQLite", "×", postgres / sqlite, None),
        (f"{name}: CPU of the server", "µs", cpu, None),
    ]
    if bench.against:
        other = rate({**RESTING, "queue": {"url": server.database()}}, bench.against)
        figures.append((f"against: {name}: PostgreSQL", "/s", other, None))
    return figures


def _through(bench, server, size):
    sqlite = _send(bench, size, lambda: {})
    postgres = _send(bench, size, lambda: {"queue": {"url": server.database()}}, server)
    three = _send(bench, size, lambda: {"queue": {"url": server.database()}}, server, gateways=3)
    name = f"through, {_words(size)}"
    figures = [
        (f"{name}: SQLite", "msg/s", sqlite["rate"], None),
        (f"{name}: PostgreSQL", "msg/s", postgres["rate"], None),
        (f"{name}: PostgreSQL / SQLite", "×", postgres["rate"] / sqlite["rate"], None),
        (f"{name}: SQLite, CPU", "µs/msg", sqlite["gateways"], None),
        (f"{name}: PostgreSQL, CPU", "µs/msg", postgres["gateways"] + postgres["server"], None),
        (f"{name}: CPU of the gateway alone", "µs/msg", postgres["gateways"], None),
        (f"{name}: written to the server's log", "KB/msg", postgres["log"] / 1e3, None),
        (f"{name}: three gateways", "msg/s", three["rate"], None),
        (f"{name}: three gateways / one", "×", three["rate"] / postgres["rate"], None),
        (f"{name}: three gateways, CPU", "µs/msg", three["gateways"] + three["server"], None),
    ]
    if bench.against:
        other = _send(bench, size, lambda: {"queue": {"url": server.database()}}, server, binary=bench.against)
        figures += [
            (f"against: {name}: PostgreSQL", "msg/s", other["rate"], None),
            (f"against: {name}: PostgreSQL, CPU", "µs/msg", other["gateways"] + other["server"], None),
        ]
    return figures


def _send(bench, size, settings, server=None, gateways=1, binary=None):
    """The rate from HTTP to recorded answers, and the CPU time a message."""
    path, body, connections = _load(size)
    settings = settings()
    running = [Gateway(bench, f"postgres-{number}", settings=settings, binary=binary) for number in range(gateways)]
    try:
        for gateway in running:
            gateway.start()
            # The first messages open the connections to FCM.
            gateway.post("/v1/notifications/batch", batch(200))
        running[0].wait_until_sent(200 * gateways, 30)
        own = sum(gateway.cpu_seconds for gateway in running)
        servers, log = (server.cpu_seconds, server.wal_bytes) if server else (0, 0)
        started = time.monotonic()
        requests = MESSAGES // size // gateways
        with concurrent.futures.ThreadPoolExecutor(gateways) as pool:
            loads = [
                pool.submit(bench.h2load.run, gateway.url + path, body, requests, connections // gateways)
                for gateway in running
            ]
            for load in loads:
                load.result()
        running[0].wait_until_sent(200 * gateways + requests * size * gateways, 120)
        seconds = time.monotonic() - started
        count = requests * size * gateways
        return {
            "rate": count / seconds,
            "gateways": (sum(gateway.cpu_seconds for gateway in running) - own) / count * 1e6,
            "server": (server.cpu_seconds - servers) / count * 1e6 if server else 0,
            "log": (server.wal_bytes - log) / count if server else 0,
        }
    finally:
        for gateway in running:
            gateway.stop()
