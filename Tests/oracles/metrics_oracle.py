#!/usr/bin/env python3
"""Checks a gateway's /metrics with promtool and the parsers of Prometheus' Python client.

    apt-get install prometheus; pip install prometheus_client==0.26.0
    python3 Tests/oracles/metrics_oracle.py http://127.0.0.1:8080/metrics

Checks the negotiation by Accept, that both formats have the same series, that promtool reports nothing, and that no label
holds an id. Exits with 1 if a check fails, and with 2 if the checks cannot run. Skips promtool if it is not in PATH.
"""

import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"

# Values of Accept from scrapers and browsers, with the content type to return.
ACCEPTS = [
    (None, TEXT),
    ("*/*", TEXT),
    ("text/plain", TEXT),
    ("text/plain;version=0.0.4", TEXT),
    ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT),
    ("application/json", TEXT),
    ("application/openmetrics-text;q=0.2, text/plain;q=0.3", TEXT),
    ("application/openmetrics-text;version=2.0.0, text/plain;q=0.1", TEXT),
    ("application/openmetrics-text", OPEN),
    ("application/openmetrics-text; version=1.0.0; charset=utf-8", OPEN),
    # Prometheus 2.42 and 3.
    ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", OPEN),
    ("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
     "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
     "text/plain;version=0.0.4;q=0.3,*/*;q=0.2", OPEN),
]

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9_-]{64,}", re.IGNORECASE)

failures = 0


def check(holds, what, detail=""):
    global failures
    if not holds:
        failures += 1
    print(f"{'ok  ' if holds else 'FAIL'} {what}{f': {detail}' if detail and not holds else ''}")


def fetch(url, accept):
    request = urllib.request.Request(url, headers={} if accept is None else {"Accept": accept})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.headers["Content-Type"], response.read().decode("utf-8", "strict")


def series(families):
    """The identities of all series, without their values, which change between scrapes. An info is a gauge in 0.0.4."""
    return {(sample.name, tuple(sorted(sample.labels.items()))) for family in families for sample in family.samples}


def parsed(what, parse, text):
    try:
        families = list(parse(text))
    except ValueError as error:
        check(False, what, str(error))
        return []
    check(bool(families), what, "no families")
    return families


def main(url):
    for accept, expected in ACCEPTS:
        content_type, _ = fetch(url, accept)
        check(content_type == expected, f"Accept {accept}", f"got {content_type}")

    _, text = fetch(url, None)
    _, open_text = fetch(url, OPEN)
    text_families = parsed("the text parser accepts 0.0.4", parser.text_string_to_metric_families, text)
    open_families = parsed(
        "the strict parser accepts OpenMetrics", openmetrics_parser.text_string_to_metric_families, open_text)
    differing = series(text_families) ^ series(open_families)
    check(not differing, "both formats have the same series", str(sorted(differing)[:5]))
    check(open_text.endswith("\n# EOF\n"), "OpenMetrics ends in # EOF")
    check("# EOF" not in text, "0.0.4 has no # EOF")

    for family in open_families:
        check(bool(family.documentation), f"{family.name} has a help text")
        for sample in family.samples:
            for label, value in sample.labels.items():
                if ID.fullmatch(value):
                    check(False, f"{family.name} has no id in a label", f"{label}={value}")

    promtool = shutil.which("promtool")
    if promtool:
        run = subprocess.run([promtool, "check", "metrics"], input=text, text=True, capture_output=True, timeout=60)
        check(run.returncode == 0 and not run.stderr, "promtool reports nothing", (run.stdout + run.stderr).strip())
    else:
        print("skip promtool: not installed")
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        sys.exit(main(sys.argv[1]))
    except (urllib.error.URLError, TimeoutError) as error:
        print(f"cannot scrape {sys.argv[1]}: {error}", file=sys.stderr)
        sys.exit(2)
