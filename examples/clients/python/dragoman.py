"""A small Dragoman client in plain Python 3.9+: copy it into your service.

    client = Dragoman("http://127.0.0.1:8080", key=None)
    sent = client.send("welcome", {"token": "alice-phone"}, {"name": "Alice"}, idempotency_key="signup-4711")
    print(client.wait(sent["id"])["status"])
"""
from __future__ import annotations

import http.client
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, TypedDict, Union, cast

Args = dict[str, Union[str, int, float, bool]]
FINAL = {"sent", "failed", "expired", "cancelled", "partial"}
#: Statuses that pass by themselves: of Dragoman, or of a proxy that does not reach it.
TEMPORARY = {429, 502, 503, 504}


class Delivery(TypedDict, total=False):
    id: str
    target: dict[str, str]
    status: str
    attempts: int
    next_attempt_at: str
    message_name: str
    error: dict[str, Any]
    attempt_log: list[dict[str, Any]]
    message: dict[str, Any]
    updated_at: str


class Notification(TypedDict, total=False):
    id: str
    app: str
    template: str
    status: str
    created_at: str
    client: str
    deliveries: list[Delivery]


class Recipient(TypedDict, total=False):
    """What you know about the devices of the targets; it decides who renders the texts."""

    platform: str  # android, ios or web
    app_version: str
    locale: Union[str, list[str]]  # a BCP 47 tag, or all of the user's languages in order
    time_zone: str  # an IANA name; UTC by default


class Problem(Exception):
    """An error that Dragoman returned: `type` is the kind of problem, and `errors` lists every mistake."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: int | None):
        super().__init__(f"{status} {body.get('title')}: {body.get('detail')} {body.get('errors', '')}")
        self.status, self.type, self.errors = status, body.get("type"), body.get("errors", [])
        self.retry_after = retry_after


class Dragoman:
    def __init__(self, url: str, key: str | None = None, *, timeout: float = 10, tries: int = 5):
        self.url, self.key, self.timeout, self.tries = url.rstrip("/"), key, timeout, tries

    def send(self, template: str, to: dict[str, Any], args: Args | None = None, *,
             recipient: Recipient | None = None, idempotency_key: str | None = None,
             **settings: Any) -> Notification:
        """Sends exactly one notification, even if it retries. `settings`: render, data, ttl, priority, send_at…
        A topic that the catalog has by language becomes a delivery to the topic of each language."""
        known = {"recipient": recipient} if recipient else {}
        body = {"template": template, "to": to, "args": args or {}, **known, **settings}
        return self._ask("POST", "/v1/notifications", body, idempotency_key or str(uuid.uuid4()))

    def show(self, id: str) -> Notification:
        return self._ask("GET", f"/v1/notifications/{urllib.parse.quote(id, safe='')}")

    def cancel(self, id: str) -> Notification:
        return self._ask("DELETE", f"/v1/notifications/{urllib.parse.quote(id, safe='')}")

    def wait(self, id: str, seconds: float = 30) -> Notification:
        """Returns the notification once all of its deliveries are final, or as it is after `seconds`."""
        deadline = time.monotonic() + seconds
        while (found := self.show(id))["status"] not in FINAL and time.monotonic() < deadline:
            time.sleep(0.2)
        return found

    def _ask(self, method: str, path: str, body: Any = None, idempotency_key: str | None = None) -> Notification:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers |= {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        data = json.dumps(body).encode() if body is not None else None
        for left in reversed(range(self.tries)):
            wait = "1"
            try:
                request = urllib.request.Request(self.url + path, data, headers, method=method)
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    return cast(Notification, json.load(answer))
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After") or ""
                is_ours = error.headers.get_content_type() == "application/problem+json"  # Otherwise, a proxy's page.
                problem = json.load(error) if is_ours else {"title": error.reason}
                is_temporary = error.code in TEMPORARY or problem.get("type") == "/problems/idempotency-conflict"
                if not is_temporary or not left:
                    raise Problem(error.code, problem, int(wait) if wait.isdigit() else None) from None
            except (OSError, http.client.HTTPException):  # No answer; the idempotency key makes a retry safe.
                if not left:
                    raise
            time.sleep(int(wait) if wait.isdigit() else 1)
        raise ValueError("tries must be at least 1")


if __name__ == "__main__":
    dragoman = Dragoman(*sys.argv[1:3])
    print(dragoman.wait(dragoman.send("welcome", {"token": "alice-phone"}, {"name": "Alice"})["id"])["status"])
