"""Reads the strings of an app with 160 languages as it was shipped, and checks 200 templates against 20 releases of it."""

import os
import shutil
import sys

from .. import processes
from ..gateway import ROOT
from .catalog import _locales

sys.path.append(os.path.join(ROOT, "Tests", "oracles"))
import android_apps  # noqa: E402

PART = "releases"
KEYS = 1_000
TEMPLATES = 200
RELEASES = 20


def run(bench):
    folder = os.path.join(bench.folder, "releases")
    _write(bench, folder)
    bench.repeat(PART, lambda: _measure(bench, folder), count=3, seconds_max=90)


def _write(bench, folder):
    """The app, its snapshot, and as many copies of both as there are releases: each is a file of its own."""
    for locale in _locales():
        values = os.path.join(folder, "res", f"values{locale}")
        os.makedirs(values, exist_ok=True)
        with open(os.path.join(values, "strings.xml"), "w") as file:
            file.write("<resources>\n")
            for key in range(KEYS):
                text = f"Text {key} for %1$s of %2$s, as long as such texts are in apps{locale}"
                file.write(f'  <string name="text_{key}">{text}</string>\n')
            file.write("</resources>\n")
    app = os.path.join(folder, "0.apk")
    android_apps.release(os.path.join(folder, "res"), app)
    snapshot = processes.run([bench.binary, "strings", "--android", app, "--format", "json"], 60)
    with open(os.path.join(folder, "0.json"), "w") as file:
        file.write(snapshot)
    for kind in ("apk", "json"):
        for number in range(1, RELEASES):
            shutil.copy(os.path.join(folder, f"0.{kind}"), os.path.join(folder, f"{number}.{kind}"))
        _catalog(os.path.join(folder, f"{kind}.yaml"), kind, RELEASES, TEMPLATES)
    _catalog(os.path.join(folder, "one.yaml"), "apk", 1, 5)


def _catalog(path, kind, releases, templates):
    with open(path, "w") as file:
        file.write("version: 1\nreleases:\n  android:\n")
        for number in range(releases):
            file.write(f"    - {{version: 4.{number}, resources: {number}.{kind}}}\n")
        file.write("templates:\n")
        for number in range(templates):
            file.write(
                f"  template_{number}:\n"
                "    params: {name: {type: string, max_length: 64}, place: {type: string, max_length: 64}}\n"
                f"    title: {{android: text_{2 * number}, args: [name, place]}}\n"
                f"    body: {{android: text_{2 * number + 1}, args: [name, place]}}\n"
            )


def _measure(bench, folder):
    def timed(*command):
        return processes.timed([bench.binary, *command], 120, cwd=folder)

    # No key has this name, so that reading is measured and not printing.
    app, app_cpu = timed("strings", "--android", "0.apk", "--key", "none")
    snapshot, snapshot_cpu = timed("strings", "--android", "0.json", "--key", "none")
    few, _ = timed("releases", "--catalog", "one.yaml")
    apps, apps_cpu = timed("check", "--catalog", "apk.yaml", "--format", "json")
    snapshots, snapshots_cpu = timed("check", "--catalog", "json.yaml", "--format", "json")
    return [
        ("read an app whole", "s", app, ("≤", 0.5)),
        ("read an app whole, CPU", "s", app_cpu, None),
        ("read its snapshot whole", "s", snapshot, None),
        ("read its snapshot whole, CPU, compared with the app", "x", snapshot_cpu / app_cpu, ("≤", 1)),
        ("five templates against one release", "s", few, ("≤", 0.1)),
        ("200 templates against 20 releases", "s", apps, ("≤", 3)),
        ("200 templates against 20 releases, CPU", "s", apps_cpu, None),
        ("the same with snapshots", "s", snapshots, ("≤", 3)),
        ("the same with snapshots, CPU", "s", snapshots_cpu, None),
    ]
