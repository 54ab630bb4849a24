"""Measures 100,000 messages at once from HTTP through the disk and HTTP/2 over TLS to a recorded answer.

For comparison, h2load and Google's own client for Python send to the same stand-in, without an HTTP API, a queue or a
record.
"""

import json
import os
import time

from .. import processes
from ..gateway import ROOT, Gateway
from ..load import batch, notification, registration

PART = "through"
MESSAGES = 100_000


def run(bench):
    variants = [
        ("in batches", 100, "fast"),
        ("one a request", 1, "fast"),
        ("in batches, FCM 100 ms", 100, "slow"),
        ("one a request, FCM 100 ms", 1, "slow"),
    ]
    for name, size, project in variants:

        def measure():
            figures = _gateway(bench, bench.binary, name, size, project)
            if name == "one a request":
                # The same message by FCM's own API.
                given = _gateway(bench, bench.binary, f"{name}, given as a whole", size, project, is_given=True)
                ratio = given[CPU][2] / figures[CPU][2]
                figures += given + [(f"{name}, given as a whole / of a template: CPU", "×", ratio, ("≤", 1.05))]
            if takes_turns:
                figures += _gateway(bench, bench.against, f"against: {name}", size, project)
            return figures

        # A slow FCM limits both builds alike.
        takes_turns = bench.against and project == "fast"
        turns = 1 + bool(takes_turns) + (name == "one a request")
        bench.repeat(PART, measure, count=3, seconds_max=45 * turns)
    bench.repeat(PART, lambda: _h2load(bench), count=3, seconds_max=15)
    _firebase(bench)


# The place of the CPU time among the figures of a gateway.
CPU = 2


def _gateway(bench, binary, name, size, project, is_given=False):
    with Gateway(bench, "through", project=project, binary=binary) as gateway:
        # The first messages open the connections to FCM.
        gateway.post("/v1/notifications/batch", batch(200))
        gateway.wait_until_sent(200, 30)
        path, body = ("notifications/batch", batch(size)) if size > 1 else ("notifications", notification())
        headers = []
        if is_given:
            # Answered once it is on disk, as the others are.
            path, body, headers = f"projects/{project}/messages:send", {"message": message()}, ["prefer: wait=0"]
        before, started = gateway.cpu_seconds, time.monotonic()
        accepted = bench.h2load.run(
            f"{gateway.url}/v1/{path}", body, MESSAGES // size, 64 if size == 1 else 16, headers=headers
        )
        gateway.wait_until_sent(200 + MESSAGES, 120)
        seconds = time.monotonic() - started
        cpu = (gateway.cpu_seconds - before) / MESSAGES * 1e6
        _, most = gateway.memory_mib
    return [
        (name, "msg/s", MESSAGES / seconds, None),
        (f"{name}: accepted meanwhile", "notifications/s", accepted * size, None),
        (f"{name}: CPU", "µs/msg", cpu, None),
        (f"{name}: memory at most", "MiB", most, None),
    ]


def message():
    """The message that the gateway sends for `notification()`, so that all senders send the same."""
    key = {"title_loc_key": "welcome_title_plain", "body_loc_key": "new_message_body_n3", "body_loc_args": ["3", "Bob"]}
    alert = {"title": "Welcome!", "body": "You have new messages.", "title-loc-key": "WELCOME_TITLE_PLAIN"}
    alert |= {"loc-key": "NEW_MESSAGE_BODY_n3", "loc-args": ["3", "Bob"]}
    identity = "01993a01-0000-7000-8000-000000000000"
    return {
        "token": registration(0),
        "android": {
            "priority": "high",
            "ttl": "86400s",
            "notification": {"channel_id": "general", "icon": "ic_chat", "tag": identity, **key},
        },
        "apns": {
            "headers": {"apns-priority": "10", "apns-expiration": "1800000000", "apns-collapse-id": identity},
            "payload": {"aps": {"sound": "default", "thread-id": "chat", "alert": alert}},
        },
    }


def _h2load(bench):
    url = f"{bench.stand_in.endpoint}/v1/projects/fast/messages:send"
    rate = bench.h2load.run(url, {"message": message()}, MESSAGES, 4, streams=100, http1=False)
    return [("h2load, sending alone", "msg/s", rate, None)]


def _firebase(bench):
    folder = os.path.join(ROOT, ".build", "benchmarks", "venv")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        processes.run(["python3", "-m", "venv", folder], 120)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "firebase-admin>=7.7,<8"]
    try:
        processes.run(pip, 180)
    except RuntimeError as error:
        return bench.report.note(PART, f"without firebase-admin: {str(error).splitlines()[-1]}")
    environment = dict(os.environ, REQUESTS_CA_BUNDLE=bench.stand_in.certificate)
    script = os.path.join(ROOT, "Benchmarks", "firebase_sender.py")

    def measure():
        output = processes.run([python, script, bench.stand_in.endpoint], 60, env=environment)
        rates = json.loads(output)
        return [
            ("firebase-admin for Python, send_each of 500", "msg/s", rates["send_each"], None),
            ("firebase-admin for Python, send", "msg/s", rates["send"], None),
        ]

    bench.repeat(PART, measure, count=3, seconds_max=40)
