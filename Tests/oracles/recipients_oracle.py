#!/usr/bin/env python3
"""Checks the texts that the gateway makes for recipients: their formats with java.util.Formatter, their plurals, numbers
and dates with Babel's copy of CLDR.

    pip install 'Babel>=2.18,<2.19'
    java Tests/oracles/FormatterOracle.java 4 1000 > vectors.tsv
    python3 Tests/oracles/recipients_oracle.py write FOLDER vectors.tsv
    dragoman dev --catalog FOLDER/catalog.yaml
    python3 Tests/oracles/recipients_oracle.py compare vectors.tsv http://127.0.0.1:8080

`write` makes an app with the formats of the vectors and with a plural whose forms are the names of their categories.
`compare` asks the gateway with `validate_only` for the message of each recipient. It checks that:

- a text has what Java formats, and is refused as not-renderable where Java throws or formats nothing,
- the form of a plural is that of the language's category, for every language that Babel knows,
- numbers, percentages, amounts, dates and times are what Babel writes, except for the differences that are listed.

Exits with 1 if a check fails.
"""

import collections
import datetime
import decimal
import http.client
import json
import os
import sys
import urllib.parse

from babel import Locale, dates, localedata, numbers

# Plural rules: see plurals_oracle.py.
PLURAL_DIFFERENCES = {
    **{f"pt-{region}": "pt" for region in "AO CH CV GQ GW LU MO MZ ST TL".split()},
    "ht": "ja", "ht-HT": "ja",
}
CATEGORIES = ["zero", "one", "two", "few", "many", "other"]
COUNTS = [0, 1, 2, 3, 5, 11, 21, 22, 100, 101, 1_000_000]

# Languages of the comparison with Babel: widely spoken ones, and their larger regions.
LOCALES = """
    af am az be bg bs ca cs cy da de de-AT de-CH el en-GB en-US es et eu fi fil fr fr-CA fr-CH ga gl he hr hu hy id is it
    ja ka kk km ko ky lo lt lv mk mn ms my nb nl pl pt-BR pt-PT ro ru sk sl sq sr sr-Latn sv sw ta te th tr uk uz vi zh-CN
    zh-TW zu
""".split()
MOMENT = datetime.datetime(2026, 11, 22, 18, 30, 45, tzinfo=datetime.timezone.utc)
NUMBER, SHARE, AMOUNT = "1234567.8912", "0.25", "1234567.5"
FORMATS = {
    "number": ("number", "number", NUMBER), "percent": ("number", "percent", SHARE),
    "eur": ("number", {"currency": "EUR"}, AMOUNT), "jpy": ("number", {"currency": "JPY"}, AMOUNT),
    **{f"date_{length}": ("date", length, "2026-11-22") for length in ("short", "medium", "long")},
    **{f"time_{length}": ("time", length, "18:30:45") for length in ("short", "medium")},
    "at": ("datetime", "short", "2026-11-22T18:30:45Z"),
}

# Where the data of the toolchain's ICU, which is Apple's edition of CLDR 46, differs from Babel's CLDR 47. By format, the
# languages in which it does, with the reason. A difference that is not listed fails, and so does one that no longer
# exists.
KNOWN_DIFFERENCES = {
    # Babel writes Latin digits only.
    "number": "my",
    # Babel writes Latin digits only.
    "percent": "my",
    # Babel writes Latin digits only; Apple's Swiss French has the currency first.
    "eur": "fr-CH my",
    # As for EUR; Japan's own sign, and a space before the sign, are Apple's.
    "jpy": "fr-CH ja km my",
    # Apple writes years in full, and without spaces.
    "date_short": "cs hr ko my sk",
    # Apple's own wording and spaces.
    "date_medium": "ca cs hr my sk vi",
    # Apple's own wording.
    "date_long": "my vi",
    # Apple writes hours by the clock of the region, and CLDR 46 has other names for the halves of the day.
    "time_short": "el fr-CA ko my sq",
    # As in the short time.
    "time_medium": "el fr-CA ko my sq",
    # Babel joins date and time with the pattern of another CLDR version; and as for short dates and times.
    "at": "az bs cs cy da el et fi fr-CA ga hr id ko mk my pt-BR sk sq sw",
}

failures = 0


def check(holds, what, problem):
    global failures
    if not holds:
        failures += 1
        if failures <= 50:
            print(f"FAIL {what}: {problem}")


def unescaped(text):
    result, escaped = [], False
    for character in text:
        if escaped:
            result.append({"t": "\t", "n": "\n", "r": "\r"}.get(character, character))
        elif character != "\\":
            result.append(character)
        escaped = character == "\\" and not escaped
    return "".join(result)


def vectors(path):
    """Language, outcome, format and args of each line; without args a phone does not format at all."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            language, outcome, format, *args = line.rstrip("\n").split("\t")
            # U+FFFD stands for half a surrogate pair, which no file of strings can hold.
            if args and "\ufffd" not in outcome + format:
                yield language, unescaped(outcome), unescaped(format), [unescaped(arg) for arg in args]


def languages():
    """Every language, and those of its regions and scripts whose plural rule is not the language's."""
    names = [name for name in localedata.locale_identifiers() if name != "root"]
    rules = {name: Locale.parse(name).plural_form.rules for name in names}
    return [name for name in names if "_" not in name or rules[name] != rules[name.split("_")[0]]]


