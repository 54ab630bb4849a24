"""Exercises the Python client against `dragoman dev` for scripts/run-oracle: clients_oracle.py GATEWAY EMULATOR"""

import json
import socketserver
import sys
import threading
import time
import urllib.request
from typing import Any

from dragoman import Dragoman, Problem


def expect(holds: bool, what: object) -> None:
    if not holds:
        sys.exit(f"FAILED: {what}")


def survives(first_answer: bytes) -> bool:
    """Whether the client sends the same request again after a bad first answer, and then takes the good one."""
    accepted = b'{"id":"x","status":"queued"}'
    answers = [first_answer, b"HTTP/1.1 202 Accepted\r\nContent-Length: %d\r\n\r\n" % len(accepted) + accepted]
    keys: list[bytes] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            head = {name.lower(): value for name, _, value in (
                line.partition(b": ") for line in iter(lambda: self.rfile.readline().rstrip(), b""))}
            self.rfile.read(int(head[b"content-length"]))
            keys.append(head[b"idempotency-key"])
            self.wfile.write(answers.pop(0))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            client = Dragoman(f"http://127.0.0.1:{server.server_address[1]}")
            return client.send("welcome", {"token": "t"})["id"] == "x" and len(set(keys)) == 1
        finally:
            server.shutdown()


def main(gateway: str, emulator: str) -> None:
    client = Dragoman(gateway)
    to, args = {"token": "bob-phone"}, {"name": "Bob"}
    sent = client.send("welcome", to, {**args}, idempotency_key="python-once")
    again = client.send("welcome", to, {**args}, idempotency_key="python-once")
    expect(sent["id"] == again["id"], "one key created two notifications")
    expect(client.wait(sent["id"])["status"] == "sent", "the notification was not sent")
    expect(client.show(sent["id"])["deliveries"][0]["attempts"] == 1, "the notification was not sent in one attempt")

    ahead = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    scheduled = client.send("welcome", to, {**args}, send_at=ahead, priority="normal")
    expect(client.cancel(scheduled["id"])["status"] == "cancelled", "the notification was not cancelled")

    texts = client.send("welcome", to, {**args}, recipient={"platform": "android", "locale": "fr"}, render="gateway")
    client.wait(texts["id"])
    with urllib.request.urlopen(f"{emulator}/inbox?limit=1", timeout=10) as answer:
        message = json.load(answer)["messages"][0]["message"]
    expect(message["android"]["notification"]["title"] == "Bienvenue, Bob!", message)

    rules: dict[str, Any] = {"rules": [{"token": "lost", "status": 404, "error_code": "UNREGISTERED"}]}
    request = urllib.request.Request(f"{emulator}/faults", json.dumps(rules).encode(), method="PUT")
    with urllib.request.urlopen(request, timeout=10):
        pass
    failed = client.wait(client.send("welcome", {"token": "lost"}, {**args})["id"])
    expect(failed["deliveries"][0]["error"]["code"] == "UNREGISTERED", failed)

    conflict = b'{"type": "/problems/idempotency-conflict", "title": "x", "detail": "x"}'
    for answer_bytes in [
        b"", b"HTTP/1.1 202 Accepted\r\nContent-Length: 50\r\n\r\n{", b"HTTP/1.1 502 Bad Gateway\r\n\r\n<html>",
        b"HTTP/1.1 503 Busy\r\nRetry-After: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\n\r\n" % len(conflict)
        + conflict,
    ]:
        expect(survives(answer_bytes), answer_bytes)

    try:
        client.send("welcome", to, {"nme": "B"})
        sys.exit("FAILED: the invalid request was not rejected")
    except Problem as problem:
        expect(problem.status == 422 and bool(problem.errors), problem)
    try:
        Dragoman("http://127.0.0.1:9", tries=1).show("x")
        sys.exit("FAILED: without a server, the client raised no error")
    except OSError:
        pass
    print("The Python client sends, waits, cancels and reports rejected requests")


main(*sys.argv[1:3])
