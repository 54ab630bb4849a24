#!/usr/bin/env python3
"""Sends everything that Google's Python library can build to Dragoman's FCM emulator, and checks what arrives.

    pip install firebase-admin==7.7.0 cryptography
    dragoman emulator --listen 127.0.0.1:8085
    python3 Tests/oracles/firebase_admin_oracle.py http://127.0.0.1:8085

Exits with 1 if a check fails, and with 2 if the checks cannot run. Empties the emulator's inbox and faults.
"""

import asyncio
import datetime
import json
import sys
import traceback
import urllib.error
import urllib.request
import warnings

import firebase_admin
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import credentials, exceptions, messaging

PROJECT = "oracle-project"
TOKEN = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1"


class Emulator:
    """A client of the emulator's own endpoints."""

    def __init__(self, base):
        self.base = base.rstrip("/")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)

    def newest(self):
        return self.call("GET", "/inbox?limit=1")["messages"][0]

    def count(self):
        return self.call("GET", "/inbox?limit=0")["count"]

    def clear(self):
        self.call("PUT", "/faults", {"rules": []})
        self.call("DELETE", "/inbox")

    def fault(self, **rule):
        self.call("PUT", "/faults", {"rules": [rule]})


def service_account(base):
    """A key file in Google's format, with a new key and the emulator's token endpoint."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return {
        "type": "service_account",
        "project_id": PROJECT,
        "private_key_id": "0123456789abcdef",
        "private_key": pem.decode(),
        "client_email": f"oracle@{PROJECT}.iam.gserviceaccount.com",
        "client_id": "1234567890",
        "token_uri": base.rstrip("/") + "/token",
        "universe_domain": "googleapis.com",
    }


def equal(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def full_android():
    return messaging.AndroidConfig(
        collapse_key="thread",
        priority="high",
        ttl=datetime.timedelta(seconds=3600, microseconds=500000),
        restricted_package_name="com.example.app",
        data={"k": "v", "empty": ""},
        direct_boot_ok=True,
        bandwidth_constrained_ok=True,
        restricted_satellite_ok=False,
        fcm_options=messaging.AndroidFCMOptions("android_label"),
        notification=messaging.AndroidNotification(
            title="T",
            body="B",
            icon="ic_chat",
            color="#a1B2c3",
            sound="default",
            tag="tag",
            click_action="OPEN",
            body_loc_key="new_message_body",
            body_loc_args=["3", "Bob"],
            title_loc_key="welcome_title",
            title_loc_args=["Alice"],
            channel_id="general",
            image="https://example.com/i.png",
            ticker="ticker",
            sticky=True,
            event_timestamp=datetime.datetime(2026, 11, 21, 12, 0, 0, 123456, datetime.timezone.utc),
            local_only=False,
            priority="max",
            vibrate_timings_millis=[0, 100, 1000, 1500.5],
            default_vibrate_timings=False,
            default_sound=True,
            light_settings=messaging.LightSettings("#aabbcc80", 200, 300),
            default_light_settings=False,
            visibility="private",
            notification_count=3,
            proxy="if_priority_lowered",
        ),
    )


def full_apns():
    return messaging.APNSConfig(
        headers={
            "apns-priority": "10",
            "apns-push-type": "alert",
            "apns-collapse-id": "thread-42",
            "apns-expiration": "0",
        },
        fcm_options=messaging.APNSFCMOptions("apns_label", "https://example.com/i.png"),
        payload=messaging.APNSPayload(
            messaging.Aps(
                alert=messaging.ApsAlert(
                    title="T",
                    subtitle="S",
                    body="B",
                    loc_key="NEW_MESSAGE_BODY",
                    loc_args=["3", "Bob"],
                    title_loc_key="WELCOME_TITLE",
                    title_loc_args=["Alice"],
                    action_loc_key="OPEN",
                    launch_image="launch",
                    custom_data={"subtitle-loc-key": "SUBTITLE", "subtitle-loc-args": ["x"]},
                ),
                badge=0,
                sound=messaging.CriticalSound("alarm.caf", critical=True, volume=0.5),
                content_available=True,
                mutable_content=True,
                category="CHAT",
                thread_id="thread-42",
                custom_data={"interruption-level": "critical", "relevance-score": 0.5},
            ),
            acme={"nested": [1, None, {"deep": True}]},
        ),
    )


def full_webpush():
    return messaging.WebpushConfig(
        headers={"TTL": "15", "Urgency": "high", "Topic": "news"},
        data={"k": "v"},
        fcm_options=messaging.WebpushFCMOptions(link="https://example.com/"),
        notification=messaging.WebpushNotification(
            title="T",
            body="B",
            icon="https://example.com/i.png",
            actions=[messaging.WebpushNotificationAction("a", "Open", icon="https://example.com/a.png")],
            badge="https://example.com/b.png",
            data={"x": [1, 2]},
            direction="rtl",
            image="https://example.com/i.png",
            language="he",
            renotify=True,
            require_interaction=True,
            silent=False,
            tag="tag",
            timestamp_millis=1700000000000,
            vibrate=[100, 200],
            custom_data={"custom": {"y": None}},
        ),
    )


def send_errors():
    """Each of FCM's codes, with the library's exception and the status."""
    return [
        ("UNREGISTERED", messaging.UnregisteredError, 404),
        ("SENDER_ID_MISMATCH", messaging.SenderIdMismatchError, 403),
        ("QUOTA_EXCEEDED", messaging.QuotaExceededError, 429),
        ("THIRD_PARTY_AUTH_ERROR", messaging.ThirdPartyAuthError, 401),
        ("INVALID_ARGUMENT", exceptions.InvalidArgumentError, 400),
        ("BadDeviceToken", exceptions.InvalidArgumentError, 400),
        ("InvalidProviderToken", messaging.ThirdPartyAuthError, 401),
        ("RATE_LIMIT_EXCEEDED", exceptions.ResourceExhaustedError, 429),
        ("IAM_PERMISSION_DENIED", exceptions.PermissionDeniedError, 403),
        # The library tries these five times within seven seconds.
        ("UNAVAILABLE", exceptions.UnavailableError, 503),
        ("INTERNAL", exceptions.InternalError, 500),
    ]


class Oracle:
    def __init__(self, base):
        self.emulator = Emulator(base)
        messaging._MessagingService.FCM_URL = self.emulator.base + "/v1/projects/{0}/messages:send"
        firebase_admin.initialize_app(credentials.Certificate(service_account(base)))

    def send(self, **fields):
        """Sends one message; returns the one that arrived."""
        name = messaging.send(messaging.Message(**fields))
        entry = self.emulator.newest()
        equal(entry["name"], name, "name")
        equal(entry["project"], PROJECT, "project")
        return entry["message"]

    def check_each_target(self):
        equal(self.send(token=TOKEN), {"token": TOKEN}, "token")
        equal(self.send(topic="/topics/news~%.-_"), {"topic": "news~%.-_"}, "topic")
        condition = "'a' in topics && ('b' in topics || !('c' in topics))"
        equal(self.send(condition=condition), {"condition": condition}, "condition")
        equal(self.send(fid="dMk4XyZ1QkW0-_abc"), {"fid": "dMk4XyZ1QkW0-_abc"}, "fid")

    def check_common_fields(self):
        message = self.send(
            token=TOKEN,
            data={"thread": "42", "collapse_key": "x"},
            notification=messaging.Notification("T", "B", "https://example.com/i.png"),
            fcm_options=messaging.FCMOptions("label-1"),
        )
        equal(message["data"], {"thread": "42", "collapse_key": "x"}, "data")
        equal(message["notification"]["image"], "https://example.com/i.png", "image")
        equal(message["fcm_options"], {"analytics_label": "label-1"}, "fcm_options")

    def check_android(self):
        android = self.send(token=TOKEN, android=full_android())["android"]
        equal(android["ttl"], "3600.500000000s", "ttl")
        equal(android["priority"], "high", "priority")
        notification = android["notification"]
        equal(notification["body_loc_args"], ["3", "Bob"], "body_loc_args")
        equal(notification["notification_priority"], "PRIORITY_MAX", "notification_priority")
        equal(notification["visibility"], "PRIVATE", "visibility")
        equal(notification["event_time"], "2026-11-21T12:00:00.123456Z", "event_time")

    def check_apns(self):
        aps = self.send(token=TOKEN, apns=full_apns())["apns"]["payload"]["aps"]
        equal(aps["alert"]["loc-args"], ["3", "Bob"], "loc-args")
        equal(aps["alert"]["subtitle-loc-key"], "SUBTITLE", "subtitle-loc-key")
        equal(aps["sound"], {"name": "alarm.caf", "critical": 1, "volume": 0.5}, "sound")
        equal(aps["content-available"], 1, "content-available")

    def check_apns_background_and_live_activity(self):
        self.send(
            token=TOKEN,
            data={"k": "v"},
            apns=messaging.APNSConfig(
                headers={"apns-priority": "5", "apns-push-type": "background"},
                payload=messaging.APNSPayload(messaging.Aps(content_available=True)),
            ),
        )
        state = {"score": 1}
        message = self.send(
            token=TOKEN,
            apns=messaging.APNSConfig(
                live_activity_token="liveToken",
                headers={"apns-priority": "10"},
                payload=messaging.APNSPayload(
                    messaging.Aps(
                        alert="A",
                        custom_data={
                            "timestamp": 1700000000,
                            "event": "start",
                            "content-state": state,
                            "attributes-type": "Adventure",
                            "attributes": {},
                        },
                    )
                ),
            ),
        )
        equal(message["apns"]["live_activity_token"], "liveToken", "live_activity_token")
        equal(message["apns"]["payload"]["aps"]["content-state"], state, "content-state")
        alert = {
            "title": {"loc-key": "GOAL_TITLE", "loc-args": ["Ada"]},
            "body": {"loc-key": "GOAL_BODY", "loc-args": ["2", "1"]},
            "sound": "default",
        }
        for event, custom in [
            ("start", {"attributes-type": "MatchAttributes", "attributes": {"league": "1"}}),
            ("update", {"stale-date": 1700003600, "relevance-score": 75}),
            ("end", {"dismissal-date": 1700007200}),
        ]:
            aps = {"timestamp": 1700000000, "event": event, "content-state": {"home": 2, "away": 1}, **custom}
            message = self.send(
                token=TOKEN,
                apns=messaging.APNSConfig(
                    live_activity_token="80fd",
                    headers={"apns-priority": "10"},
                    payload=messaging.APNSPayload(
                        messaging.Aps(alert=messaging.ApsAlert(custom_data=alert), custom_data=aps)
                    ),
                ),
            )
            equal(message["apns"]["payload"]["aps"], {"alert": alert, **aps}, f"aps of {event}")

    def check_webpush(self):
        webpush = self.send(token=TOKEN, webpush=full_webpush())["webpush"]
        equal(webpush["notification"]["dir"], "rtl", "dir")
        equal(webpush["notification"]["custom"], {"y": None}, "custom")

    def check_all_platforms_at_once(self):
        message = self.send(
            topic="all", android=full_android(), apns=full_apns(), webpush=full_webpush(),
            notification=messaging.Notification("T"),
        )
        equal(sorted(message), ["android", "apns", "notification", "topic", "webpush"], "parts")

    def check_dry_run(self):
        before = self.emulator.count()
        name = messaging.send(messaging.Message(token=TOKEN), dry_run=True)
        equal(name, f"projects/{PROJECT}/messages/fake_message_id", "name")
        equal(self.emulator.count(), before, "inbox")

    def check_multicast(self):
        tokens = [f"{TOKEN}{number}" for number in range(50)]
        self.emulator.fault(token=tokens[7], error_code="UNREGISTERED")
        multicast = messaging.MulticastMessage(tokens=tokens, data={"k": "v"})
        before = self.emulator.count()
        batch = messaging.send_each_for_multicast(multicast)
        equal((batch.success_count, batch.failure_count), (49, 1), "batch")
        equal(type(batch.responses[7].exception), messaging.UnregisteredError, "error")
        equal(self.emulator.count(), before + 49, "inbox")
        equal(len({r.message_id for r in batch.responses if r.success}), 49, "different names")
        batch = messaging.send_each_for_multicast(messaging.MulticastMessage(fids=["a", "b"]), dry_run=True)
        equal((batch.success_count, batch.failure_count), (2, 0), "fids")

    def check_asynchronous_sending(self):
        messages = [messaging.Message(token=f"{TOKEN}{number}") for number in range(20)]
        batch = asyncio.run(messaging.send_each_async(messages))
        equal((batch.success_count, batch.failure_count), (20, 0), "batch")

    def check_typed_errors(self):
        for code, kind, status in send_errors():
            self.emulator.fault(token=TOKEN + "*", error_code=code)
            try:
                messaging.send(messaging.Message(token=TOKEN))
            except exceptions.FirebaseError as error:
                equal(type(error), kind, f"error of {code}")
                equal(error.http_response.status_code, status, f"status of {code}")
            else:
                raise AssertionError(f"{code}: no error")

    def check_recovery(self):
        self.emulator.fault(status=503, times=2)
        equal(self.send(token=TOKEN), {"token": TOKEN}, "the third attempt")
        self.emulator.fault(error_code="QUOTA_EXCEEDED", retry_after="1", times=1)
        equal(self.send(token=TOKEN), {"token": TOKEN}, "after Retry-After")
        self.emulator.fault(latency="200ms")
        equal(self.send(token=TOKEN), {"token": TOKEN}, "after latency")

    def check_refusals(self):
        """Messages that the library accepts and FCM rejects."""
        refused = {
            "ttl": {"token": TOKEN, "android": messaging.AndroidConfig(ttl=2419201)},
            "data key": {"token": TOKEN, "data": {"from": "x"}},
            "size": {"token": TOKEN, "data": {"k": "x" * 5000}},
            "condition": {"condition": "'a' in topics &&"},
            "topic": {"topic": "x" * 901},
            "apns-priority": {"token": TOKEN, "apns": messaging.APNSConfig(headers={"apns-priority": "7"})},
            "badge": {
                "token": TOKEN,
                "apns": messaging.APNSConfig(
                    payload=messaging.APNSPayload(messaging.Aps(badge=-1))
                ),
            },
        }
        for what, fields in refused.items():
            try:
                messaging.send(messaging.Message(**fields))
            except exceptions.InvalidArgumentError as error:
                equal(error.http_response.status_code, 400, what)
            else:
                raise AssertionError(f"{what}: no error")

    def check_access_tokens(self):
        messaging.send(messaging.Message(topic="x"))
        stats = self.emulator.call("GET", "/stats")
        if stats["token_answers"].get("200", 0) < 1:
            raise AssertionError("no access token was fetched")

    def run(self):
        checks = [getattr(self, name) for name in dir(self) if name.startswith("check_")]
        failures = 0
        for check in checks:
            try:
                self.emulator.clear()
                check()
                print(f"ok   {check.__name__}")
            except Exception:  # A failed check must not stop the others.
                failures += 1
                print(f"FAIL {check.__name__}")
                traceback.print_exc()
        self.emulator.clear()
        print(f"firebase_admin {firebase_admin.__version__}: {len(checks)} checks, {failures} failed")
        return 1 if failures else 0


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    # Registration tokens are deprecated in the library but still in general use.
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        oracle = Oracle(sys.argv[1])
        oracle.emulator.clear()
    except (urllib.error.URLError, OSError) as error:
        print(f"cannot reach the emulator at {sys.argv[1]}: {error}", file=sys.stderr)
        return 2
    return oracle.run()


if __name__ == "__main__":
    sys.exit(main())
