"""Compares the strings of built apps as Dragoman reads them with independent readers:
apps_oracle.py DRAGOMAN RES…

Of each res folder, aapt2 builds an app in every form that android_apps.py knows. Its strings are compared with
`aapt2 dump resources`, or with androguard where aapt2 cannot read the form, and all forms with each other. An IPA is
compared with plistlib.
"""

import json
import pathlib
import plistlib
import re
import subprocess
import sys
import tempfile
import zipfile

from android_apps import build


def ours(dragoman: str, platform: str, path: pathlib.Path) -> dict:
    result = subprocess.run(
        [dragoman, "strings", f"--{platform}", str(path), "--format", "json"], capture_output=True, text=True
    )
    if result.returncode != 0:
        raise SystemExit(f"{path.name}: {result.stderr}")
    return json.loads(result.stdout)


def strings(answer: dict) -> dict[tuple[str, str], str]:
    return {
        (locale, key): entry["text"]
        for locale, entries in answer["locales"].items()
        for key, entry in entries.items()
        if entry["kind"] == "string"
    }


def tag(configuration: str) -> str | None:
    """The BCP 47 tag of aapt2's configuration; None for one with other qualifiers."""
    if configuration == "":
        return "default"
    if configuration.startswith("b+"):
        parts = configuration[2:].split("+")
        if "-" in configuration:
            return None
    else:
        parts = configuration.split("-")
        if len(parts) > 2 or len(parts) == 2 and not re.fullmatch("r([A-Z]{2}|[0-9]{3})", parts[1]):
            return None
        if not re.fullmatch("[a-z]{2,3}", parts[0]):
            return None
        parts = [parts[0]] + [part[1:] for part in parts[1:]]
    language = {"iw": "he", "in": "id", "ji": "yi"}.get(parts[0], parts[0])
    return "-".join([language] + parts[1:])


def dumped(path: pathlib.Path) -> dict[tuple[str, str], str]:
    """`aapt2 dump resources`: texts in quotes, unescaped, whose further lines are indented by six spaces."""
    text = subprocess.run(["aapt2", "dump", "resources", str(path)], capture_output=True, text=True, check=True).stdout
    found: dict[tuple[str, str], str] = {}
    name = None
    for entry in re.split(r"\n(?=    resource 0x|      \()", text):
        head = re.match(r"    resource 0x[0-9a-f]+ (\w+)/(\S+)", entry)
        if head:
            name = head.group(2) if head.group(1) == "string" else None
        value = re.match(r'      \((.*?)\) (?:\(styled string\) )?"(.*)"', entry, re.DOTALL)
        if name and value and tag(value.group(1)):
            found[(tag(value.group(1)) or "", name)] = value.group(2).replace("\n      ", "\n")
    return found


def conditional(path: pathlib.Path) -> set[str]:
    """The names of strings with a value for some phones only (`-land`), which androguard takes for the default."""
    text = subprocess.run(["aapt2", "dump", "resources", str(path)], capture_output=True, text=True, check=True).stdout
    names, name = set(), ""
    for line in text.splitlines():
        head = re.match(r"    resource 0x[0-9a-f]+ string/(\S+)", line)
        name = head.group(1) if head else name
        value = re.match(r"      \((.*?)\) ", line)
        if value and tag(value.group(1)) is None:
            names.add(name)
    return names


def guarded(path: pathlib.Path) -> dict[tuple[str, str], str]:
    """androguard, which reads compact entries, reduced to the default values: it mixes up longer locales. It turns
    emoji into U+FFFD and references into nothing; such texts are left out."""
    import html

    from androguard.core.axml import ARSCParser
    from loguru import logger

    logger.remove()

    with zipfile.ZipFile(path) as archive:
        parser = ARSCParser(archive.read("resources.arsc"))
    package = parser.get_packages_names()[0]
    resources = parser.get_string_resources(package, "\x00\x00")
    root = re.findall(rb'<string name="(.*?)">(.*?)</string>', resources, re.DOTALL)
    texts = {name.decode(): text.decode() for name, text in root}
    plain = {
        name: text[9:-3] if text.startswith("<![CDATA[") else html.unescape(text) for name, text in texts.items()
    }
    return {("default", name): text for name, text in plain.items() if text and "\ufffd" not in text}


def compare(name: str, left: dict, right: dict) -> int:
    keys = set(right)
    wrong = [key for key in sorted(keys) if left.get(key) != right[key]]
    for key in wrong[:10]:
        print(f"{name} {key}: {left.get(key)!r} is {right[key]!r} there", file=sys.stderr)
    print(f"{name}: {len(keys)} strings, {len(wrong)} different")
    return len(wrong) + (0 if keys else 1)


