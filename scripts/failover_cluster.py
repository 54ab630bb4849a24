"""A PostgreSQL cluster for the soak scripts: two nodes under patroni with streaming replication, and etcd.

Everything listens on loopback. Whatever runs in the cluster's folder belongs to it, and ends with `end`.
"""

import glob
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time

from soaking import Client, Failure, check, until

ANSWER_SECONDS_MAX = 120
# The smallest ttl that patroni's manual allows. It must be at least `loop_wait` and twice `retry_timeout` together.
TTL_SECONDS = 20
DATABASE = "dragoman"
UNTIL_PROMOTED = "DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM pg_sleep(0.02); END LOOP; END $$"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def processes(folder):
    """The ids of the processes whose working directory is in `folder`."""
    found = []
    for link in glob.glob("/proc/[0-9]*/cwd"):
        try:
            if os.path.join(os.readlink(link), "").startswith(os.path.join(folder, "")):
                found.append(int(link.split("/")[2]))
        except OSError:
            # It has ended, or belongs to another user.
            pass
    return found


def kill(folder):
    """Ends all processes in `folder` with kill -9, as a power failure does."""

    def is_over():
        found = processes(folder)
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not found

    until(is_over, 10, f"the processes in {folder} did not end")


class Node:
    """A patroni and its PostgreSQL server."""

    def __init__(self, cluster, name, port, api_port):
        self.cluster = cluster
        self.name = name
        self.port = port
        self.api = f"127.0.0.1:{api_port}"
        self.folder = os.path.join(cluster.folder, name)
        os.mkdir(self.folder, 0o700)
        self.configuration = os.path.join(self.folder, "patroni.yml")
        with open(self.configuration, "w") as file:
            json.dump(self.settings(), file)
        if cluster.user:
            shutil.chown(self.folder, cluster.user)
            shutil.chown(self.configuration, cluster.user)

    def settings(self):
        def role(name):
            return {"username": name, "password": self.cluster.password}

        return {
            "scope": "soak", "name": self.name,
            "restapi": {"listen": self.api, "connect_address": self.api},
            "etcd3": {"hosts": [self.cluster.etcd_address]},
            "watchdog": {"mode": "off"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL_SECONDS, "loop_wait": 5, "retry_timeout": 5,
                    "synchronous_mode": self.cluster.is_synchronous, "postgresql": {"use_pg_rewind": True}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": os.path.join(self.folder, "data"), "bin_dir": self.cluster.programs,
                "pgpass": os.path.join(self.folder, "pgpass"),
                "parameters": {"unix_socket_directories": self.folder},
                "pg_hba": [f"host {kind} all 127.0.0.1/32 scram-sha-256" for kind in ("all", "replication")],
                "authentication": {
                    "superuser": role("postgres"), "replication": role("replicator"), "rewind": role("rewinder")}}}

    def start(self):
        self.cluster.run("patroni", self.configuration, folder=self.folder)

    def stall_replication(self):
        """Freezes what sends the log to the standby: synchronous COMMITs wait, and asynchronous ones do not."""
        for process in processes(self.folder):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    if b"walsender" in file.read():
                        os.kill(process, signal.SIGSTOP)
            except OSError:
                # It has ended.
                pass

    def kill(self):
        kill(self.folder)

    def query(self, sql, database="postgres"):
        """Runs SQL as a superuser."""
        options = f"-c statement_timeout={ANSWER_SECONDS_MAX}s"
        psql = subprocess.run(
            [os.path.join(self.cluster.programs, "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
             "-p", str(self.port), "-U", "postgres", database],
            env={**os.environ, "PGPASSWORD": self.cluster.password, "PGOPTIONS": options},
            input=sql, text=True, stdout=self.cluster.log, stderr=self.cluster.log)
        check(psql.returncode == 0, f"{self.name} refused a statement")

    def answers(self, path):
        """Whether patroni answers a GET of its REST API with 200: /primary, /synchronous."""
        client = Client(self.api)
        client.connection.timeout = 2
        answer = client.request("GET", path)
        client.connection.close()
        return answer is not None and answer.status == 200


class Cluster:
    """Two nodes: the primary and its standby, which is a synchronous one unless the test is about the difference."""

    def __init__(self, folder, log, is_synchronous):
        self.folder = folder
        self.log = log
        self.is_synchronous = is_synchronous
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        check(found, "PostgreSQL's server is not installed; run scripts/prepare failover")
        self.programs = os.path.dirname(found[-1])
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user)
        self.password = secrets.token_hex(16)
        etcd, self.etcd_peer, *ports = free_ports(6)
        self.etcd_address = f"127.0.0.1:{etcd}"
        self.nodes = [Node(self, f"node{place + 1}", *ports[2 * place:2 * place + 2]) for place in range(2)]
        self.primary = self.nodes[0]

    def start(self):
        self.start_etcd(f"http://127.0.0.1:{self.etcd_peer}")
        # The first node creates the cluster.
        self.nodes[0].start()
        self.await_answer(self.nodes[0], "/primary", "the first node did not start")
        self.nodes[1].start()
        self.await_standby()
        self.primary.query(f"CREATE ROLE {DATABASE} LOGIN PASSWORD '{self.password}'")
        self.primary.query(f"CREATE DATABASE {DATABASE} OWNER {DATABASE}")

    @property
    def url(self):
        places = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgres://{DATABASE}:{self.password}@{places}/{DATABASE}?target_session_attrs=read-write"

    @property
    def standby(self):
        return next(node for node in self.nodes if node is not self.primary)

    def run(self, program, *options, folder):
        """Starts a program in `folder`, where `kill` finds it and what it starts."""
        prefix = ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups"] if self.user else []
        try:
            return subprocess.Popen(
                [*prefix, "setpriv", "--pdeathsig", "KILL", program, *options], cwd=folder, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        except FileNotFoundError as error:
            raise Failure(f"{error.filename} is not installed; run scripts/prepare failover")

    def start_etcd(self, peer):
        address = f"http://{self.etcd_address}"
        self.run(
            "etcd", "--name", "etcd", "--data-dir", os.path.join(self.folder, "etcd"), "--log-level", "warn",
            "--listen-client-urls", address, "--advertise-client-urls", address, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", f"etcd={peer}", folder=self.folder)
        client = Client(self.etcd_address)

        def is_healthy():
            answer = client.request("GET", "/health")
            return answer is not None and answer.status == 200

        until(is_healthy, ANSWER_SECONDS_MAX, "etcd did not start")

    def await_answer(self, node, path, what):
        until(lambda: node.answers(path), ANSWER_SECONDS_MAX, what, interval=0.05)

    def await_standby(self):
        """Waits until the standby may become the primary."""
        path = "/synchronous" if self.is_synchronous else "/asynchronous"
        self.await_answer(self.standby, path, f"the standby was not {path[1:]}")

    def switch_over(self):
        """Lets the nodes change places as an operator does; returns when the standby had become the primary."""
        switchover = subprocess.Popen(
            ["patronictl", "-c", self.primary.configuration, "switchover", "soak", "--primary", self.primary.name,
             "--candidate", self.standby.name, "--force"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        promoted = self.await_promotion()
        status = switchover.wait(ANSWER_SECONDS_MAX)
        check(status == 0, f"patronictl exited with {status}")
        return promoted

    def await_promotion(self):
        """Waits until the standby is the primary and can be written; returns when."""
        self.standby.query(UNTIL_PROMOTED)
        self.primary = self.standby
        return time.monotonic()

    def end(self):
        kill(self.folder)
