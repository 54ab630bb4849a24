#!/usr/bin/env python3
"""Checks that the alerts, recordings and the dashboard use existing metrics: names, labels and kinds.

  Tests/deploy/metrics_in_use.py            against the declarations in Sources/Telemetry/Metrics
  Tests/deploy/metrics_in_use.py URL        and against what a running gateway serves at URL/metrics

Exit 0 when all of them exist. promtool must be in PATH: it parses each expression.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
METRIC = re.compile(r"\b((?:dragoman|process)_[a-z0-9_]+)")
# Written by Prometheus at each scrape.
SCRAPED = {"up"}
TARGET_LABELS = {"job", "instance", "le"}


def declared():
    """Name -> (kind, labels), from the calls that declare metrics."""
    found = {}
    call = re.compile(
        r"registry\.(counter|histogram|collected|info|gauge)\(\s*\"([a-z0-9_]+)\"(.*?)\)\n", re.S)
    for file in sorted((ROOT / "Sources/Telemetry/Metrics").glob("*.swift")):
        for kind, name, rest in call.findall(file.read_text()):
            labels = re.search(r"labels: \[(.*?)\]", rest, re.S)
            quoted = re.findall(r'"([a-z_]+)"', labels[1]) if labels else []
            found[name] = (kind, set(quoted))
    return found


def series(metrics):
    """Series name -> labels, as a query names them."""
    names = {}
    for name, (kind, labels) in metrics.items():
        suffixes = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        for suffix in suffixes:
            names[name + suffix] = labels
    return names


def expressions():
    """(where, expression) of every rule and every panel."""
    found = []
    rules = (ROOT / "deploy/prometheus/dragoman.rules.yaml").read_text()
    for block in re.split(r"\n      - (?=alert|record)", rules)[1:]:
        name = block.split("\n", 1)[0].split(": ", 1)[1]
        body = re.search(r"\n        expr: (?:\|\n)?(.*?)(?=\n        [a-z]+:|\n\n|\Z)", block, re.S)
        found.append((name, body[1]))
    dashboard = json.loads((ROOT / "deploy/grafana/dragoman.json").read_text())
    for panel in dashboard["panels"]:
        found += [(panel["title"], target["expr"]) for target in panel.get("targets", [])]
    found += [(entry["name"], entry["expr"]) for entry in dashboard["annotations"]["list"]]
    return found, dashboard


def recorded(found):
    return {name for name, _ in found if ":" in name}


def names_in(expression):
    """The metrics that an expression names; what recordings are called and what stands in quotes is none."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    return METRIC.findall(re.sub(r"[a-z0-9_]+:[a-z0-9_:]+", "", bare))


def problems_of(where, expression, known, records):
    bare = re.sub(r'"[^"]*"', '""', expression)
    for name in names_in(expression):
        if name not in known:
            yield f"{where}: there is no metric {name}"
    for record in re.findall(r"\b[a-z]+:[a-z0-9_]+:[a-z0-9_]+", bare):
        if record not in records:
            yield f"{where}: there is no recording {record}"
    labels = set().union(*(known[n] for n in names_in(expression) if n in known)) | TARGET_LABELS
    for record in re.findall(r"\b([a-z]+):[a-z0-9_]+:[a-z0-9_]+", bare):
        labels.add(record)
    for name, matchers in re.findall(r"([a-z0-9_:]+)\{(.*?)\}", bare, re.S):
        own = (known.get(name, labels)) | TARGET_LABELS
        for label in re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)", matchers):
            if label not in own:
                yield f"{where}: {name} has no label {label}"
    for group in re.findall(r"\b(?:by|on|without) \(([^)]*)\)", bare):
        for label in filter(None, (part.strip() for part in group.split(","))):
            if label not in labels:
                yield f"{where}: groups by {label}, which its metrics do not have"


def parse_with_promtool(found):
    """Panels' expressions as rules, so that promtool parses them."""
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m").replace("$app", ".*")}
        for number, (_, expression) in enumerate(found)]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        result = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    return [] if result.returncode == 0 else [result.stdout + result.stderr]


def served(url):
    """Family names that a running gateway tells, with or without samples."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        return set(re.findall(r"^# TYPE (\S+)", answer.read().decode(), re.M))


def main():
    metrics = declared()
    known = series(metrics) | {name: TARGET_LABELS for name in SCRAPED}
    found, dashboard = expressions()
    problems = [p for where, e in found for p in problems_of(where, e, known, recorded(found))]
    for variable in dashboard["templating"]["list"]:
        for name, label in re.findall(r"label_values\((\w+), (\w+)\)", json.dumps(variable)):
            if label not in known.get(name, set()):
                problems.append(f"variable {variable['name']}: {name} has no label {label}")
    problems += parse_with_promtool(found)
    if len(sys.argv) > 1:
        used = {name for _, e in found for name in names_in(e)}
        families = served(sys.argv[1])
        for name in sorted(used):
            family = re.sub(r"_(bucket|sum|count)$", "", name)
            if family not in families and name not in families:
                problems.append(f"{sys.argv[1]}/metrics does not tell {family}")
    if len(metrics) < 20 or len(found) < 30:
        problems.append(f"only {len(metrics)} metrics and {len(found)} expressions were found")
    print("\n".join(problems) or f"{len(found)} expressions use only what the {len(metrics)} metrics offer")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