def plural(one: str, other: str) -> dict:
    number = {"NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "NSStringFormatValueTypeKey": "d"}
    return {"NSStringLocalizedFormatKey": "%#@n@", "n": {**number, "one": one, "other": other}}


def ios_app() -> dict[str, bytes]:
    """The files of a built app: what Xcode's copy step writes, and what other tools leave in other forms."""
    binary, xml = plistlib.FMT_BINARY, plistlib.FMT_XML
    # Longer than the 14 that a marker's low half counts, of one and of two bytes a character.
    long = {f"LONG_{number}": ("é" if number % 2 else "x") * number for number in (14, 15, 16, 255, 256, 70_000)}
    tables = {
        "en": ({"TITLE": "Welcome 🎉", "BODY": "%@ wrote\n“x”", "": "empty key", "É": "é", "E\u0301": "e", **long}, binary),
        "zh-Hans": ({"TITLE": "欢迎", "BODY": "\u0000 \\ \""}, binary),
        "de": ({"TITLE": "Willkommen & <hallo>"}, xml),
        # More entries than one byte can count.
        "fr": ({f"KEY_{number}": f"Texte {number % 7}" for number in range(70_000)}, binary),
        "he": ({}, binary),
    }
    info = {"CFBundleIdentifier": "org.example.app", "CFBundleShortVersionString": "7.0", "DTPlatformName": "iphoneos"}
    files = {"Info.plist": plistlib.dumps(info, fmt=binary)}
    for language, (table, form) in tables.items():
        files[f"{language}.lproj/Localizable.strings"] = plistlib.dumps(table, fmt=form, sort_keys=False)
    plurals = {"COUNT": plural("%d message", "%d messages")}
    files["en.lproj/Localizable.stringsdict"] = plistlib.dumps(plurals, fmt=binary)
    files["PlugIns/Service.appex/en.lproj/Localizable.strings"] = plistlib.dumps({"OTHER": "x"}, fmt=binary)
    return files


def ipa(dragoman: str, folder: pathlib.Path) -> int:
    """An IPA, an .app and an .xcarchive have the strings that plistlib finds in their files."""
    files = ios_app()
    wanted = {
        (name.split(".lproj")[0], key): text
        for name, content in files.items() if re.fullmatch(r"[^/]+\.lproj/Localizable\.strings", name)
        for key, text in plistlib.loads(content).items()
    }
    with zipfile.ZipFile(folder / "App.ipa", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"Payload/T.app/{name}", content)
    for place in ("T.app", "T.xcarchive/Products/Applications/T.app"):
        for name, content in files.items():
            path = folder / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    properties = {"ApplicationProperties": {"ApplicationPath": "Applications/T.app"}}
    (folder / "T.xcarchive/Info.plist").write_bytes(plistlib.dumps(properties))
    faults = 0
    for name in ("App.ipa", "T.app", "T.xcarchive"):
        answer = ours(dragoman, "ios", folder / name)
        assert (answer["version"], answer["package"]) == ("7.0", "org.example.app"), answer
        assert answer["locales"]["en"]["COUNT"]["forms"] == {"one": "%d message", "other": "%d messages"}
        faults += compare(f"{name} and plistlib", strings(answer), wanted)
        extra = len(strings(answer).keys() - wanted.keys())
        if extra:
            print(f"{name}: {extra} strings that plistlib does not find", file=sys.stderr)
        faults += extra
    return faults


def main() -> int:
    dragoman, folders = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        faults += ipa(dragoman, work)
        for number, res in enumerate(folders):
            apps = work / str(number)
            build(res, apps)
            dense = strings(ours(dragoman, "android", apps / "dense.apk"))
            for form in ["dense.apk", "sparse.apk", "utf16.apk"]:
                read = strings(ours(dragoman, "android", apps / form))
                references = {key for key, text in dumped(apps / form).items() if text.startswith("@")}
                wanted = {key: text for key, text in dumped(apps / form).items() if key not in references}
                faults += compare(f"{res}: {form} and aapt2", read, wanted)
            compact = strings(ours(dragoman, "android", apps / "compact.apk"))
            skipped = conditional(apps / "dense.apk")
            wanted = {key: text for key, text in guarded(apps / "compact.apk").items() if key[1] not in skipped}
            faults += compare(f"{res}: compact.apk and androguard", compact, wanted)
            for form in ["sparse.apk", "compact.apk", "app.aab", "split.apks"]:
                read = strings(ours(dragoman, "android", apps / form))
                faults += compare(f"{res}: {form} and dense.apk", read, dense)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
