#!/usr/bin/env python3
"""Runs Google's own clients against FCM's API of a gateway, message by message beside a direct send to the emulator.

    dragoman dev --listen 127.0.0.1:8080 --emulator-listen 127.0.0.1:8085
    python3 Tests/oracles/raw_messages_oracle.py http://127.0.0.1:8080 http://127.0.0.1:8085

The same code sends to both addresses, as docs/calling-fcm-today.md describes. Exits with 1 if a check fails.
"""

import datetime
import json
import sys
import time
import urllib.request
import warnings

import firebase_admin
from firebase_admin import credentials, exceptions, messaging
from google.auth.credentials import Credentials
from google.auth.transport.requests import AuthorizedSession

PROJECT = "dragoman-dev"
# FCM's newer name for a registration is the fid; callers still have tokens.
warnings.simplefilter("ignore", DeprecationWarning)


class Key(Credentials):
    """A key of the gateway, or the emulator's `owner`: google-auth asks for it again after a 401."""

    def refresh(self, request):
        self.token = "owner"


class KeyCredential(credentials.Base):
    def get_credential(self):
        return Key()


def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def equal(actual, expected, what):
    if actual != expected:
        sys.exit(f"FAILED: {what}: expected {expected!r}, got {actual!r}")


def app(base):
    """The one setting that a caller changes is the address."""
    messaging._MessagingService.FCM_URL = base + "/v1/projects/{0}/messages:send"
    return firebase_admin.initialize_app(KeyCredential(), {"projectId": PROJECT}, name=base)


def messages():
    return [
        messaging.Message(token="data", data={"screen": "home", "é": "☃"}),
        messaging.Message(topic="news", notification=messaging.Notification(title="T", body="B", image="https://x/y.png")),
        messaging.Message(condition="'a' in topics && !('b' in topics)", data={"a": "b"}),
        messaging.Message(fid="dUsxpgjyRxW-hLQ3zEpGhf", fcm_options=messaging.FCMOptions(analytics_label="l")),
        messaging.Message(
            token="all",
            data={"k": "v"},
            android=messaging.AndroidConfig(
                collapse_key="c", priority="high", ttl=datetime.timedelta(hours=1), restricted_package_name="p.q",
                notification=messaging.AndroidNotification(
                    title_loc_key="welcome_title", title_loc_args=["Alice"], body_loc_key="new_message_body",
                    body_loc_args=["3", "Bob"], color="#112233", tag="own", vibrate_timings_millis=[100, 200],
                    event_timestamp=datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc),
                    light_settings=messaging.LightSettings("#112233", 100, 200), visibility="public",
                ),
            ),
            apns=messaging.APNSConfig(
                headers={"apns-priority": "10", "apns-collapse-id": "own"},
                payload=messaging.APNSPayload(
                    aps=messaging.Aps(
                        alert=messaging.ApsAlert(
                            title_loc_key="WELCOME_TITLE", title_loc_args=["Alice"], loc_key="NEW_MESSAGE_BODY",
                            loc_args=["3", "Bob"],
                        ),
                        badge=0, sound="default", thread_id="t", custom_data={"interruption-level": "active"},
                    ),
                    screen="home",
                ),
            ),
            webpush=messaging.WebpushConfig(
                headers={"TTL": "3600"}, notification=messaging.WebpushNotification("T", "B", icon="https://x/i.png"),
                fcm_options=messaging.WebpushFCMOptions(link="https://x/"),
            ),
        ),
    ]


def plain(message):
    """A message without what the gateway adds: an identity on the device, and the ttl that is left."""
    message = json.loads(json.dumps(message))
    android, apns = message.get("android", {}), message.get("apns", {})
    tag = android.get("notification", {}).get("tag", "")
    if len(tag) == 36:
        del android["notification"]["tag"]
    if len(apns.get("headers", {}).get("apns-collapse-id", "")) == 36:
        del apns["headers"]["apns-collapse-id"]
    for parent, names in ((android, ["notification"]), (apns, ["headers"]), (message, ["android", "apns"])):
        for name in names:
            if parent.get(name) == {}:
                del parent[name]
    if android.get("ttl") in ("3600s", "3599s", "3598s"):
        android["ttl"] = "3600s"
    headers = message.get("webpush", {}).get("headers", {})
    if headers.get("TTL") in ("3600", "3599", "3598"):
        headers["TTL"] = "3600"
    return message


