#!/usr/bin/env python3
"""Loads a gateway as hostile clients do, and measures what well-behaved ones notice of it, and the gateway's memory.

    make build && python3 Benchmarks/abuse.py            all loads, about three minutes
    python3 Benchmarks/abuse.py batches                  one load

While a load runs, another process requests /healthz on one connection, again and again. The figures are its 50th and 99th
percentile and its longest wait, the gateway's largest resident memory, and the same 20 s after the load has ended.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import socket
import statistics
import tempfile
import time

from bench import machine, processes

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 10
REST_SECONDS = 20


def start(binary, folder, **sections):
    """A gateway whose app sends nothing, and its process and port. `sections` are further ones of its configuration."""
    port = processes.free_port()
    configuration = {
        "server": {"listen": f"127.0.0.1:{port}"},
        "apps": {"default": {
            "catalog": os.path.join(ROOT, "config", "catalog.yaml"), "credentials": "none", "project_id": "p",
            "endpoint": "http://127.0.0.1:1", "rate": "1/h"}},
        "queue": {"url": f"sqlite:{folder}/queue.db", "max_depth": 10000000},
        **sections,
    }
    path = os.path.join(folder, "gateway.yaml")
    with open(path, "w") as file:
        json.dump(configuration, file)
    process = processes.start([binary, "serve", "--config", path], os.path.join(folder, "log"))
    processes.wait_until(lambda: _answers(port), 30, "the gateway's start", pause=0.01)
    return process, port


def _answers(port):
    try:
        connect(port).close()
        return True
    except OSError:
        return False


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def request(method, path, body=b""):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def answer(connection, left=b""):
    """Reads one answer; returns its status and what follows it."""
    while b"\r\n\r\n" not in left:
        left += receive(connection)
    head, _, left = left.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(left) < length:
        left += receive(connection)
    return int(head.split()[1]), left[length:]


def receive(connection):
    data = connection.recv(1 << 18)
    if not data:
        raise ConnectionError("the gateway closed the connection")
    return data


def probe(port, stop, results):
    """Requests /healthz until `stop` is set; puts the times in milliseconds into `results`."""
    connection = connect(port)
    times = []
    while not stop.is_set():
        began = time.perf_counter()
        connection.sendall(request("GET", "/healthz"))
        status, _ = answer(connection)
        times.append((time.perf_counter() - began) * 1000)
        if status != 200:
            raise RuntimeError(f"/healthz: {status}")
        time.sleep(0.002)
    results.put(times)


# Loads. Each runs until the deadline and returns what to print about it.


def batches(port, deadline):
    """One client posts batches of 1,000."""
    notification = {"template": "welcome", "to": {"token": "t" * 150}, "args": {"name": "Bob"}}
    body = json.dumps({"notifications": [notification] * 1000}).encode()
    connection, count, left = connect(port), 0, b""
    while time.monotonic() < deadline:
        connection.sendall(request("POST", "/v1/notifications/batch", body))
        status, left = answer(connection, left)
        if status != 202:
            raise RuntimeError(f"a batch got {status}")
        count += 1
    return f"{count / SECONDS:.1f} batches a second"


def errors(port, deadline):
    """60 clients post a megabyte of unknown members and read nothing."""
    members = ",".join(f'"u{index}":1' for index in range(85_000))
    body = ('{"template":"welcome","to":{"token":"t"},' + members + "}").encode()[:1_040_000]
    body = body[: body.rindex(b",")] + b"}"
    return hold(port, deadline, 60, lambda: request("POST", "/v1/notifications", body) * 4)


def readers(port, deadline):
    """300 clients pipeline 60 requests each for the description and read nothing."""
    return hold(port, deadline, 300, lambda: request("GET", "/openapi.json") * 60)


def bodies(port, deadline):
    """300 clients send all but the last byte of a megabyte."""
    body = b" " * 1_040_000
    return hold(port, deadline, 300, lambda: request("POST", "/v1/notifications", body)[:-1])


def hold(port, deadline, count, make):
    """Opens connections that send and never read; they are closed at the deadline."""
    data = make()
    connections = [connect(port) for _ in range(count)]
    for connection in connections:
        connection.setblocking(False)
    rest = {connection: memoryview(data) for connection in connections}
    ended = 0
    while time.monotonic() < deadline:
        for connection in list(rest):
            try:
                rest[connection] = rest[connection][connection.send(rest[connection][:1 << 18]):]
                if not rest[connection]:
                    del rest[connection]
            except BlockingIOError:
                pass
            except OSError:
                del rest[connection]
                ended += 1
        time.sleep(0.01)
    for connection in connections:
        connection.close()
    return f"{count} connections, {ended} of them ended by the gateway"


LOADS = {load.__name__: load for load in [batches, errors, readers, bodies]}


def measure(name, binary, folder):
    process, port = start(binary, folder)
    try:
        before, _ = machine.memory_mib(process.pid)
        stop, results = multiprocessing.Event(), multiprocessing.Queue()
        prober = multiprocessing.Process(target=probe, args=(port, stop, results))
        prober.start()
        note = LOADS[name](port, time.monotonic() + SECONDS)
        stop.set()
        times = sorted(results.get(timeout=60))
        prober.join()
        _, peak = machine.memory_mib(process.pid)
        time.sleep(REST_SECONDS)
        after, _ = machine.memory_mib(process.pid)
        p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
        print(f"{name:8} {statistics.median(times):7.2f} {p99:7.2f} {times[-1]:7.2f} ms "
              f"{before:6.0f} {peak:6.0f} {after:6.0f} MiB  {note}", flush=True)
    finally:
        processes.stop(process)


def arguments(description, loads):
    """The command line: `loads`, all if none is named, and `gateway`."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("loads", nargs="*", metavar="LOAD", help=" ".join(loads))
    options.add_argument("--gateway", default=os.path.join(ROOT, ".build", "release", "dragoman"))
    given = options.parse_args()
    if unknown := set(given.loads) - set(loads):
        options.error(f"no such load: {' '.join(sorted(unknown))}; the loads are {' '.join(loads)}")
    given.loads = given.loads or loads
    return given


def main():
    given = arguments(__doc__, LOADS)
    print("load         p50     p99     max     before   peak  after")
    for name in given.loads:
        folder = tempfile.mkdtemp()
        try:
            measure(name, given.gateway, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
