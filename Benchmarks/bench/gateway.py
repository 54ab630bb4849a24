"""The gateway as a separate process with its own queue."""

import json
import os
import shutil
import signal
import sqlite3
import time
import urllib.error
import urllib.request

from . import machine, processes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CATALOG = os.path.join(ROOT, "config", "catalog.yaml")


class Gateway:
    """`project` selects how the stand-in answers; `settings` override the configuration, object by object; `binary` is
    another executable than the one that the benchmark measures."""

    def __init__(self, bench, name, project="fast", settings=None, keeps=False, binary=None):
        self.binary = binary or bench.binary
        self.folder = os.path.join(bench.folder, name)
        if not keeps:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder, exist_ok=True)
        self.port = processes.free_port()
        self.log = os.path.join(self.folder, "log")
        self.queue = os.path.join(self.folder, "queue.db")
        app = {
            "catalog": CATALOG,
            "credentials": "none",
            "project_id": project,
            "endpoint": bench.stand_in.endpoint,
            "ca_file": bench.stand_in.certificate,
            # The benchmark measures the gateway's own rate, not FCM's quota.
            "rate": "1000000/s",
        }
        self.configuration = {
            "server": {"listen": f"127.0.0.1:{self.port}"},
            "apps": {"default": app},
            "queue": {"url": f"sqlite:{self.queue}", "max_depth": 2000000},
            "delivery": {"ramp": "0s"},
        }
        _lay_over(self.configuration, settings or {})
        self.process = None
        self.ready_seconds = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        path = os.path.join(self.folder, "gateway.yaml")
        with open(path, "w") as file:
            json.dump(self.configuration, file)
        started = time.monotonic()
        self.process = processes.start([self.binary, "serve", "--config", path], self.log)

        def is_ready():
            if self.process.poll() is not None:
                with open(self.log) as file:
                    raise RuntimeError("the gateway ended:\n" + file.read()[-2000:])
            try:
                return self.get("/readyz")
            except OSError:
                return None

        processes.wait_until(is_ready, 60, "the gateway's start", pause=0.001)
        self.ready_seconds = time.monotonic() - started

    def stop(self):
        if self.process:
            processes.stop(self.process)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self.process.pid

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            text = response.read()
            return json.loads(text) if "json" in response.headers.get("Content-Type", "") else text.decode()

    def post(self, path, body):
        request = urllib.request.Request(
            self.url + path, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.code} {error.read().decode()}") from error

    def deliveries(self, app=None):
        """Deliveries by state."""
        stats = self.get("/v1/stats")
        return stats["apps"].get(app, {}) if app else stats["deliveries"]

    def wait_until_sent(self, count, seconds_max):
        """Waits until `count` deliveries are recorded as sent."""

        def are_sent():
            deliveries = self.deliveries()
            if deliveries["failed"] or deliveries["expired"]:
                raise RuntimeError(f"not all messages were sent: {deliveries}")
            return deliveries["sent"] >= count

        processes.wait_until(are_sent, seconds_max, f"sending {count} messages", pause=0.02)

    @property
    def cpu_seconds(self):
        return machine.cpu_seconds(self.pid)

    @property
    def memory_mib(self):
        """Resident memory: now and at its peak."""
        return machine.memory_mib(self.pid)

    @property
    def disk_bytes(self):
        return sum(
            os.path.getsize(os.path.join(self.folder, name))
            for name in os.listdir(self.folder)
            if name.startswith("queue.db")
        )

    def sql(self, statement):
        with sqlite3.connect(f"file:{self.queue}?mode=ro", uri=True) as connection:
            return connection.execute(statement).fetchall()


def _lay_over(under, over):
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(under.get(key), dict):
            _lay_over(under[key], value)
        else:
            under[key] = value
