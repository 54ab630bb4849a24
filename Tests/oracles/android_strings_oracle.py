#!/usr/bin/env python3
"""Compares Dragoman's reading of an Android app's strings with another reader's, entry by entry.

    pip install moz.l10n==0.15.0 lxml                      # or, for aapt2 itself: apt-get install aapt
    dragoman strings --android RES --format json > strings.json
    python3 Tests/oracles/android_strings_oracle.py RES strings.json [--aapt2 PATH [--flat] | --gradle]

The other reader is Mozilla's moz.l10n; with --gradle, an independent port of the Gradle plugin's text rules
(gradle_strings.py), which is what apps are built with; with --aapt2, Android's own compiler, which accepts only folders
that compile and link. With --flat, what aapt2 compiles of each file is compared before it is linked. Only folders whose name consists of a locale are compared. Exits with 1 if an
entry differs for no known reason, and with 2 if the comparison cannot run.

Known differences between moz.l10n and aapt2, which do not count:
- It trims white space in the presence of markup, and changes it around block elements: compared without white space.
- It keeps the quotes of tags in CDATA or entities, which aapt2 drops: compared without quotes.
- It keeps lone surrogates such as \\uD83D, which aapt2 drops: skipped.
- It returns the raw source of xliff:g: entries with escapes in it are skipped.
- It does not follow @string/x, as Dragoman does: skipped.
- It rejects a file that has elements other than strings: they are removed beforehand.
Of aapt2's dump, strings and plurals are compared. aapt2 truncates text at a NUL. References are followed here.
Where aapt2 alone differs from the Gradle plugin (docs/devices.md), the port decides.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

LEGACY = {"iw": "he", "in": "id", "ji": "yi"}
TEXT_ELEMENTS = ("string", "plurals", "string-array")


def table_name(qualifiers):
    """The table of qualifiers such as `fr-rCA` or `b+sr+Latn`; None if they are not a locale alone."""
    if not qualifiers:
        return "default"
    if qualifiers.startswith("b+"):
        subtags = qualifiers[2:].split("+")
    else:
        match = re.fullmatch(r"([a-z]{2,3})(?:-r([A-Z]{2}))?", qualifiers)
        if not match or match[1] == "car":
            return None
        subtags = [part for part in match.groups() if part]
    subtags[0] = LEGACY.get(subtags[0], subtags[0])
    return "-".join(subtags)


def values_files(res):
    for folder in sorted(os.listdir(res)):
        if folder != "values" and not folder.startswith("values-"):
            continue
        table = table_name(folder[len("values-"):])
        if table is None:
            continue
        for name in sorted(os.listdir(os.path.join(res, folder))):
            if name.endswith(".xml") and not name.startswith("."):
                yield table, os.path.join(res, folder, name)


class Comparison:
    """Compares the strings that Dragoman has read, and counts the results."""

    def __init__(self, strings):
        self.locales = strings["locales"]
        self.same = self.passed_over = self.different = 0
        # How often aapt2 alone differs from the Gradle plugin.
        self.deviations = 0
        self.seen = set()

    def compare(self, table, key, part, theirs, normalize=lambda text: text):
        """Compares one text. `part` is None for a string, the category of a plural, or the index in an array."""
        self.seen.add((table, key))
        entry = self.locales.get(table, {}).get(key)
        ours = None
        if entry is not None and part is None:
            ours = entry.get("text")
        elif entry is not None and isinstance(part, int):
            items = entry.get("items") or []
            ours = items[part] if part < len(items) else None
        elif entry is not None:
            ours = (entry.get("forms") or {}).get(part)
        if ours is not None and normalize(ours) == normalize(theirs):
            self.same += 1
        else:
            self.different += 1
            place = f"{entry['file']}:{entry['line']}: " if entry else ""
            print(f"{place}{table} {key} {'' if part is None else part}\n  ours   {ours!r}\n  theirs {theirs!r}")

    def finish(self, check_extra):
        if check_extra:
            for table, entries in self.locales.items():
                for key, entry in entries.items():
                    if (table, key) not in self.seen and table_name_of_file(entry["file"]) == table:
                        self.different += 1
                        print(f"{entry['file']}:{entry['line']}: {table} {key} is only in ours")
        deviations = f", {self.deviations} as aapt2 alone does not read them" if self.deviations else ""
        print(f"{self.same} the same, {self.different} different, {self.passed_over} skipped{deviations}")
        return 1 if self.different or not self.same else 0


def table_name_of_file(path):
    return table_name(os.path.basename(os.path.dirname(path))[len("values-"):])


# moz.l10n


def compare_with_moz(res, comparison):
    from lxml import etree
    from moz.l10n.formats.android.parse import android_parse
    from moz.l10n.model import Entry, SelectMessage

    done = set()
    for table, path in values_files(res):
        try:
            root = etree.parse(path, etree.XMLParser(resolve_entities=False))
            for element in list(root.getroot()):
                if isinstance(element.tag, str) and (element.tag not in TEXT_ELEMENTS or "product" in element.attrib):
                    root.getroot().remove(element)
            resource = android_parse(etree.tostring(root), ascii_spaces=True)
        except (ValueError, etree.XMLSyntaxError) as error:
            print(f"{path}: not read by moz.l10n: {error}")
            continue
        entities = {}
        for section in resource.sections:
            for entry in (item for item in section.entries if isinstance(item, Entry)):
                if section.id == ("!ENTITY",):
                    entities.setdefault(entry.id[0], moz_text(entry.value.pattern, entities)[0])
                    continue
                name, part = entry.id[0], int(entry.id[1]) if len(entry.id) > 1 else None
                if (table, entry.id) in done:
                    continue
                done.add((table, entry.id))
                if isinstance(entry.value, SelectMessage):
                    for (category,), pattern in entry.value.variants.items():
                        compare_moz(comparison, table, name, getattr(category, "value", category), pattern, entities)
                else:
                    compare_moz(comparison, table, name, part, entry.value.pattern, entities)


def compare_moz(comparison, table, key, part, pattern, entities):
    text, has_markup, is_judgeable = moz_text(pattern, entities)
    if not is_judgeable or any(0xD800 <= ord(character) < 0xE000 for character in text):
        comparison.seen.add((table, key))
        comparison.passed_over += 1
        return
    squeezed = (lambda text: re.sub(r"[\s\"]+", "", text)) if has_markup else (lambda text: text)
    comparison.compare(table, key, part, text, squeezed)


def moz_text(pattern, entities):
    """The text of a pattern, whether it has markup, and whether the text can be compared."""
    text, has_markup, is_judgeable = "", False, True
    for part in pattern:
        if isinstance(part, str):
            text += part
        elif type(part).__name__ == "Markup":
            has_markup = True
        elif part.function == "entity":
            text += entities.get(part.arg.name, f"&{part.arg.name};")
        elif part.function == "reference":
            is_judgeable = False
        else:
            source = part.attributes.get("source", part.arg if isinstance(part.arg, str) else "")
            has_markup |= part.function == "html"
            is_judgeable &= "translate" not in part.attributes or not re.search(r"[\\\"']", source)
            has_markup |= "translate" in part.attributes
            text += source
    return text, has_markup, is_judgeable


# aapt2


def compare_with_aapt2(res, comparison, aapt2):
    with tempfile.TemporaryDirectory() as scratch:
        archive, library = os.path.join(scratch, "res.zip"), os.path.join(scratch, "lib.apk")
        manifest = os.path.join(scratch, "AndroidManifest.xml")
        with open(manifest, "w", encoding="utf-8") as file:
            file.write('<manifest package="oracle.app"/>')
        values = os.path.join(scratch, "res")
        for _, path in values_files(res):
            copy_texts(path, os.path.join(values, os.path.relpath(path, res)))
        run(aapt2, "compile", "--legacy", "--dir", values, "-o", archive)
        run(aapt2, "link", "--no-resource-deduping", "--manifest", manifest, "-o", library, archive)
        dump = run(aapt2, "dump", "resources", library)
    texts = dict(parse_dump(dump))
    for (table, key, part), text in texts.items():
        comparison.compare(table, key, part, follow(texts, table, text))


def compare_with_gradle(res, comparison):
    from gradle_strings import File

    done = set()
    for table, path in values_files(res):
        for (key, part), text in File(path).texts.items():
            if (table, key, part) in done:
                continue
            done.add((table, key, part))
            if re.match(r"\s*[@?]", text):
                comparison.seen.add((table, key))
                comparison.passed_over += 1  # A reference, or an escaped sign that looks like one.
            else:
                comparison.compare(table, key, part, text)


def compare_with_flat(res, comparison, aapt2):
    from aapt2_flat import texts
    from gradle_strings import File

    done = set()
    with tempfile.TemporaryDirectory() as scratch:
        for index, (table, path) in enumerate(values_files(res)):
            folder = os.path.basename(os.path.dirname(path))
            target = os.path.join(scratch, "res", folder, os.path.basename(path))
            copy_texts(path, target)
            output = os.path.join(scratch, str(index))
            os.mkdir(output)
            run(aapt2, "compile", "--legacy", "-o", output, target)
            ours = File(path).texts
            for name in os.listdir(output):
                for (key, part), text in texts(os.path.join(output, name)).items():
                    if (table, key, part) in done:
                        continue
                    done.add((table, key, part))
                    comparison.compare(table, key, part, ours.get((key, part), text))
                    comparison.deviations += ours.get((key, part), text) != text


def copy_texts(path, target):
    """Copies a file without its other resources, which would have to be linked."""
    from lxml import etree

    document = etree.parse(path, etree.XMLParser(resolve_entities=False, strip_cdata=False))
    for element in list(document.getroot()):
        if isinstance(element.tag, str) and element.tag not in TEXT_ELEMENTS:
            document.getroot().remove(element)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    document.write(target, encoding="utf-8", xml_declaration=True)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        sys.stderr.write(f"{command[1]} failed:\n{result.stderr[:4000]}\n")
        sys.exit(2)
    return result.stdout


def parse_dump(dump):
    resource = re.compile(r"\n    resource 0x[0-9a-f]+ (string|plurals|array)/(\S+)[^\n]*(.*?)(?=\n    resource 0x|\n  type |\Z)", re.S)
    value = re.compile(r'\n      \(([\w+-]*)\) (?=["@]|\((?:styled string|plurals|array)\))(.*?)(?=\n      \([\w+-]*\) (?:["@]|\((?:styled string|plurals|array)\))|\Z)', re.S)
    for kind, key, values in resource.findall(dump):
        for qualifiers, written in value.findall(values):
            table = table_name(qualifiers)
            if table is None:
                continue
            if kind == "string":
                yield (table, key, None), dump_text(written, 6)
            elif kind == "plurals":
                for category, text in re.findall(r'\n        (zero|one|two|few|many|other)=(".*?"(?=\n|\Z)|@\S+)', written, re.S):
                    yield (table, key, category), dump_text(text, 8)


def dump_text(written, indent):
    written = re.sub(r"\n {%d}" % indent, "\n", written.removeprefix("(styled string) "))
    if written.startswith("@"):
        return "" if written.strip() in ("@null", "@empty") else written.strip()
    return written[1:written.rindex('"')] if written.count('"') > 1 else written


def follow(texts, table, text):
    for _ in range(20):
        match = re.fullmatch(r"@(?:[\w.]+:)?string/(\S+)", text)
        target = match and (texts.get((table, match[1], None)) or texts.get(("default", match[1], None)))
        if not target:
            break
        text = target
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("res")
    parser.add_argument("strings", help="the output of `dragoman strings --android RES --format json`")
    parser.add_argument("--aapt2", help="the path of aapt2")
    parser.add_argument("--flat", action="store_true", help="compare what aapt2 compiles, without linking it")
    parser.add_argument("--gradle", action="store_true", help="compare with the Gradle plugin's text rules")
    options = parser.parse_args()
    with open(options.strings, encoding="utf-8") as file:
        comparison = Comparison(json.load(file))
    if options.gradle:
        compare_with_gradle(options.res, comparison)
    elif options.aapt2 and options.flat:
        compare_with_flat(options.res, comparison, options.aapt2)
    elif options.aapt2:
        compare_with_aapt2(options.res, comparison, options.aapt2)
    else:
        compare_with_moz(options.res, comparison)
    return comparison.finish(check_extra=False)


if __name__ == "__main__":
    sys.exit(main())
