"""Receives webhook requests and checks them with the reference verifier: webhook_oracle.py SECRET COUNT

Requires standardwebhooks from PyPI. Prints `receiver listening on http://…`, answers the first request of each event with
500 and the next with 204, and ends once COUNT events have arrived twice with the same id and body and a valid signature.
Exits with 0, or with 1 and the problems. The verifier must reject a forged copy of each request, otherwise it proves
nothing.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

SECONDS_MAX = 60
DEAD = {"id", "code", "app", "notification_id", "at"}
ENDED = {"id", "app", "template", "notification_id", "delivery_id", "attempts", "at"}
# The members that the data of each type has.
TYPES = {
    "registration.dead": DEAD,
    "activity.dead": DEAD | {"activity_token"},
    "delivery.sent": ENDED | {"message_name"},
    "delivery.failed": ENDED | {"code"},
    "delivery.expired": ENDED,
}
HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Oracle:
    def __init__(self, secret, count):
        self.webhook = Webhook(secret)
        self.count = count
        self.bodies = {}
        self.done = set()
        self.problems = []
        self.lock = threading.Lock()
        self.ended = threading.Event()

    def take(self, headers, body):
        """Checks a request; returns the status of the response."""
        with self.lock:
            try:
                return self.check({name: headers.get(name, "") for name in HEADERS}, body, headers)
            except (AssertionError, WebhookVerificationError, ValueError, KeyError) as problem:
                self.problems.append(f"{type(problem).__name__}: {problem}")
                self.ended.set()
                return 400

    def check(self, signed, body, headers):
        event = self.webhook.verify(body, signed)
        for forged in (body + b" ", body[:-1] + b"]"):
            try:
                self.webhook.verify(forged, signed)
            except WebhookVerificationError:
                continue
            raise AssertionError("the verifier accepts a forged body")
        identity = signed["webhook-id"]
        assert headers.get("content-type") == "application/json", "content type"
        assert "." not in identity and identity, "id"
        assert len(body) < 20_000, "size"
        assert event == json.loads(body), "payload"
        assert set(event) == {"type", "timestamp", "data"}, f"members: {sorted(event)}"
        assert event["type"] == event["data"]["type"] and event["type"] in TYPES, "type"
        assert TYPES[event["type"]] <= set(event["data"]), "data"
        assert len({"token", "fid", "topic", "condition"} & set(event["data"])) == 1, "target"
        if identity not in self.bodies:
            self.bodies[identity] = body
            return 500
        assert self.bodies[identity] == body, "another body under the same id"
        self.done.add(identity)
        if len(self.done) == self.count:
            self.ended.set()
        return 204


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    oracle = Oracle(sys.argv[1], int(sys.argv[2]))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            self.send_response(oracle.take(self.headers, body))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"receiver listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    in_time = oracle.ended.wait(SECONDS_MAX)
    server.shutdown()
    if not in_time:
        oracle.problems.append(f"only {len(oracle.done)} of {oracle.count} events arrived in time")
    for problem in oracle.problems:
        print(f"FAIL {problem}")
    print(f"standardwebhooks: {len(oracle.done)} events verified, {len(oracle.problems)} problems")
    return 1 if oracle.problems else 0


if __name__ == "__main__":
    sys.exit(main())
