"""fio in the queue's place: appends 3 KB and syncs them, at equal intervals.

This is what a commit of one message has written and synced. What it takes at a rate, on this disk, any queue takes that keeps
each message before it answers. Nearly all of it is the kernel's.
"""

import json
import os

from . import processes


def cpu_seconds(bench, rate, seconds):
    """CPU time of one write and its sync."""
    path = os.path.join(bench.folder, "synced")
    try:
        output = processes.run(
            [
                "fio", "--name=synced", f"--filename={path}", "--rw=write", "--bs=3k", "--size=64m", "--ioengine=psync",
                "--fdatasync=1", f"--rate_iops={rate}", "--time_based", f"--runtime={seconds}", "--output-format=json",
            ],
            seconds + 30,
        )
    finally:
        processes.remove(path)
    job = json.loads(output)["jobs"][0]
    if not (count := job["write"]["total_ios"]) or job["error"]:
        raise RuntimeError(f"fio wrote {count} times, error {job['error']}")
    # The kernel divides the time between both by samples, which miss what is short; their sum is exact.
    return (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1000 / count
