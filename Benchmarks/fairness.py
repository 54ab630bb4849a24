#!/usr/bin/env python3
"""Measures by how much one client worsens what another one waits.

    make build && python3 Benchmarks/fairness.py             all loads, about a minute
    python3 Benchmarks/fairness.py batches                   one load

The client `own` posts a notification with an Idempotency-Key on one connection, 100 times a second. Alone first, and then while
the client `busy` runs each load, with a lower priority (nice 10), so that the load generator does not take the gateway's CPU time.
The figures are the 50th and 99th percentile of the answers to `own`, and the latter as a multiple of that without a load.
"""

import hashlib
import json
import multiprocessing
import os
import random
import shutil
import statistics
import tempfile
import time

from abuse import answer, arguments, connect, start
from bench import processes

SECONDS = 8
NOTIFICATION = {"template": "welcome", "to": {"token": "t" * 150}, "args": {"name": "Bob"}}


def request(key, method, path, body=None, **fields):
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}",
             "Content-Type: application/json", f"Content-Length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def repeat(port, count, data, answers=1):
    """Sends `data` on each of `count` connections again and again, each time after its answers have come."""
    os.nice(10)
    connections = [connect(port) for _ in range(count)]
    left = dict.fromkeys(connections, b"")
    while True:
        for connection in connections:
            connection.sendall(data)
        for connection in connections:
            for _ in range(answers):
                _, left[connection] = answer(connection, left[connection])


def batches(port):
    """Four connections with batches of 1,000 notifications full of mistakes."""
    wrong = {"template": "welcomf", "to": {"tokn": "x"}, **{f"m{number}": 1 for number in range(60)}}
    repeat(port, 4, request("busy", "POST", "/v1/notifications/batch", {"notifications": [wrong] * 990}))


def accepted(port):
    """60 connections that post a notification each, and another when it is accepted."""
    repeat(port, 60, request("busy", "POST", "/v1/notifications", NOTIFICATION))


def accepted_batches(port):
    """Four connections with batches of 1,000 notifications that are accepted."""
    repeat(port, 4, request("busy", "POST", "/v1/notifications/batch", {"notifications": [NOTIFICATION] * 1000}))


def pipelines(port):
    """60 connections that each send 200 requests at once for what does not exist."""
    repeat(port, 60, request("busy", "GET", "/v1/notifications/none") * 200, 200)


def lists(port):
    """16 connections that list notifications."""
    repeat(port, 16, request("busy", "GET", "/v1/notifications?limit=100"))


def previews(port):
    """16 connections that ask for previews."""
    body = {"args": {"name": "Bob"}}
    repeat(port, 16, request("busy", "POST", "/v1/templates/welcome/preview", body))


LOADS = {load.__name__: load for load in [batches, accepted, accepted_batches, pipelines, lists, previews]}


def measure(port):
    """How long `own` waits, in milliseconds, in order."""
    connection, left, times = connect(port), b"", []
    gaps = random.Random(1)
    moment = time.perf_counter()
    end = moment + SECONDS
    while moment < end:
        time.sleep(max(0.0, moment - time.perf_counter()))
        connection.sendall(
            request("own", "POST", "/v1/notifications", NOTIFICATION, Idempotency_Key=f"k{random.getrandbits(64)}"))
        status, left = answer(connection, left)
        times.append((time.perf_counter() - moment) * 1000)
        if status != 202:
            raise RuntimeError(f"a notification got {status}")
        # What came too late delays no later measurement.
        moment = max(moment, time.perf_counter()) + gaps.expovariate(100)
    return sorted(times)


def client(name, scopes):
    return {"name": name, "key_sha256": hashlib.sha256(name.encode()).hexdigest(), "scopes": scopes}


def main():
    given = arguments(__doc__, LOADS)
    folder = tempfile.mkdtemp()
    clients = [client("own", ["send", "read"]), client("busy", ["send", "read", "preview"])]
    process, port = start(given.gateway, folder, auth={"clients": clients})
    try:
        print("load                 p50      p99      p99 / alone")
        alone = None
        for name in [None, *given.loads]:
            load = multiprocessing.Process(target=LOADS[name], args=(port,), daemon=True) if name else None
            if load:
                load.start()
                time.sleep(1)
            times = measure(port)
            if load:
                load.terminate()
                load.join()
            p99 = times[len(times) * 99 // 100]
            alone = alone or p99
            print(f"{name or 'alone':16} {statistics.median(times):7.2f}  {p99:7.2f} ms {p99 / alone:7.2f}", flush=True)
    finally:
        processes.stop(process)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
