"""Shared by the soak scripts: dragoman's processes, an HTTP client, and access to the emulator's inbox and the queue.

Uses only Python's standard library. Everything listens on loopback, uses a temporary folder and ends with the run.
"""

import argparse
import base64
import collections
import datetime
import glob
import hashlib
import hmac
import http.client
import http.server
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
START_SECONDS_MAX = 30
ANSWER_SECONDS_MAX = 30
# The number of messages that the emulator keeps.
INBOX_MAX = 10_000
# Stored states below this number are not final: scheduled, queued, sending.
OPEN_STATES = 3


class Failure(Exception):
    """A guarantee was violated."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def run(main):
    """Runs `main`; on a failure, prints it in one line and exits with 1. Ctrl-C exits with 130."""
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)


def arguments(description, add=lambda parser: None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "dragoman", nargs="?", default=os.path.join(REPOSITORY, ".build/release/dragoman"),
        help="the executable; default: %(default)s")
    add(parser)
    options = parser.parse_args()
    check(os.access(options.dragoman, os.X_OK), f"no executable at {options.dragoman}; run make build")
    options.dragoman = os.path.abspath(options.dragoman)
    return options


def until(condition, seconds, what, interval=0.02):
    """Waits until `condition` returns a true value, and returns it; fails with `what` after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"{what} within {seconds} s")
        time.sleep(interval)


def show_end(log):
    """Prints the last lines of a log."""
    with open(log.name, "rb") as file:
        lines = file.read().splitlines()[-40:]
    sys.stderr.buffer.write(b"".join(line + b"\n" for line in lines))


