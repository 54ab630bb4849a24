"""A description of the machine, and the cost of its processes."""

import os
import platform
import shutil
import signal
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def description():
    cpu = "unknown"
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PHYS_PAGES") * PAGE
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": memory // 2**20,
        "kernel": platform.release(),
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load_average_before": os.getloadavg()[0],
    }


def _commit():
    def git(*args):
        result = subprocess.run(["git", *args], capture_output=True, text=True, check=False)
        return result.stdout.strip()

    changed = " with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return (git("rev-parse", "--short", "HEAD") or "unknown") + changed


def _stat(pid):
    """The fields of /proc/PID/stat from the third on; None if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def cpu_seconds(pid):
    """User and system time of a process."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def cpu_nanoseconds(pid):
    """User and system time of a process by its own clock, which is finer than /proc's (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def cpu_seconds_of_family(pid):
    """The same of a process with its children, of which it has waited for those that have ended."""
    children = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())
    living = sum(cpu_seconds(child) for child in children if (fields := _stat(child)) and int(fields[1]) == pid)
    fields = _stat(pid)
    return living + sum(int(ticks) for ticks in fields[11:15]) / TICKS if fields else living


class Cost:
    """What a process has used so far: seconds of CPU, bytes and calls of writing, wake-ups of its threads."""

    def __init__(self, pid):
        self._threads = wake_ups(pid)
        self.pid = pid
        with open(f"/proc/{pid}/io") as lines:
            self.used = {name: int(value) for name, value in (line.split(": ") for line in lines)}
        self.used["cpu"] = cpu_nanoseconds(pid) / 1e9

    def since(self, before, count):
        """The cost of each of `count` messages since `before`."""
        cost = {name: (value - before.used[name]) / count for name, value in self.used.items()}
        cost["wake_ups"] = wake_ups_since(before._threads, self.pid) / count
        return cost


class Instructions:
    """Counts a process's instructions in user space, if there is a perf that can: `count` is None otherwise."""

    def __init__(self, pid):
        self.pid = pid
        self.count = None
        self._perf = None

    def __enter__(self):
        if shutil.which("perf"):
            command = ["perf", "stat", "-x,", "-e", "instructions:u", "-p", str(self.pid)]
            self._perf = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        if self._perf is None:
            return
        self._perf.send_signal(signal.SIGINT)
        for line in self._perf.communicate()[1].splitlines():
            number, _, rest = line.partition(",")
            if "instructions" in rest and number.isdigit():
                self.count = int(number)


def memory_mib(pid):
    """Resident memory of a process: now and at its peak."""
    now = most = 0
    with open(f"/proc/{pid}/status") as lines:
        for line in lines:
            if line.startswith("VmRSS:"):
                now = int(line.split()[1]) / 1024
            elif line.startswith("VmHWM:"):
                most = int(line.split()[1]) / 1024
    return now, most


def wake_ups(pid):
    """Voluntary context switches by thread: how often each slept and woke up."""
    counts = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/status") as lines:
                counts[thread] = sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt"))
        except OSError:
            continue
    return counts


def wake_ups_since(before, pid):
    """How often threads have woken up since `before`; threads that have ended do not count."""
    return sum(count - before.get(thread, 0) for thread, count in wake_ups(pid).items())


def _busy_seconds():
    """The time for which all cores together were not idle."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = (int(x) for x in file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def _own_seconds():
    """CPU time of this process and its descendants, including those that it has waited for."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _stat(entry)):
            parents[int(entry)] = (int(fields[1]), fields)
    total = 0
    for pid, (parent, fields) in parents.items():
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above][0]
        if above != os.getpid():
            continue
        total += int(fields[11]) + int(fields[12])
        if pid == os.getpid():
            total += int(fields[13]) + int(fields[14])
    return total / TICKS


class Quiet:
    """Measures the share of the machine that other processes use: `with Quiet() as quiet: …; quiet.foreign`."""

    # From this share, a measurement counts as disturbed. Interrupts and kernel threads use a little in every run.
    LIMIT = 0.12

    def __enter__(self):
        self.foreign = 0.0
        self._start = (time.monotonic(), _busy_seconds(), _own_seconds())
        return self

    def __exit__(self, *_):
        started, busy, own = self._start
        capacity = (time.monotonic() - started) * len(os.sched_getaffinity(0))
        others = (_busy_seconds() - busy) - (_own_seconds() - own)
        self.foreign = max(0.0, others / capacity) if capacity > 0 else 0.0

    @property
    def is_disturbed(self):
        return self.foreign > self.LIMIT
