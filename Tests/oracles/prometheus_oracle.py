"""Evaluates the alerts, recording rules and the dashboard in Prometheus against a running gateway:

  prometheus_oracle.py GATEWAY EMULATOR

Prometheus, from PATH, runs with deploy/compose/prometheus.yml and the unmodified rules; only the gateway's address and the
intervals are replaced. Every rule must be evaluated without an error, and every expression of the dashboard must return
data, except for those in WITHOUT_DATA. The gateway has already sent one notification; this script makes another one fail.
"""

import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/deploy"))
import metrics_in_use  # noqa: E402

SECONDS_MAX = 60
SAMPLES_NEEDED = 5
# A gateway that sends to the emulator has no access token, and this one has no webhook.
WITHOUT_DATA = {"Access token is valid for", "Webhook"}


def ask(address, path, **query):
    url = f"http://{address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as refusal:
        raise SystemExit(f"FAILED: {query}: {refusal.read().decode()}") from None


def fail_one(gateway, emulator):
    """Sends a notification that fails."""
    def call(method, url, body):
        request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
        urllib.request.urlopen(request, timeout=10).close()

    call("PUT", f"{emulator}/faults", {"rules": [{"token": "gone", "status": 404, "error_code": "UNREGISTERED"}]})
    call("POST", f"{gateway}/v1/notifications", {"template": "welcome", "to": {"token": "gone"}, "args": {"name": "A"}})


def configure(folder, gateway):
    """Writes the configuration of the compose file, with another target and shorter intervals."""
    text = (ROOT / "deploy/compose/prometheus.yml").read_text()
    for old, new in [("gateway:8080", gateway), ("/etc/prometheus/rules", str(ROOT / "deploy/prometheus")),
                     ("interval: 15s", "interval: 1s")]:
        if old not in text:
            raise SystemExit(f"FAILED: deploy/compose/prometheus.yml does not have {old}")
        text = text.replace(old, new)
    (folder / "prometheus.yml").write_text(text)


def wait_until(what, holds):
    deadline = time.monotonic() + SECONDS_MAX
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED: {what}")
        time.sleep(0.1)


def is_ready(address):
    try:
        with urllib.request.urlopen(f"http://{address}/-/ready", timeout=5):
            return True
    except OSError:
        return False


def problems(address, app):
    rules = [rule for group in ask(address, "rules")["groups"] for rule in group["rules"]]
    for rule in rules:
        if rule["health"] != "ok":
            yield f"{rule['name']}: {rule['health']}: {rule.get('lastError')}"
        if rule.get("state") == "firing":
            yield f"{rule['name']} fires for a healthy gateway"
    found, dashboard = metrics_in_use.expressions()
    empty = set()
    for where, expression in found:
        text = expression.replace("$__rate_interval", "5m").replace("$app", app)
        is_alert = any(rule["name"] == where and rule["type"] == "alerting" for rule in rules)
        if not ask(address, "query", query=text)["result"] and not is_alert:
            empty.add(where)
    if empty != WITHOUT_DATA:
        yield f"without data: {sorted(empty - WITHOUT_DATA)}; with, unexpectedly: {sorted(WITHOUT_DATA - empty)}"
    if app not in ask(address, "label/app/values"):
        yield f"the dashboard's list of apps does not have {app}"
    print(f"Prometheus evaluates {len(rules)} rules and answers {len(found)} expressions")


def main():
    gateway = sys.argv[1].removeprefix("http://")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        configure(folder, gateway)
        for port in range(19390, 19400):
            address = f"127.0.0.1:{port}"
            with open(folder / "log", "w") as log:
                prometheus = subprocess.Popen(
                    ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                     f"--web.listen-address={address}"], stdout=log, stderr=log)
            wait_until("Prometheus is not ready", lambda: prometheus.poll() is not None or is_ready(address))
            if prometheus.poll() is None:
                break
        else:
            raise SystemExit(f"FAILED: Prometheus does not start: {(folder / 'log').read_text()[-2000:]}")
        try:
            def scraped():
                result = ask(address, "query", query='count_over_time(up{job="dragoman"}[1m])')["result"]
                return bool(result) and int(result[0]["value"][1]) >= SAMPLES_NEEDED

            fail_one(*sys.argv[1:3])
            wait_until("the gateway is not scraped", scraped)
            wait_until("the rules are not evaluated", lambda: ask(
                address, "query", query="app:dragoman_deliveries_failed:ratio_rate10m")["result"])
            found = list(problems(address, "default"))
        finally:
            prometheus.terminate()
            prometheus.wait()
    for problem in found:
        print(f"FAILED: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