class Server:
    """A running dragoman and its address."""

    def __init__(self, command, log, kill_after=START_SECONDS_MAX):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        # Killing a silent server ends the wait for its line.
        timer = threading.Timer(kill_after, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        self.address = line.strip().rpartition(" listening on http://")[2] or None

    @property
    def pid(self):
        return self.process.pid

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """Stops it as an operator does; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        return status


class Repeats:
    """Tells the one repeat of a message that cannot be avoided from every other.

    FCM may have answered just before a fault, and the record not be durable yet: then the message is sent again. Each
    fault is noted with its kind, the gateway, and the time from when to when what FCM receives cannot be recorded any
    more. A message may reach FCM again for each fault in whose time it arrived last; every other repeat is a violation.
    """

    # How long before a fault an answer may have come that is not durable: outcomes wait up to 100 ms for another write,
    # and the emulator's answer, the write and its sync take their time on a busy machine.
    UNRECORDED_SECONDS = 1.5
    # How long after its beginning a request still arrives that had left before.
    ARRIVING_SECONDS = 0.5

    def __init__(self):
        self.faults = []

    def note(self, kind, began, ended=None):
        """Times are of `time.time()`. What arrives up to `ended` cannot be recorded."""
        self.faults.append((kind, began - self.UNRECORDED_SECONDS, (ended or began) + self.ARRIVING_SECONDS))

    def explain(self, messages):
        """Counts the repeats in the emulator's messages by the kinds of their causes, and lists those without one."""
        arrivals = collections.defaultdict(list)
        for message in messages:
            at = datetime.datetime.fromisoformat(message["received_at"].replace("Z", "+00:00")).timestamp()
            arrivals[message["message"]["token"]].append(at)
        causes, unexplained = collections.Counter(), []
        for token, times in arrivals.items():
            times.sort()
            for last, again in zip(times, times[1:]):
                kinds = [kind for kind, began, ended in self.faults if began <= last <= ended and again >= began]
                if kinds:
                    causes[kinds[-1]] += 1
                else:
                    unexplained.append(f"{token} at {last:.3f} and {again:.3f}")
        return causes, unexplained


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """A client with one persistent connection; `request` returns None if there was no response."""

    def __init__(self, address):
        host, _, port = address.rpartition(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=ANSWER_SECONDS_MAX)

    def request(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            self.connection.request(method, path, body, headers)
            return Answer(self.connection.getresponse())
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return None


class Inbox:
    """What an emulator has received: the names of the messages, by token."""

    def __init__(self, emulator):
        self.address = emulator.address
        self.seen = collections.defaultdict(set)
        self._known = set()

    def read(self):
        """Adds what has arrived to `seen`; returns the number of messages."""
        for limit in (2_000, INBOX_MAX):
            answer = Client(self.address).request("GET", f"/inbox?limit={limit}")
            check(answer and answer.status == 200, "the emulator's inbox did not answer")
            messages = answer.json["messages"]
            new = [entry for entry in messages if entry["name"] not in self._known]
            if len(new) < limit:
                break
        check(len(new) < INBOX_MAX, "more messages arrived than the emulator keeps; send fewer")
        for entry in new:
            self._known.add(entry["name"])
            self.seen[entry["message"]["token"]].add(entry["name"])
        return len(self._known)

    def settle(self):
        """Reads until no more messages arrive, such as after the gateway has ended."""
        count = self.read()
        while True:
            time.sleep(0.1)
            before, count = count, self.read()
            if before == count:
                return


class Receiver:
    """The webhook's receiver: verifies signatures, and keeps what it was told. It refuses one event in fifty once."""

    SECRET = "whsec_" + base64.b64encode(b"a secret of the soak tests").decode()

    def __init__(self):
        self.lock = threading.Lock()
        self.told = {}  # id: data
        self.refused = set()
        self.problems = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(receiver.take(self.headers, body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A gateway that is killed breaks its connections.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def configuration(self):
        return {
            "url": f"http://127.0.0.1:{self.server.server_port}/", "secret": self.SECRET,
            "allow_private_addresses": True, "events": ["delivery.sent", "delivery.failed", "delivery.expired"],
        }

    def take(self, headers, body):
        """Records an event; returns the status of the response."""
        identity, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
        key = base64.b64decode(self.SECRET.removeprefix("whsec_"))
        digest = hmac.digest(key, f"{identity}.{timestamp}.".encode() + body, hashlib.sha256)
        with self.lock:
            if headers["webhook-signature"] != "v1," + base64.b64encode(digest).decode():
                self.problems.append(f"{identity} has a wrong signature")
                return 401
            if len(self.told) % 50 == 49 and identity not in self.refused:
                self.refused.add(identity)
                return 500
            data = json.loads(body)["data"]
            if self.told.setdefault(identity, data) != data:
                self.problems.append(f"{identity} was told in two ways")
            return 204


class Rig:
    """An emulator, and a gateway with its own queue that can be stopped and restarted."""

    def __init__(self, dragoman, folder=None, grace="20s", webhook=None):
        self.dragoman = dragoman
        self.webhook = webhook
        self.grace = grace
        self.work = tempfile.mkdtemp(prefix="dragoman-soak-")
        self.data = folder or os.path.join(self.work, "data")
        self.log = open(os.path.join(self.work, "log"), "wb")
        self.gateway = None
        try:
            self.emulator = Server([dragoman, "emulator", "--listen", "127.0.0.1:0"], self.log)
            check(self.emulator.address, "the emulator did not start")
            self.inbox = Inbox(self.emulator)
            self._write_configuration()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for server in (self.gateway, getattr(self, "emulator", None)):
            if server is not None and server.process.poll() is None:
                server.kill()
        self.log.close()
        if kind is not None:
            show_end(self.log)
        shutil.rmtree(self.work, ignore_errors=True)

    @property
    def database(self):
        return os.path.join(self.data, "queue.db")

    def _write_configuration(self):
        configuration = {
            "server": {"listen": "127.0.0.1:0", "shutdown_grace": self.grace},
            "apps": {
                "default": {
                    "catalog": os.path.join(REPOSITORY, "config/catalog.yaml"), "credentials": "none",
                    "project_id": "soak", "endpoint": f"http://{self.emulator.address}",
                }
            },
            "queue": {"url": f"sqlite:{self.database}"},
            # Long timeouts for a busy machine: only the script's own faults may cause a message to be sent twice.
            "delivery": {"ramp": "0s", "request_timeout": "60s"},
            "log": {"level": "warning", "format": "text"},
        }
        if self.webhook:
            configuration["feedback"] = {"webhook": self.webhook}
        with open(os.path.join(self.work, "gateway.yaml"), "w") as file:
            json.dump(configuration, file)

    def start(self, **options):
        """Starts the gateway; returns the seconds until it was ready, or None if it exited."""
        began = time.monotonic()
        self.gateway = Server(
            [self.dragoman, "serve", "--config", os.path.join(self.work, "gateway.yaml")], self.log,
            **options)
        return time.monotonic() - began if self.gateway.address else None

    def must_start(self):
        seconds = self.start()
        check(seconds is not None, "the gateway did not start")
        return seconds

    def client(self):
        return Client(self.gateway.address)

    def ready(self):
        """The response of /readyz."""
        return self.client().request("GET", "/readyz")

    def set_latency(self, latency):
        rules = [{"token": "*", "latency": latency}] if latency else []
        answer = Client(self.emulator.address).request("PUT", "/faults", {"rules": rules})
        check(answer and answer.status < 300, "the emulator rejected the faults")

    def stored(self):
        """The state of each token in the queue's file as a crash would leave it now. Also checks the file's integrity."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            copy = os.path.join(folder, "queue.db")
            for suffix in ("", "-wal"):
                if os.path.exists(self.database + suffix):
                    shutil.copyfile(self.database + suffix, copy + suffix)
            connection = sqlite3.connect(copy)
            try:
                # The gateway was killed before it created its tables.
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                    return {}
                finding = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
                check(finding == "ok", f"the queue's file is damaged: {finding}")
                return dict(connection.execute(
                    "SELECT CAST(target AS TEXT), state FROM dragoman_deliveries"))
            finally:
                connection.close()

    def drain(self, seconds):
        """Waits until all deliveries are final."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        try:
            question = f"SELECT NOT EXISTS (SELECT 1 FROM dragoman_deliveries WHERE state < {OPEN_STATES})"

            def is_drained():
                # Read repeatedly, because the inbox can hold less than the backlog.
                self.inbox.read()
                return connection.execute(question).fetchone()[0]

            until(is_drained, seconds, "not all accepted deliveries ended")
        finally:
            connection.close()
        self.inbox.settle()


class Postgres:
    """A PostgreSQL server of this run, on a Unix socket."""

    def __init__(self, folder, log):
        self.folder = folder
        self.log = log
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        check(found, "PostgreSQL's server is not installed; run scripts/prepare test")
        self.programs = os.path.dirname(found[-1])
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        self.call("initdb", "-D", "data", "-A", "trust", "-U", "app", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")

    @property
    def url(self):
        return "postgres://app@/postgres?host=" + self.folder.replace("/", "%2F")

    def call(self, program, *options):
        status = subprocess.call(
            [*self.prefix, os.path.join(self.programs, program), *options], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        check(status == 0, f"{program} exited with {status}")

    def start(self):
        settings = f"-c listen_addresses= -k {self.folder}"
        self.call("pg_ctl", "-D", "data", "-s", "-w", "-t", "60", "-l", "data/log", "-o", settings, "start")

    def crash(self):
        self.call("pg_ctl", "-D", "data", "-s", "-w", "-m", "immediate", "stop")

    def query(self, sql):
        """The bare result of SQL."""
        return subprocess.check_output(
            [os.path.join(self.programs, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql,
             f"postgres://app@/postgres?host={self.folder}"],
            stdin=subprocess.DEVNULL, stderr=self.log, text=True).strip()


def notification(tokens, **more):
    to = {"token": tokens[0]} if len(tokens) == 1 else {"tokens": tokens}
    return {"template": "new_message", "to": to, "args": {"count": 3, "sender": "Bob"}, **more}
