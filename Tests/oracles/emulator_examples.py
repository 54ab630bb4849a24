"""Runs the examples of docs/emulator.md against the emulator: emulator_examples.py URL

Python's runs with Google's own SDK and pytest. Node's runs with the stand-in in firebase-admin-node, because the SDK for
Node is on npm only; it shows that the agent, the token and the address are right, not that the SDK uses them so. The
Compose file is run by scripts/container/prove.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS_MAX = 60


def example(name):
    """The text of the block with this file's name."""
    text = (ROOT / "docs/emulator.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- file: {re.escape(name)} -->\n```\w+\n(.*?)^```$", text, re.S | re.M)
    if not found:
        sys.exit(f"docs/emulator.md has no example {name}")
    return found[1]


def run(what, *command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False, **options)
    if done.returncode:
        sys.exit(f"FAILED: {what}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(url, folder):
    port = url.rsplit(":", 1)[1]
    (folder / "test_push.py").write_text(example("test_push.py"))
    run("the Python example", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_push.py", cwd=folder,
        env={**os.environ, "FCM_EMULATOR": url})
    print("The Python example of docs/emulator.md passes with firebase-admin")

    shutil.copytree(ROOT / "Tests/oracles/firebase-admin-node", folder / "node_modules/firebase-admin")
    text = example("emulator.mjs")
    if text.count("8085") != 2:
        sys.exit("docs/emulator.md: the Node example names the emulator's port elsewhere than expected")
    (folder / "emulator.mjs").write_text(text.replace("8085", port))
    shown = run("the Node example", "node", "emulator.mjs", cwd=folder)
    if "token: 'alice-phone'" not in shown or "thread: '42'" not in shown:
        sys.exit(f"FAILED: the Node example shows another message:\n{shown}")
    print("The Node example of docs/emulator.md passes with a stand-in for the SDK")


with tempfile.TemporaryDirectory() as work:
    main(sys.argv[1], pathlib.Path(work))
