#!/usr/bin/env python3
"""Checks the texts that Dragoman takes from ARB, PO and i18next's JSON files with ICU, Python's gettext and i18next.

    pip install 'PyICU-wheels>=2.15,<3' 'polib>=1.2,<2'
    python3 Tests/oracles/sources_oracle.py DRAGOMAN FOUNDATION_STRINGS

Makes an app with made-up texts in ten languages, writes its native strings with `dragoman strings --write`, and compares
what `dragoman preview` shows for many numbers with what the app itself would show: an ARB message as ICU formats it, a
message of gettext as its .mo file, compiled by polib, gives it, and one of i18next as i18next itself (Debian's node-i18next)
gives it. The native strings must say the same as aapt2 compiles them
and as Foundation reads them, which FOUNDATION_STRINGS (FoundationStrings.swift) prints, and `dragoman check` must find so.

Exits with 1 if a text differs, and with 2 if the checks cannot run.
"""

import gettext
import json
import os
import re
import subprocess
import sys
import tempfile

import icu
import polib

import aapt2_flat

CATEGORIES = {
    "en": ["one", "other"], "de": ["one", "other"], "fr": ["one", "many", "other"], "pl": ["one", "few", "many", "other"],
    "ru": ["one", "few", "many", "other"], "ar": ["zero", "one", "two", "few", "many", "other"],
    "he": ["one", "two", "other"], "ja": ["other"], "cs": ["one", "few", "other"], "sl": ["one", "two", "few", "other"],
}
# As GNU gettext's manual has them.
PLURAL_FORMS = {
    "en": "nplurals=2; plural=(n != 1);", "de": "nplurals=2; plural=(n != 1);", "fr": "nplurals=2; plural=(n > 1);",
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
    "he": "nplurals=2; plural=(n != 1);", "ja": "nplurals=1; plural=0;",
    "cs": "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;",
    "sl": "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
}
NUMBERS = [0, 1, 2, 3, 4, 5, 10, 11, 12, 20, 21, 22, 25, 100, 101, 102, 103, 111, 1000, 1_000_000, 1_000_001]
KINDS = ["cat", "dog", "bird"]
WORDS = {"ar": "رسالة من", "he": "הודעה של", "ja": "のお知らせ", "ru": "сообщение «от»"}
SENDERS = ["Bob", "O'Neil 100% \"x\" {y} \\n", "دانا 🎉"]
ISOLATES = dict.fromkeys(map(ord, "\u2068\u2069"))

failures = 0
checks = 0


def check(place, shown, wanted):
    global failures, checks
    checks += 1
    if shown != wanted:
        failures += 1
        print(f"{place}: shows {shown!r}, the app {wanted!r}", file=sys.stderr)


def message(language):
    word = WORDS.get(language, "it is a \"message\" <b>from</b>")
    forms = " ".join(f"{name}{{{{count}} [{name}] {word} {{sender}}, 50% \\u00e9}}" for name in CATEGORIES[language])
    kinds = " ".join(f"{kind}{{🐾{kind}}}" for kind in KINDS[:2])
    return f"{{count, plural, =0{{no {word}}} {forms}}} & {{kind, select, {kinds} other{{?}}}}"


def po_file(language):
    po = polib.POFile()
    po.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Plural-Forms": PLURAL_FORMS[language]}
    word = WORDS.get(language, "it's \"from\"\tand 50%%")
    count = int(PLURAL_FORMS[language].split(";")[0].split("=")[1])
    po.append(polib.POEntry(
        msgid="%(count)d file of %(sender)s", msgid_plural="%(count)d files of %(sender)s", flags=["python-format"],
        msgstr_plural={index: f"%(count)d [{index}] {word} %(sender)s\n" for index in range(count)}))
    return po


def i18next_file(language):
    # A vowel sign and a joiner combine with the placeholder in front of them.
    word = WORDS.get(language, "it's \"from\" <b>100%</b> \\n")
    texts = {f"body_{name}": f"{{{{count}}}} [{name}] {word} {{{{- sender}}}}\u0940 50%\u200d" for name in CATEGORIES[language]}
    return {"new": {**texts, "body_zero": f"0 {word}", "body": f"{{{{ sender }}}} {word}"}}


# Prints what i18next shows for each of the questions on stdin: [[LANGUAGE, ARGS]…].
I18NEXT = """
const i18next = require("i18next");
const { texts, questions } = JSON.parse(require("fs").readFileSync(0));
const resources = Object.fromEntries(Object.entries(texts).map(([language, push]) => [language, { push }]));
i18next.init({ resources, ns: ["push"], fallbackLng: false, load: "currentOnly", interpolation: { escapeValue: false } });
console.log(JSON.stringify(questions.map(([lng, args]) => i18next.t("push:new.body", { ...args, lng }))));
"""