def sent(emulator, app):
    """What arrives, and the names that FCM gave."""
    call("DELETE", emulator + "/inbox")
    names = [messaging.send(message, app=app) for message in messages()]
    inbox = call("GET", emulator + "/inbox")["messages"][::-1]
    equal([entry["name"] for entry in inbox], names, "names")
    return [plain(entry["message"]) for entry in inbox]


def error(app, token, dry_run=False):
    try:
        return messaging.send(messaging.Message(token=token), dry_run=dry_run, app=app)
    except exceptions.FirebaseError as caught:
        return type(caught).__name__, caught.code, str(caught), caught.http_response.status_code


FAULTS = [
    {"token": "gone*", "error_code": "UNREGISTERED"},
    {"token": "foreign", "error_code": "SENDER_ID_MISMATCH"},
    {"token": "bad", "status": 400, "error_code": "INVALID_ARGUMENT"},
    {"token": "apns", "error_code": "THIRD_PARTY_AUTH_ERROR"},
    {"token": "busy", "status": 503, "error_code": "UNAVAILABLE", "times": 1},
]


def main(gateway, emulator):
    direct, through = app(emulator), app(gateway)

    def each(check):
        results = []
        for base, client in ((emulator, direct), (gateway, through)):
            messaging._MessagingService.FCM_URL = base + "/v1/projects/{0}/messages:send"
            results.append(check(client))
        return results

    beside, of_gateway = each(lambda client: sent(emulator, client))
    equal(of_gateway, beside, "messages")

    call("PUT", emulator + "/faults", {"rules": FAULTS})
    for token in ("gone", "foreign", "bad", "apns"):
        beside, of_gateway = each(lambda client, token=token: error(client, token))
        equal(of_gateway, beside, f"the error for {token}")
        beside, of_gateway = each(lambda client, token=token: error(client, token, dry_run=True))
        equal(of_gateway, beside, f"the error of a dry run for {token}")
    if not isinstance(each(lambda client: error(client, "fine", dry_run=True))[1], str):
        sys.exit("FAILED: a dry run")

    def dead(client):
        batch = messaging.send_each_for_multicast(
            messaging.MulticastMessage(tokens=["a", "gone-1", "b"], data={"x": "y"}), app=client)
        return [(one.success, type(one.exception).__name__) for one in batch.responses]

    beside, of_gateway = each(dead)
    equal(of_gateway, beside, "multicast")
    equal(of_gateway[1], (False, "UnregisteredError"), "multicast to a dead registration")
    batch = messaging.send_each([messaging.Message(token=f"t{n}") for n in range(50)], app=through)
    equal((batch.success_count, batch.failure_count), (50, 0), "send_each")

    # The gateway tries again by itself what the SDK would have tried again.
    session = AuthorizedSession(Key())
    answer = session.post(
        f"{gateway}/v1/projects/{PROJECT}/messages:send", json={"message": {"token": "busy"}},
        headers={"Prefer": "wait=1", "Idempotency-Key": "k"})
    equal((answer.status_code, answer.headers["Preference-Applied"]), (200, "wait=1"), "a session while FCM is away")
    equal(call("GET", emulator + "/inbox?token=busy")["count"], 0, "inbox")
    notification = answer.headers["Dragoman-Notification"]
    deadline = time.monotonic() + 60
    while call("GET", f"{gateway}/v1/notifications/{notification}")["status"] != "sent":
        if time.monotonic() > deadline:
            sys.exit("FAILED: the gateway did not try again")
        time.sleep(0.2)
    again = session.post(
        f"{gateway}/v1/projects/{PROJECT}/messages:send", json={"message": {"token": "busy"}},
        headers={"Idempotency-Key": "k"})
    equal(again.json()["name"], call("GET", emulator + "/inbox?token=busy")["messages"][0]["name"], "a repeat")
    # The emulator takes the same request, with the same headers.
    same = session.post(
        f"{emulator}/v1/projects/{PROJECT}/messages:send", json={"message": {"token": "same"}},
        headers={"Prefer": "wait=1", "Idempotency-Key": "k"})
    equal(same.status_code, 200, "the emulator")
    call("PUT", emulator + "/faults", {"rules": []})
    print("firebase-admin and google-auth get through the gateway what they get from the emulator")


main(*(base.rstrip("/") for base in sys.argv[1:3]))
