"""Measures what a message costs at a low and steady load, from HTTP to its recorded outcome, with one a request.

Under full load a message shares its commits, wake-ups and system calls with many others. At the rates that most
gateways see, it has nearly all of them to itself. Caches are cold after each wake-up; nginx as a relay shows what that
costs any program here, and fio what it takes to write and sync each message.
"""

import time

from .. import machine, synced_writes
from ..gateway import Gateway
from ..load import notification, open_loop, request_bytes
from ..relay import Relay

PART = "cost"
# Messages a second, for how many seconds, and how many KB each message may write at most.
RATES = [(20, 10, 24), (200, 6, 17), (1000, 5, 12)]


def run(bench):
    """With `bench.against`, the two executables take turns, so that both meet the same machine."""
    builds = [(bench.binary, "")] + ([(bench.against, "against: ")] if bench.against else [])
    for rate, seconds, bytes_goal in RATES:
        def measure():
            figures = []
            for binary, prefix in builds:
                goal = ("≤", bytes_goal) if binary == bench.binary else None
                figures += _measure(bench, binary, prefix, rate, seconds, goal)
            relay = _relay(bench, rate, seconds)
            synced = synced_writes.cpu_seconds(bench, rate, seconds) * 1e6
            name = f"{rate:,} a second"
            return figures + [
                (f"{name}: nginx as a relay to FCM, CPU", "µs/msg", relay, None),
                (f"{name}: fio's synced write, CPU", "µs", synced, None),
                (f"{name}: CPU / relay and synced write", "×", figures[0][2] / (relay + synced), None),
            ]

        bench.repeat(PART, measure, count=3, seconds_max=3.5 * (seconds + 2) * (len(builds) + 2))


def _relay(bench, rate, seconds):
    """CPU time of nginx for a request at this rate, in µs."""
    with Relay(bench) as relay:
        open_loop(relay.port, [request_bytes("/", notification(number)) for number in range(200)], 400, connections=8)
        count = rate * seconds
        requests = [request_bytes("/", notification(number % 1000)) for number in range(count)]
        before = machine.Cost(relay.pid)
        answers = open_loop(relay.port, requests, rate, connections=8)
        cost = machine.Cost(relay.pid).since(before, count)
    if any(answer.status != 200 for answer in answers):
        raise RuntimeError("not all requests were relayed")
    return cost["cpu"] * 1e6


def _measure(bench, binary, prefix, rate, seconds, bytes_goal):
    with Gateway(bench, "cost", binary=binary) as gateway:
        # The first messages open the connections to FCM and give each table its first pages.
        warm_up = [request_bytes("/v1/notifications", notification(number)) for number in range(200)]
        open_loop(gateway.port, warm_up, 400, connections=8)
        gateway.wait_until_sent(len(warm_up), 30)
        count = rate * seconds
        requests = [request_bytes("/v1/notifications", notification(number % 1000)) for number in range(count)]
        before = machine.Cost(gateway.pid)
        with machine.Instructions(gateway.pid) as instructions:
            answers = open_loop(gateway.port, requests, rate, connections=8)
            # The last outcomes are recorded while nobody asks for them, which would cost something too.
            time.sleep(0.25)
        cost = machine.Cost(gateway.pid).since(before, count)
        if any(answer.status != 202 for answer in answers):
            raise RuntimeError("not all requests were accepted")
        gateway.wait_until_sent(len(warm_up) + count, 30)
    name = f"{prefix}{rate:,} a second"
    figures = [
        (f"{name}: CPU", "µs/msg", cost["cpu"] * 1e6, None),
        (f"{name}: written to disk", "KB/msg", cost["write_bytes"] / 1e3, bytes_goal),
        (f"{name}: written to files and sockets", "KB/msg", cost["wchar"] / 1e3, None),
        (f"{name}: system calls that write", "calls/msg", cost["syscw"], None),
        (f"{name}: wake-ups", "times/msg", cost["wake_ups"], None),
    ]
    if instructions.count:
        figures.append((f"{name}: instructions in user space", "thousand/msg", instructions.count / count / 1e3, None))
    return figures
