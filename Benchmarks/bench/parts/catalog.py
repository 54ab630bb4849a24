"""Loads, checks and previews a catalog of 10,000 templates with the strings of an app in 160 languages."""

import os
import time

from .. import processes
from ..gateway import Gateway

PART = "catalog"
TEMPLATES = 10_000
KEYS = 1_000
LANGUAGES = (
    "af am ar as az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu ha hi hr hu hy ig is it iw ja jv "
    "ka kk km kn ko ky ln lo lt lv mk ml mn mr ms my nb ne nl nn or pa pl ps pt qu rm ro ru rw sd si sk sl so sq sr "
    "su sv sw ta te tg th tk tl tn tr tt ug uk ur uz vi wo xh yi yo zu"
).split()
REGIONS = "AT AU BE BR CA CH CN DE ES FR GB HK ID IE IN IT JP KR LU MX NL NZ PL PT RU SG TW US ZA".split()
LOCALES = 160


def run(bench):
    folder = os.path.join(bench.folder, "catalog")
    _write(folder)
    bench.repeat(PART, lambda: _measure(bench, os.path.join(folder, "catalog.yaml")), count=2, seconds_max=60)


def _locales():
    regional = [f"{language}-r{region}" for language in ("en", "es", "fr", "de", "zh", "ar") for region in REGIONS]
    return ([""] + [f"-{language}" for language in LANGUAGES] + [f"-{locale}" for locale in regional])[:LOCALES]


def _write(folder):
    for locale in _locales():
        values = os.path.join(folder, "res", f"values{locale}")
        os.makedirs(values, exist_ok=True)
        with open(os.path.join(values, "strings.xml"), "w") as file:
            file.write("<resources>\n")
            for key in range(KEYS):
                file.write(f'  <string name="text_{key}">Text {key} for %1$s of %2$s{locale}</string>\n')
            file.write("</resources>\n")
    with open(os.path.join(folder, "catalog.yaml"), "w") as file:
        file.write("version: 1\nresources: {android: res}\ntemplates:\n")
        for number in range(TEMPLATES):
            file.write(
                f"  template_{number}:\n"
                "    params: {name: {type: string, max_length: 64}, place: {type: string, max_length: 64}}\n"
                f"    body: {{android: text_{number % KEYS}, args: [name, place]}}\n"
            )


def _measure(bench, catalog):
    started = time.monotonic()
    processes.run([bench.binary, "check", "--catalog", catalog, "--format", "json"], 120)
    check = time.monotonic() - started
    settings = {"apps": {"default": {"catalog": catalog}}}
    with Gateway(bench, "catalog-gateway", settings=settings) as gateway:
        one = {"args": {"name": "Bob", "place": "Rome"}, "platforms": ["android"]}
        whole = _milliseconds(gateway, one)
        few = _milliseconds(gateway, dict(one, locales=["de", "fr-CA"]))
        memory, _ = gateway.memory_mib
        ready = gateway.ready_seconds
    return [
        ("check", "s", check, None),
        ("start to ready", "s", ready, None),
        ("preview in 160 locales", "ms", whole, None),
        ("preview in 2 locales", "ms", few, None),
        ("resident memory", "MiB", memory, None),
    ]


def _milliseconds(gateway, body):
    count = 20
    started = time.monotonic()
    for number in range(count):
        gateway.post(f"/v1/templates/template_{number}/preview", body)
    return (time.monotonic() - started) / count * 1000
