#!/usr/bin/env python3
"""Exercises the completions in real shells, in a terminal: Tests/deploy/completion.py DRAGOMAN

Each line below is typed up to the bar, then Tab; what follows the bar must come of it.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 20
LINES = [
    "dragoman prev|iew",
    "dragoman heal|thcheck",
    "dragoman check --cat|alog",
    "dragoman check --format sar|if",
    "dragoman preview --platform andr|oid",
    "dragoman serve --config some-gat|eway.yaml",
    "dragoman emulator --lis|ten",
    "dragoman help prev|iew",
    "dragoman preview new_|message",
    "dragoman check --template wel|come",
    "dragoman preview --catalog other.yaml pa|rcel",
]
PROMPT = "ready>"
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "PS1='{prompt}'; . {completions}/dragoman.bash"),
    "zsh": (["zsh", "-f", "-i"],
            "PS1='{prompt}'; fpath=({completions} $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"),
    "fish": (["fish", "--no-config", "-i"],
             "set fish_autosuggestion_enabled 0; function fish_prompt; echo -n '{prompt}'; end; source {completions}/dragoman.fish"),
}


class Terminal:
    def __init__(self, command, folder, environment):
        self.master, slave = pty.openpty()
        # Wide enough that no line is wrapped or scrolled.
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 400, 0, 0))
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment, start_new_session=True,
            # fish needs a terminal that it controls.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.shown = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, text):
        """Whether `text` is shown in time."""
        deadline = time.monotonic() + SECONDS_MAX
        while text not in self.plain():
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return False
            self.shown += os.read(self.master, 65536).decode(errors="replace")
        return True

    def plain(self):
        """Without what moves the cursor and colours; a backspace takes back what is before it."""
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r|\x07", "", self.shown)
        while "\x08" in text:
            text = re.sub("[^\x08]?\x08", "", text, count=1)
        return text

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def main():
    dragoman, failures = Path(sys.argv[1]).resolve(), []
    for shell, (command, start) in SHELLS.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "some-gateway.yaml").touch()
            shutil.copytree(ROOT / "config", Path(folder) / "config")
            (Path(folder) / "other.yaml").write_text("version: 1\ntemplates: {parcel: {body: {ios: K}}}\n")
            environment = {"PATH": f"{dragoman.parent}:{os.environ['PATH']}", "HOME": folder, "TERM": "dumb",
                           "LANG": "C.UTF-8"}
            for line in LINES:
                typed, rest = line.split("|")
                terminal = Terminal(command, folder, environment)
                # Only the displayed prompt contains it literally; the line that sets it does not.
                prompt = PROMPT.replace("y", "''y")
                terminal.type(start.format(prompt=prompt, completions=ROOT / "deploy/completions") + "\n")
                terminal.wait_for(PROMPT)
                terminal.type(typed + "\t")
                if not terminal.wait_for(f"{PROMPT}{typed}{rest}"):
                    failures.append(f"{shell}: {typed}<Tab> shows {terminal.plain()[-200:]!r}, not {typed + rest!r}")
                terminal.end()
    print("\n".join(failures) or f"{len(LINES)} lines are completed in {', '.join(SHELLS)}")
    return 1 if failures else 0


sys.exit(main())
