"""Measures 1,000 messages a second to an FCM that takes 100 to 300 ms: how long a caller waits for the 202, and how
long it takes from there until FCM has accepted the message, less FCM's own time. Then it measures a few callers who
send one request after the other: a commit that waited for others would only delay them."""

import datetime
import json
import re

from .. import processes
from ..gateway import Gateway
from ..load import notification, open_loop, percentile, request_bytes

PART = "latency"
PER_SECOND = 1000
SECONDS = 15


def run(bench):
    bench.repeat(PART, lambda: _measure(bench), count=3, seconds_max=75)
    bench.repeat(PART, lambda: _few_callers(bench), count=3, seconds_max=60 * (2 if bench.against else 1))


def _few_callers(bench):
    """With `bench.against`, the two executables take turns."""
    builds = [(bench.binary, "")] + ([(bench.against, "against: ")] if bench.against else [])
    figures = []
    for callers in [1, 2, 4]:
        for binary, prefix in builds:
            with Gateway(bench, "latency", binary=binary) as gateway:
                url = f"{gateway.url}/v1/notifications"
                bench.wrk.run(url, notification(), connections=callers, seconds=1)
                rate, bad = bench.wrk.run(url, notification(), connections=callers, seconds=3)
            if bad:
                raise RuntimeError(f"{bad} requests were not accepted")
            words = "one caller" if callers == 1 else f"{callers} callers"
            figures.append((f"{prefix}{words}, one request after the other", "req/s", rate, None))
    return figures


def _measure(bench):
    processes.remove(bench.stand_in.arrivals + ".read")
    with Gateway(bench, "latency", project="varied") as gateway:
        warm_up = [request_bytes("/v1/notifications", notification(0)) for _ in range(500)]
        open_loop(gateway.port, warm_up, 500)
        gateway.wait_until_sent(500, 30)
        requests = [
            request_bytes("/v1/notifications", notification(number % 1000)) for number in range(PER_SECOND * SECONDS)
        ]
        before = gateway.cpu_seconds
        answers = open_loop(gateway.port, requests, PER_SECOND)
        gateway.wait_until_sent(500 + len(requests), 30)
        cpu = gateway.cpu_seconds - before
        if any(answer.status != 202 for answer in answers):
            raise RuntimeError("not all requests were accepted")
        deliveries = [json.loads(answer.body)["deliveries"][0]["id"] for answer in answers]
        sent = _from_accept_to_sent(gateway, len(requests))
    own = _fcm_seconds(bench.stand_in.arrivals)
    accept = [answer.seconds * 1000 for answer in answers]
    over = [sent[delivery] - own[delivery] * 1000 for delivery in deliveries]
    whole = [sent[delivery] for delivery in deliveries]
    return [
        ("accept p50", "ms", percentile(accept, 0.5), None),
        ("accept p99", "ms", percentile(accept, 0.99), ("≤", 2)),
        ("accept p99.9", "ms", percentile(accept, 0.999), None),
        ("accept to sent p50", "ms", percentile(whole, 0.5), None),
        ("accept to sent over FCM's own p50", "ms", percentile(over, 0.5), ("≤", 5)),
        ("accept to sent over FCM's own p99", "ms", percentile(over, 0.99), None),
        ("accept to sent over FCM's own p99.9", "ms", percentile(over, 0.999), None),
        ("CPU of one core", "%", cpu / SECONDS * 100, None),
    ]


def _from_accept_to_sent(gateway, count):
    """Milliseconds by delivery, between the two times that the API reports."""
    milliseconds = {}
    path = "/v1/notifications?status=sent&limit=1000"
    while len(milliseconds) < count:
        page = gateway.get(path)
        for found in page["notifications"]:
            for delivery in found["deliveries"]:
                took = _moment(delivery["updated_at"]) - _moment(found["created_at"])
                milliseconds[delivery["id"]] = took.total_seconds() * 1000
        if not page.get("next_cursor"):
            break
        path = f"/v1/notifications?status=sent&limit=1000&cursor={page['next_cursor']}"
    return milliseconds


def _moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _fcm_seconds(log):
    """The time that the stand-in took, by delivery; the message's tag is the delivery's id."""
    seconds = {}
    with open(log) as lines:
        for line in lines:
            if tag := re.search(r'"tag":"([0-9a-f-]{36})"', line):
                seconds[tag.group(1)] = float(line.split(" ", 2)[1])
    return seconds