def write(folder, path):
    strings, templates = {}, {}
    for index, (_, _, format, args) in enumerate(vectors(path)):
        strings[f"k{index}"] = {"kind": "string", "text": format, "file": "v", "line": 1}
        names = [f"a{number}" for number in range(len(args))]
        templates[f"v{index}"] = {
            "params": {name: {"type": "string"} for name in names}, "body": {"android": f"k{index}", "args": names}}
    forms = {category: f"{category} %s" for category in CATEGORIES}
    plural = {"plural": {"kind": "plural", "text": None, "forms": forms, "file": "v", "line": 1}}
    tables = {"default": {**strings, **plural}}
    for name in languages():
        tables[name.replace("_", "-")] = plural
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "app.json"), "w", encoding="utf-8") as file:
        json.dump({"platform": "android", "version": "1.0", "package": "a", "locales": tables, "problems": []}, file)
    templates["plural"] = {
        "params": {"count": {"type": "integer"}},
        "body": {"android": "plural", "args": ["count"], "plural": "count"}}
    params = {name: {"type": type, "format": format} for name, (type, format, _) in FORMATS.items()}
    templates["formats"] = {"params": params, "body": {"android": "k0", "args": list(params)}}
    catalog = {
        "version": 1, "resources": {"android": "app.json", "development_language": "en"},
        "plurals": {"languages": ["en"]}, "templates": templates}
    with open(os.path.join(folder, "catalog.yaml"), "w", encoding="utf-8") as file:
        json.dump(catalog, file)


class Gateway:
    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=60)

    def notification(self, template, args, locale, render):
        """The notification of the recipient's message on Android; None where none can be made."""
        body = {
            "template": template, "to": {"token": "t"}, "args": args, "validate_only": True, "render": render,
            "recipient": {"platform": "android", "locale": locale}}
        self.connection.request(
            "POST", "/v1/notifications", json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        if answer.status == 422 and content["type"] == "/problems/not-renderable":
            return None
        if answer.status != 200:
            sys.exit(f"{template} {locale}: {content}")
        return content["deliveries"][0]["message"]["android"]["notification"]


def compare_texts(gateway, path):
    count = 0
    for index, (language, outcome, format, args) in enumerate(vectors(path)):
        found = gateway.notification(
            f"v{index}", {f"a{number}": arg for number, arg in enumerate(args)}, language, "gateway")
        expected = outcome[1:] if outcome.startswith("=") and outcome != "=" else None
        text = found and found["body"]
        check(text == expected, f"{language} {format!r} {args}", f"{text!r} instead of {expected!r}")
        check(not found or "body_loc_key" not in found, format, "a loc key stands beside the text")
        count += 1
    return count


def compare_plurals(gateway):
    count = 0
    for name in languages():
        tag = name.replace("_", "-")
        rule = Locale.parse(PLURAL_DIFFERENCES.get(tag, name)).plural_form
        for number in COUNTS:
            found = gateway.notification("plural", {"count": number}, tag, "gateway")
            expected = f"{rule(number)} {number}"
            check(found and found["body"] == expected, f"plural {tag} {number}", f"{found} instead of {expected}")
            count += 1
    return count


def babel(locale):
    number, share, amount = (decimal.Decimal(text) for text in (NUMBER, SHARE, AMOUNT))
    result = {
        "number": numbers.format_decimal(number, locale=locale),
        "percent": numbers.format_percent(share, locale=locale),
        "eur": numbers.format_currency(amount, "EUR", locale=locale),
        "jpy": numbers.format_currency(amount, "JPY", locale=locale),
        "at": dates.format_datetime(MOMENT, "short", locale=locale),
    }
    for length in ("short", "medium", "long"):
        result[f"date_{length}"] = dates.format_date(MOMENT.date(), length, locale=locale)
    for length in ("short", "medium"):
        result[f"time_{length}"] = dates.format_time(MOMENT.time(), length, locale=locale)
    return result


def compare_formats(gateway):
    args = {name: value for name, (_, _, value) in FORMATS.items()}
    differences = collections.defaultdict(set)
    for tag in LOCALES:
        found = gateway.notification("formats", args, tag, "device")["body_loc_args"]
        expected = babel(Locale.parse(tag, sep="-"))
        for name, text in zip(FORMATS, found):
            if text != expected[name]:
                differences[name].add(tag)
                known = tag in KNOWN_DIFFERENCES.get(name, "").split()
                check(known, f"{name} {tag}", f"{ascii(text)} {text} instead of {ascii(expected[name])}")
    for name, listed in KNOWN_DIFFERENCES.items():
        gone = set(listed.split()) - differences[name]
        check(not gone, f"known differences of {name}", f"{' '.join(sorted(gone))} are none; remove them")
    return len(LOCALES) * len(FORMATS)


def compare(path, url):
    gateway = Gateway(url)
    texts = compare_texts(gateway, path)
    plurals = compare_plurals(gateway)
    formats = compare_formats(gateway)
    if failures:
        sys.exit(f"{failures} failed")
    print(
        f"{texts} texts as java.util.Formatter makes them, {plurals} plurals and {formats} numbers and dates as Babel "
        "writes them")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:])
    else:
        compare(*sys.argv[2:])
