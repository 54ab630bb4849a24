#!/usr/bin/env python3
"""Checks the direction of args with python-bidi, an implementation of the Unicode bidirectional algorithm.

    pip install 'python-bidi>=0.6.12,<0.7'
    python3 Tests/oracles/bidi_oracle.py DRAGOMAN

Checks that:

- an isolated arg of random letters, digits and controls does not move the text around it,
- an arg that is not isolated ends its controls, so that a word after it keeps its place,
- a text that `dragoman check` reports as BidiUnsafe is reordered by some arg, and every key is reported once.

Exits with 1 if a check fails, and with 2 if the checks cannot run.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

from bidi import get_display

ARGS = 1_000
TEXTS = 400
CONTROLS = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"]
PIECES = ["a", "Bc", " ", "1", "א", "שב", "٣", "(", "]", "-", ","] + CONTROLS
WORDS = ["שלום", "חדש", "הודעה", ",", ":", "3", "(", ")", "!", "%1$s", "%2$s", " ", " ", "abc"]
VALUES = ["Bob", "Bob!", "(a) 1", "א", "-5", "a א", "3", "אב 1", "C++"]
LETTER = re.compile(r"[a-zא-ת]")

failures = 0


def check(holds, problem):
    global failures
    if not holds:
        failures += 1
        print(problem)


def shown(text, base=None):
    return re.sub("[\u202a-\u202e\u2066-\u2069]", "", get_display(text, base_dir=base))


def write(folder, name, strings):
    os.makedirs(os.path.join(folder, "res", name), exist_ok=True)
    entries = "".join(f'<string name="{key}">{text}</string>' for key, text in strings.items())
    with open(os.path.join(folder, "res", name, "strings.xml"), "w", encoding="utf-8") as file:
        file.write(f"<resources>{entries}</resources>")


def run(dragoman, folder, command, templates, *options):
    path = os.path.join(folder, "catalog.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "resources": {"android": "res"}, "templates": templates}, file)
    done = subprocess.run(
        [dragoman, *command, "--catalog", path, "--format", "json", *options], capture_output=True, timeout=60)
    if done.returncode not in (0, 1):
        print(done.stderr.decode())
        sys.exit(2)
    return json.loads(done.stdout)


def sent(dragoman, folder, args, bidi):
    """The args as the message has them."""
    results = []
    for start in range(0, len(args), 100):
        given = {f"p{index}": arg for index, arg in enumerate(args[start : start + 100])}
        params = {name: {"type": "string", "bidi": bidi} for name in given}
        templates = {"t": {"params": params, "body": {"android": "k0", "args": list(given)}}}
        options = ["--locale", "en", "--args", json.dumps(given)]
        message = run(dragoman, folder, ["preview", "t"], templates, *options)["message"]
        results += message["android"]["notification"]["body_loc_args"]
    return results


def compare_args(dragoman, folder, numbers):
    args = ["".join(numbers.choice(PIECES) for _ in range(numbers.randrange(7))) for _ in range(ARGS)]
    moved = 0
    for arg, isolated in zip(args, sent(dragoman, folder, args, "isolate")):
        text = shown(f"New from {isolated}: 3 files", "L")
        check(text.startswith("New from ") and text.endswith(": 3 files"), f"isolated {arg!r} shows {text!r}")
        raw = shown(f"New from \u2068{arg}\u2069: 3 files", "L")
        moved += not (raw.startswith("New from ") and raw.endswith(": 3 files"))
    check(moved > ARGS // 50, f"only {moved} args would move the text if they were not balanced")
    for arg, balanced in zip(args, sent(dragoman, folder, args, "none")):
        text = shown(f"New from {balanced} word", "L")
        check(text.endswith("word"), f"{arg!r} shows {text!r}")


def compare_findings(dragoman, folder, numbers):
    texts = []
    while len(texts) < TEXTS:
        words = (numbers.choice(WORDS) + numbers.choice(["", " "]) for _ in range(numbers.randrange(2, 8)))
        text = "".join(words).strip()
        # Without a letter, the arg alone decides the direction of the line.
        if "%" in text and LETTER.search(re.sub(r"%\d\$s", "", text)):
            texts.append(text)
    write(folder, "values", {f"k{index}": "x %1$s y %2$s z" for index in range(TEXTS)})
    write(folder, "values-iw", {f"k{index}": text for index, text in enumerate(texts)})
    params = {"a": {"type": "string"}, "b": {"type": "string"}}
    templates = {
        f"t{index}": {"params": params, "body": {"android": f"k{index}", "args": ["a", "b"]}} for index in range(TEXTS)
    }
    findings = [
        finding for finding in run(dragoman, folder, ["check"], templates)["findings"] if finding["rule"] == "BidiUnsafe"
    ]
    check(len({finding["key"] for finding in findings}) == len(findings), "a key is reported twice")
    check(len(findings) > TEXTS // 4, f"only {len(findings)} texts are reported")
    for finding in findings:
        text = texts[int(finding["key"][1:])]

        def filled(first, second):
            return shown(text.replace("%1$s", first).replace("%2$s", second))

        isolated = {value: f"\u2068{value}\u2069" for value in VALUES}
        is_moved = any(
            filled(first, second) != filled(isolated[first], isolated[second]) for first in VALUES for second in VALUES)
        check(is_moved, f"no arg reorders {text!r}")
    return len(findings)


dragoman = sys.argv[1]
numbers = random.Random(18)
with tempfile.TemporaryDirectory() as folder:
    write(folder, "values", {"k0": "x"})
    compare_args(dragoman, folder, numbers)
    found = compare_findings(dragoman, folder, numbers)
print(f"{ARGS} args, {found} findings of {TEXTS} texts, {failures} failed")
sys.exit(1 if failures else 0)
