"""Starts and stops the processes that are measured."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import time

_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command, log, **options):
    """Starts a process that ends with this one; its output goes to the file `log`."""
    with open(log, "ab") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=_die_with_parent, **options
        )


def interrupt(process):
    """Stops a process for which SIGTERM means to wait for its clients, as PostgreSQL's server."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    stop(process)


def stop(process, seconds_max=30):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds_max)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run(command, seconds_max, **options):
    """Runs a command and returns its output; raises an error with the output if the command fails."""
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds_max, check=False, **options
    )
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def timed(command, seconds_max, **options):
    """Runs a command and returns the seconds that it takes, and the seconds of CPU."""

    def cpu():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before, started = cpu(), time.monotonic()
    run(command, seconds_max, **options)
    return time.monotonic() - started, cpu() - before


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds_max, what, pause=0.005):
    """Returns the first true result of `condition`; raises an error if there is none in time."""
    end = time.monotonic() + seconds_max
    while True:
        if answer := condition():
            return answer
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen within {seconds_max} s")
        time.sleep(pause)


def is_open(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return True
    except OSError:
        return False


def remove(*paths):
    for path in paths:
        try:
            os.remove(path)
        except FileNotFoundError:
            pass