def i18next_texts():
    """(language, number) -> text, with the sender of the number."""
    places = [(language, index) for language in CATEGORIES for index in range(len(NUMBERS))]
    questions = [
        (language, {"count": NUMBERS[index], "sender": SENDERS[index % len(SENDERS)]}) for language, index in places]
    texts = {language: i18next_file(language) for language in CATEGORIES}
    shown = subprocess.run(
        ["node", "--eval", I18NEXT], input=json.dumps({"texts": texts, "questions": questions}), check=True,
        stdout=subprocess.PIPE, text=True, timeout=60, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"}).stdout
    return {(language, NUMBERS[index]): text for (language, index), text in zip(places, json.loads(shown))}


TEMPLATES = """templates:
  arb:
    params: {count: {type: integer}, sender: {type: string}, kind: {type: string, enum: [cat, dog, bird]}}
    body: {key: new.message, args: [count, sender, kind]}
  po:
    params: {count: {type: integer}, sender: {type: string}}
    body: {key: "%(count)d file of %(sender)s", args: [count, sender], plural: count}
  json:
    params: {count: {type: integer}, sender: {type: string}}
    body: {key: "push:new.body", args: [count, sender], plural: count}
"""


def run(dragoman, *options, folder, status=0):
    result = subprocess.run([dragoman, *options], cwd=folder, capture_output=True, text=True, timeout=120)
    if result.returncode not in (status, 1 if options[0] == "preview" else status):
        print(result.stderr, file=sys.stderr)
        sys.exit(2)
    return result.stdout


def native_strings(folder, foundation_strings):
    """(platform, language) -> name -> text."""
    tables = {("ios", language): table for language, table in json.loads(subprocess.run(
        [foundation_strings, os.path.join(folder, "app")], check=True, capture_output=True, timeout=60).stdout).items()}
    for values in os.listdir(os.path.join(folder, "res")):
        compiled = os.path.join(folder, "flat", values)
        os.makedirs(compiled)
        subprocess.run(
            ["aapt2", "compile", "--legacy", "-o", compiled, os.path.join(folder, "res", values, "dragoman_strings.xml")],
            check=True, timeout=60)
        # Android's own name of Hebrew.
        language = {"values": "en", "values-iw": "he"}.get(values, values.removeprefix("values-"))
        tables["android", language] = {
            name: text for flat in os.listdir(compiled)
            for (name, _), text in aapt2_flat.texts(os.path.join(compiled, flat)).items()}
    return tables


def filled(text, args):
    """A native text with its args, as java.util.Formatter and NSString write positions and percent signs."""
    return re.sub(r"%(?:%|(\d+)\$[s@])", lambda found: str(args[int(found[1]) - 1]) if found[1] else "%", text)


def main(dragoman, foundation_strings):
    dragoman, foundation_strings = os.path.abspath(dragoman), os.path.abspath(foundation_strings)
    with tempfile.TemporaryDirectory() as folder:
        for name in ["res/values", "app/en.lproj", "l10n", "po", "mo", "locales"]:
            os.makedirs(os.path.join(folder, name))
        translations = {}
        for language in CATEGORIES:
            with open(os.path.join(folder, f"l10n/app_{language}.arb"), "w", encoding="utf-8") as file:
                json.dump({"new.message": message(language)}, file, ensure_ascii=language == "ar", indent=2)
            po = po_file(language)
            po.save(os.path.join(folder, f"po/{language}.po"))
            po.save_as_mofile(os.path.join(folder, f"mo/{language}.mo"))
            with open(os.path.join(folder, f"mo/{language}.mo"), "rb") as file:
                translations[language] = gettext.GNUTranslations(file)
            os.makedirs(os.path.join(folder, "locales", language))
            with open(os.path.join(folder, "locales", language, "push.json"), "w", encoding="utf-8") as file:
                json.dump(i18next_file(language), file, ensure_ascii=language == "he")
        with open(os.path.join(folder, "catalog.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nresources: {android: res, ios: app, development_language: en, "
                       "sources: [{arb: l10n}, {gettext: 'po/{locale}.po'}, {i18next: 'locales/{locale}/push.json'}]}\n"
                       + TEMPLATES)
        run(dragoman, "strings", "--write", folder=folder)
        run(dragoman, "strings", "--check", folder=folder)
        compare(dragoman, folder, translations, native_strings(folder, foundation_strings))
        drift = json.loads(subprocess.run(
            [dragoman, "check", "--format", "json"], cwd=folder, capture_output=True, text=True, timeout=120).stdout)
        check("check", [f for f in drift["findings"] if f["rule"] in ("NativeDrift", "SourceUnsupported")], [])
    print(f"{checks} texts of sources in {len(CATEGORIES)} languages: {failures} differ")
    sys.exit(1 if failures else 0)


def compare(dragoman, folder, translations, native):
    shown_by_i18next = i18next_texts()
    for index, number in enumerate(NUMBERS):
        sender, kind = SENDERS[index % len(SENDERS)], KINDS[index % len(KINDS)]
        args = {"count": number, "sender": sender, "kind": kind}
        for template in ["arb", "po", "json"]:
            own = args if template == "arb" else {"count": number, "sender": sender}
            output = run(dragoman, "preview", template, "--args", json.dumps(own), "--format", "json", folder=folder)
            for preview in json.loads(output)["previews"]:
                language = "en" if preview["locale"] == "default" else preview["locale"]
                place = f"{template} {preview['platform']} {language} {number}"
                shown = (preview["body"]["text"] or "").translate(ISOLATES)
                wanted = (
                    shown_by_i18next[language, number] if template == "json"
                    else expected(template, language, args, translations))
                check(place, shown, wanted)
                text = native[preview["platform"], language].get(preview["body"]["key"], "")
                check(f"{place}, the native string", filled(text, list(own.values())), wanted)


def expected(template, language, args, translations):
    if template == "po":
        text = translations[language].ngettext(
            "%(count)d file of %(sender)s", "%(count)d files of %(sender)s", args["count"])
        return text % args
    # Apostrophes are ordinary without use-escaping, and ICU writes numbers in the locale's way: Dragoman's are plain.
    text = message(language).replace("{count}", "\u0001")
    formatted = icu.MessageFormat(text, icu.Locale(language)).format(
        ["count", "sender", "kind"],
        [icu.Formattable(args["count"]), icu.Formattable(args["sender"]), icu.Formattable(args["kind"])])
    return str(formatted).replace("\u0001", str(args["count"]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
