"""Load generators and the requests that they send."""

import collections
import json
import os
import random
import re
import select
import socket
import string
import threading
import time

from . import processes


def registration(number):
    """A registration token as long as FCM's, always the same for the same number."""
    letters = random.Random(number).choices(string.ascii_letters + string.digits + "-_", k=140)
    return "".join(letters[:22]) + ":" + "".join(letters[22:])


# Messages of one template differ in their args, by which a queue may store them.
SENDERS = ["Bob", "Alice Johnson", "Zoë", "María José Carreño", "田中 さくら", "Dr. O'Connor", "Ömer", "Bartholomew J. Quimby"]


def notification(number=0, **members):
    return {
        "template": "new_message",
        "to": {"token": registration(number)},
        "args": {"count": 3 + number % 90, "sender": SENDERS[number % len(SENDERS)]},
        **members,
    }


def batch(count, **members):
    return {"notifications": [notification(number, **members) for number in range(count)]}


class Wrk:
    """wrk with a constant POST; closed loop."""

    def __init__(self, folder):
        self.script = os.path.join(folder, "post.lua")

    def run(self, url, body, connections=64, seconds=5, headers=None):
        """Requests a second, and the number of answers other than 2xx."""
        text = json.dumps(body)
        with open(self.script, "w") as file:
            file.write('wrk.method = "POST"\n')
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                file.write(f'wrk.headers["{name}"] = "{value}"\n')
            file.write(f"wrk.body = [=[{text}]=]\n")
        output = processes.run(
            ["wrk", f"-t{min(2, connections)}", f"-c{connections}", f"-d{seconds}s", "-s", self.script, url], seconds + 30
        )
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
        bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
        return rate, int(bad.group(1)) if bad else 0


class H2Load:
    """h2load with a constant POST and a fixed number of requests."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, url, body, requests, connections, streams=1, http1=True, seconds_max=120, headers=()):
        """Requests a second."""
        # Several may run at the same time.
        path = os.path.join(self.folder, f"body-{threading.get_ident()}.json")
        with open(path, "w") as file:
            json.dump(body, file)
        command = ["h2load", "-n", str(requests), "-c", str(connections), "-m", str(streams), "-d", path]
        for header in ["content-type: application/json", *headers]:
            command += ["-H", header]
        command += ["--h1"] if http1 else []
        output = processes.run(command + [url], seconds_max)
        succeeded = int(re.search(r"(\d+) succeeded", output).group(1))
        good = int(re.search(r"status codes: (\d+) 2xx", output).group(1))
        if good != requests or succeeded != requests:
            raise RuntimeError(f"h2load: {good} of {requests} requests were answered with 2xx\n{output}")
        return float(re.search(r"([\d.]+) req/s", output).group(1))


def request_bytes(path, body):
    text = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


class Answer:
    """One request of an open loop: its scheduled time, the time of its answer, and the answer."""

    __slots__ = ("intended", "answered", "status", "body")

    def __init__(self, intended):
        self.intended = intended
        self.answered = self.status = self.body = None

    @property
    def seconds(self):
        return self.answered - self.intended


def open_loop(port, requests, per_second, connections=64):
    """Sends each request at its scheduled time, regardless of earlier ones, and measures from that time, so that a
    server that stops answering cannot hide the requests that it delays (coordinated omission)."""
    idle = collections.deque()
    for _ in range(connections):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        idle.append(connection)
    every = list(idle)
    gaps = random.Random(1)
    answers, busy, waiting = [], {}, 0
    moment = time.monotonic() + 0.05
    pending = []
    while waiting < len(requests) or busy or pending:
        now = time.monotonic()
        while waiting < len(requests) and moment <= now:
            answer = Answer(moment)
            answers.append(answer)
            pending.append((answer, requests[waiting]))
            waiting += 1
            moment += gaps.expovariate(per_second)
        while pending and idle:
            answer, data = pending.pop(0)
            # In turns: the server would close an unused connection before its first request, as it closes slow ones.
            connection = idle.popleft()
            connection.sendall(data)
            busy[connection] = (answer, bytearray())
        pause = max(0.0, moment - time.monotonic()) if waiting < len(requests) else 1.0
        for connection in select.select(list(busy), [], [], pause)[0]:
            answer, received = busy[connection]
            data = connection.recv(65536)
            if not data:
                raise RuntimeError("the gateway closed a connection")
            received += data
            if _take(answer, received):
                del busy[connection]
                idle.append(connection)
    for connection in every:
        connection.close()
    return answers


def _take(answer, received):
    """Whether the answer is complete."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return False
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", received[: end + 2])
    if len(received) < end + 4 + int(length.group(1)):
        return False
    answer.answered = time.monotonic()
    answer.status = int(received[9:12])
    answer.body = bytes(received[end + 4 :])
    return True


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
