"""Measures how many notifications a second are accepted while event streams are open: none, as many as one client may have
of those who see everything, and as many of a client that may see none of these notifications.
"""

import hashlib
import select
import socket
import threading

from ..gateway import Gateway
from ..load import notification

PART = "streams"
SECONDS = 4
STREAMS = 60


def client(name, scopes):
    return {"name": name, "key_sha256": hashlib.sha256(name.encode()).hexdigest(), "scopes": scopes}


SETTINGS = {
    "apps": {"default": {"rate": "1/s"}},
    "auth": {"clients": [client("sender", ["send"]), client("admin", ["admin"]), client("other", ["read"])]},
}


def run(bench):
    """With `bench.against`, the two executables take turns, so that both meet the same machine."""

    def measure():
        figures = _measure(bench, bench.binary, "")
        if bench.against:
            figures += _measure(bench, bench.against, "against: ")
        return figures

    bench.repeat(PART, measure, count=3, seconds_max=60 * (2 if bench.against else 1))


def _measure(bench, binary, prefix):
    figures = []
    for name, key in (("no stream", None), (f"{STREAMS} that see all", "admin"), (f"{STREAMS} that see none", "other")):
        with Gateway(bench, "streams", settings=SETTINGS, binary=binary) as gateway:
            readers = Readers(gateway.port, key) if key else None
            before = gateway.cpu_seconds
            rate, bad = bench.wrk.run(
                f"{gateway.url}/v1/notifications", notification(), seconds=SECONDS, headers={"Authorization": "Bearer sender"}
            )
            cpu = gateway.cpu_seconds - before
            if readers:
                readers.stop()
        if bad:
            raise RuntimeError(f"{bad} requests were not accepted")
        figures.append((f"{prefix}accepted, {name}", "req/s", rate, None))
        figures.append((f"{prefix}accepted, {name}, CPU", "µs", cpu / (rate * SECONDS) * 1e6, None))
    return figures


class Readers:
    """Streams that a thread reads and forgets."""

    def __init__(self, port, key):
        self.stopping = False
        self.sockets = []
        for _ in range(STREAMS):
            connection = socket.create_connection(("127.0.0.1", port))
            connection.sendall(f"GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
            if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
                raise RuntimeError("a stream was refused")
            self.sockets.append(connection)
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        poll = select.epoll()
        for connection in self.sockets:
            poll.register(connection, select.EPOLLIN)
        by_number = {connection.fileno(): connection for connection in self.sockets}
        while not self.stopping:
            for number, _ in poll.poll(0.1):
                if not by_number[number].recv(1 << 20):
                    poll.unregister(number)

    def stop(self):
        self.stopping = True
        self.thread.join()
        for connection in self.sockets:
            connection.close()
