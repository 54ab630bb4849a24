#!/usr/bin/env python3
"""Checks that the table of alerts in docs/operations.md agrees with deploy/prometheus/dragoman.rules.yaml.

Both list the same alerts, in the same order, with the same urgency and duration; and a row contains each comparison and each
range of its alert's expression, with those of the recordings that it names.
"""

import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
URGENCIES = {"critical": "page", "warning": "ticket"}
COMPARISON = re.compile(r"(?:==|[<>]=?) [0-9.]+")
RANGE = re.compile(r"\[\d+[smh]\]")


def documented():
    """Alert -> (condition, urgency), from the table."""
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    section = re.search(r"^## Alerts\n(.*?)^## ", text, re.M | re.S)[1]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (\w+) \| .* \|$", section, re.M)
    return {name: (condition, urgency) for name, condition, urgency in rows}


def duration(text):
    """`10m` as the document says it."""
    minutes = int(text.removesuffix("m"))
    return f"for {minutes} minute{'' if minutes == 1 else 's'}"


def problems():
    groups = yaml.safe_load((ROOT / "deploy/prometheus/dragoman.rules.yaml").read_text(encoding="utf-8"))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    records = {rule["record"]: rule["expr"] for rule in rules if "record" in rule}
    alerts = {rule["alert"]: rule for rule in rules if "alert" in rule}
    table = documented()
    if list(table) != list(alerts):
        yield f"the document lists {list(table)}, the rules {list(alerts)}"
    for name in table.keys() & alerts.keys():
        condition, urgency = table[name]
        rule = alerts[name]
        expression = rule["expr"] + "".join(expr for record, expr in records.items() if record in rule["expr"])
        if urgency != URGENCIES[rule["labels"]["severity"]]:
            yield f"{name}: the document says {urgency}, the rule {rule['labels']['severity']}"
        said = re.findall(r"for \d+ minutes?", condition)
        if said != ([duration(rule["for"])] if "for" in rule else []):
            yield f"{name}: the document says {said}, the rule {rule.get('for', 'no duration')}"
        for pattern in (COMPARISON, RANGE):
            ours, theirs = set(pattern.findall(condition)), set(pattern.findall(expression))
            if ours != theirs:
                yield f"{name}: the document says {sorted(ours)}, the rule {sorted(theirs)}"


def main():
    found = list(problems())
    print("\n".join(found) or f"docs/operations.md describes the {len(documented())} alerts as they are")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
