"""Loads, checks and previews catalogs of 60 and of 10,000 templates with the strings of an app in 160 languages."""

import os
import signal
import time

from .. import processes
from ..gateway import Gateway

PART = "catalog"
TEMPLATES = 10_000
FEW = 60
KEYS = 1_000
LANGUAGES = (
    "af am ar as az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu ha hi hr hu hy ig is it iw ja jv "
    "ka kk km kn ko ky ln lo lt lv mk ml mn mr ms my nb ne nl nn or pa pl ps pt qu rm ro ru rw sd si sk sl so sq sr "
    "su sv sw ta te tg th tk tl tn tr tt ug uk ur uz vi wo xh yi yo zu"
).split()
REGIONS = "AT AU BE BR CA CH CN DE ES FR GB HK ID IE IN IT JP KR LU MX NL NZ PL PT RU SG TW US ZA".split()
LOCALES = 160
# A word in the letters of the languages that are not written in Latin ones, which `check` looks at.
WORDS = {
    "ዜና": "am", "خبر": "ar fa ps sd ug ur", "খবর": "as bn", "новость": "be bg kk ky mk mn ru sr tg uk", "νέα": "el",
    "સમાચાર": "gu", "חדשות": "he iw yi", "समाचार": "hi mr ne", "լուր": "hy", "お知らせ": "ja", "ამბავი": "ka", "ដំណឹង": "km",
    "ಸುದ್ದಿ": "kn", "소식": "ko", "ຂ່າວ": "lo", "വാർത്ത": "ml", "သတင်း": "my", "ଖବର": "or", "ਖ਼ਬਰ": "pa", "පුවත්": "si",
    "செய்தி": "ta", "వార్త": "te", "ข่าว": "th", "消息": "zh",
}  # fmt: skip
RELOADS = "dragoman_catalog_reloads_total"


def run(bench):
    folder = os.path.join(bench.folder, "catalog")
    _write(folder)
    bench.repeat(PART, lambda: _measure_few(bench, folder), count=5, seconds_max=60)
    bench.repeat(PART, lambda: _measure(bench, os.path.join(folder, "catalog.yaml")), count=2, seconds_max=60)


def _locales():
    regional = [f"{language}-r{region}" for language in ("en", "es", "fr", "de", "zh", "ar") for region in REGIONS]
    return ([""] + [f"-{language}" for language in LANGUAGES] + [f"-{locale}" for locale in regional])[:LOCALES]


def _write(folder):
    words = {language: word for word, languages in WORDS.items() for language in languages.split()}
    for number, locale in enumerate(_locales()):
        word = words.get(locale[1:].split("-")[0], "Text")
        values = os.path.join(folder, "res", f"values{locale}")
        os.makedirs(values, exist_ok=True)
        with open(os.path.join(values, "strings.xml"), "w") as file:
            file.write("<resources>\n")
            for key in range(KEYS):
                file.write(f'  <string name="text_{key}">{word} {key}: %1$s, %2$s ({number})</string>\n')
            file.write("</resources>\n")
    _write_catalog(os.path.join(folder, "catalog.yaml"), TEMPLATES)
    _write_catalog(os.path.join(folder, "few.yaml"), FEW)


def _write_catalog(path, templates):
    with open(path, "w") as file:
        file.write("version: 1\nresources: {android: res}\ntemplates:\n")
        for number in range(templates):
            file.write(
                f"  template_{number}:\n"
                "    params: {name: {type: string, max_length: 64}, place: {type: string, max_length: 64}}\n"
                f"    body: {{android: text_{number % KEYS}, args: [name, place]}}\n"
            )


def _measure_few(bench, folder):
    catalog = os.path.join(folder, "few.yaml")
    _, check = processes.timed([bench.binary, "check", "--catalog", catalog, "--format", "json"], 120)
    _, preview = processes.timed([bench.binary, "preview", "template_0", "--catalog", catalog, "--format", "json"], 120)
    with Gateway(bench, "catalog-gateway", settings={"apps": {"default": {"catalog": catalog}}}) as gateway:
        ready, start = gateway.ready_seconds, gateway.cpu_seconds
        # Reads what was too young to be kept at the start.
        _reload(gateway)
        unchanged = _reload(gateway)
        os.utime(os.path.join(folder, "res", "values-fr", "strings.xml"))
        changed = _reload(gateway)
    return [
        (f"{FEW} templates: check, CPU", "s", check, ("≤", 1)),
        (f"{FEW} templates: preview of one, CPU", "s", preview, ("≤", 0.3)),
        (f"{FEW} templates: start to ready", "s", ready, None),
        (f"{FEW} templates: start, CPU", "s", start, None),
        (f"{FEW} templates: reload of unchanged files, CPU", "s", unchanged, None),
        (f"{FEW} templates: reload after a change of one language, CPU", "s", changed, None),
    ]


def _reload(gateway):
    """The seconds of CPU that a reload takes."""

    def count():
        lines = [line for line in gateway.get("/metrics").splitlines() if line.startswith(RELOADS)]
        return sum(float(line.split()[-1]) for line in lines)

    before, reloads = gateway.cpu_seconds, count()
    gateway.process.send_signal(signal.SIGHUP)
    processes.wait_until(lambda: count() > reloads, 60, "the reload", pause=0.1)
    return gateway.cpu_seconds - before


def _measure(bench, catalog):
    check, _ = processes.timed([bench.binary, "check", "--catalog", catalog, "--format", "json"], 120)
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
