"""A PostgreSQL server of the benchmark's own, with the defaults of its package."""

import glob
import os
import shutil
import subprocess

from . import machine, processes


class Postgres:
    """A server on a Unix socket, whose data is in `folder`, on the disk of the queues."""

    def __init__(self, folder):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        if not found:
            raise RuntimeError("PostgreSQL's server is not installed: run scripts/prepare bench")
        self.programs = os.path.dirname(found[-1])
        self.folder = folder
        self.process = None

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.prefix = []
        if os.geteuid() == 0:
            # The server refuses to run as root.
            shutil.chown(self.folder, "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        data = os.path.join(self.folder, "data")
        command = [os.path.join(self.programs, "initdb"), "-D", data, "-A", "trust", "-U", "app", "-E", "UTF8",
                   "--locale=C.UTF-8"]
        processes.run(self.prefix + command, 60, cwd=self.folder)
        command = [os.path.join(self.programs, "postgres"), "-D", data, "-c", "listen_addresses=", "-k", self.folder]
        log = os.path.join(self.folder, "log")
        self.process = processes.start(self.prefix + command, log, cwd=self.folder)
        processes.wait_until(self._is_ready, 30, "PostgreSQL's start", pause=0.05)
        return self

    def __exit__(self, *_):
        if self.process:
            processes.interrupt(self.process)

    def _is_ready(self):
        command = [os.path.join(self.programs, "pg_isready"), "-q", "-h", self.folder, "-U", "app", "-d", "postgres"]
        return subprocess.run(command, check=False).returncode == 0

    def database(self):
        """The URL of a new and empty database."""
        self.query("postgres", "DROP DATABASE IF EXISTS queue WITH (FORCE)")
        self.query("postgres", "CREATE DATABASE queue")
        self.query("postgres", "CHECKPOINT")
        return f"postgres://app@/queue?host={self.folder.replace('/', '%2F')}"

    def query(self, database, sql):
        """The bare result of SQL."""
        command = [os.path.join(self.programs, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql,
                   f"postgres://app@/{database}?host={self.folder}"]
        return processes.run(command, 60).strip()

    @property
    def cpu_seconds(self):
        """User and system time of all its processes, and of those that have ended."""
        return machine.cpu_seconds_of_family(self.process.pid)

    @property
    def wal_bytes(self):
        """The bytes of its log so far."""
        return int(self.query("postgres", "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))
