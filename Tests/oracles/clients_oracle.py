"""Exercises the Python client against `dragoman dev` for scripts/run-oracle: clients_oracle.py GATEWAY EMULATOR"""

import json
import sys
import time
import urllib.request
from typing import Any

from dragoman import Dragoman, Problem


def expect(holds: bool, what: object) -> None:
    if not holds:
        sys.exit(f"FAILED: {what}")


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
