"""Measures what a request to a topic in 40 languages costs, and by turns one to 40 devices: from HTTP to a recorded answer."""

import json
import os

from ..gateway import Gateway
from ..load import registration

PART = "languages"
LANGUAGES = (
    "af am ar bg bn ca cs da de el en es et fa fi fr gu hi hr hu hy is it ja ka kk km ko lt lv nb nl pl pt-BR ro ru sv th uk vi"
).split()
REQUESTS = 2_000


def run(bench):
    catalog = _catalog(os.path.join(bench.folder, PART))

    def measure():
        topic = _cpu(bench, catalog, {"topic": "news"})
        devices = _cpu(bench, catalog, {"tokens": [registration(number) for number in range(len(LANGUAGES))]})
        return [
            ("one to a topic in 40 languages: CPU", "µs/msg", topic, None),
            ("one to 40 devices: CPU", "µs/msg", devices, None),
            ("a language / a device: CPU", "×", topic / devices, ("≤", 1.15)),
        ]

    bench.repeat(PART, measure, count=5, seconds_max=120)


def _cpu(bench, catalog, to):
    """µs of the gateway's CPU for each message."""
    with Gateway(bench, "languages-gateway", settings={"apps": {"default": {"catalog": catalog}}}) as gateway:
        body = {"template": "new_message", "to": to, "args": {"sender": "Bob", "count": 12345}}
        for _ in range(5):
            gateway.post("/v1/notifications", body)
        gateway.wait_until_sent(5 * len(LANGUAGES), 30)
        before = gateway.cpu_seconds
        bench.h2load.run(f"{gateway.url}/v1/notifications", body, REQUESTS, 16)
        gateway.wait_until_sent((5 + REQUESTS) * len(LANGUAGES), 120)
        return (gateway.cpu_seconds - before) / (REQUESTS * len(LANGUAGES)) * 1e6


def _catalog(folder):
    """Writes the catalog of an app in these languages. Returns its path."""
    for language in LANGUAGES:
        values = os.path.join(folder, "res", "values" if language == "en" else "values-" + language.replace("-", "-r"))
        os.makedirs(values)
        text = f"{language}: %1$s a écrit %2$s nouveaux messages 新しいメッセージ"
        with open(os.path.join(values, "strings.xml"), "w") as file:
            file.write(f'<resources><string name="body">{text}</string></resources>')
    catalog = {
        "version": 1,
        "language": "app",
        "resources": {"android": "res", "development_language": "en"},
        "topics": {"news": {"by_language": LANGUAGES}},
        "templates": {
            "new_message": {
                "params": {"sender": {"type": "string"}, "count": {"type": "integer", "format": "number"}},
                "body": {"android": "body", "args": ["sender", "count"]},
                "fallback": {"body": "You have new messages."},
            }
        },
    }
    path = os.path.join(folder, "catalog.yaml")
    with open(path, "w") as file:
        json.dump(catalog, file)
    return path
