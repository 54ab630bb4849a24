"""fio in the queue's place: appends 3 KB and syncs them, at exponential intervals.

This is what a commit of one message has written and synced. What the kernel takes for it at a rate, on this disk, is what
any queue takes that keeps each message before it answers.
"""

import json
import os

from . import processes


def kernel_seconds(bench, rate, seconds):
    """CPU time of the kernel for one write and its sync."""
    path = os.path.join(bench.folder, "synced")
    try:
        output = processes.run(
            [
                "fio", "--name=synced", f"--filename={path}", "--rw=write", "--bs=3k", "--size=64m", "--ioengine=psync",
                "--fdatasync=1", f"--rate_iops={rate}", "--rate_process=poisson", "--time_based", f"--runtime={seconds}",
                "--output-format=json",
            ],
            seconds + 30,
        )
    finally:
        processes.remove(path)
    job = json.loads(output)["jobs"][0]
    return job["sys_cpu"] / 100 * job["job_runtime"] / 1000 / job["write"]["total_ios"]
