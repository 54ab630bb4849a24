"""Compares what Dragoman reads of an app's project with what it reads of the app that is built of it:
projects_oracle.py DRAGOMAN WORK [PROJECTS]

Of each random Gradle project, aapt2 links an APK for every release variant, in the order in which Android's build
merges source sets. Of each random Xcode project, the files are copied to where Xcode's build puts them in an IPA. The
project and the app must have the same texts, and `check` must find the same in both and give readers the same verdicts.
The verdict of a project in all its flavors is the worst of those that the apps of the flavors have.
"""

import itertools
import json
import pathlib
import plistlib
import random
import subprocess
import sys
import zipfile

from android_apps import MANIFEST, run, stub
from xcode_oracle import skeleton

KEYS = [f"key_{number}" for number in range(8)]
FOLDERS = ["values", "values-de", "values-fr", "values-b+sr+Latn"]
TEXTS = ["Hello", "%1$s wrote", "%1$s: %2$s", "%1$d new", "50% off", "{name}", "&lt;b&gt;%1$s", "key_0"]
SEVERITY = ["crash", "raw_key", "dropped", "garbled", "other_language", "fallback"]
# What only sources can show, or only a build.
OF_SOURCES = {"ResourceShrinker", "UnreadFile", "MissingDefaultKey"}


def ask(dragoman, *arguments):
    result = subprocess.run([dragoman, *map(str, arguments), "--format", "json"], capture_output=True, text=True)
    assert result.returncode in (0, 1) and result.stdout, f"{arguments}: {result.stderr}"
    return json.loads(result.stdout)


def texts(strings, flavor=None):
    """What each language has in a flavor, of the strings that the build leaves in the app."""
    found = {}
    for locale, table in strings["locales"].items():
        for key, entry in table.items():
            for choice in [entry, *entry.get("alternatives", [])]:
                if flavor is None or flavor in choice.get("variants", [flavor]):
                    found[locale, key] = choice["text"]
                    break
    if strings["platform"] == "android":
        found = {place: text for place, text in found.items() if ("default", place[1]) in found}
    return found


def checked(dragoman, folder, resources, slots):
    lines = [f"version: 1\nresources: {{{resources}, development_language: en}}\ntemplates:"]
    for key, count in slots.items():
        args = ", ".join("ab"[:count])
        params = ", ".join(f"{name}: {{type: string, max_length: 9}}" for name in "ab"[:count])
        platform = resources.split(":")[0]
        lines.append(f"  t_{key}: {{params: {{{params}}}, body: {{{platform}: {key}, args: [{args}]}}}}")
    catalog = folder / "catalog.yaml"
    catalog.write_text("\n".join(lines) + "\n")
    return ask(dragoman, "check", "--catalog", catalog)


def verdicts(report, platform):
    return {
        (template, locale): verdict
        for template, row in report["verdicts"].items()
        for verdict, locales in row[platform].items()
        for locale in locales
    }


def findings(report, skipped):
    found = set()
    for finding in report["findings"]:
        rule = finding["rule"]
        # An APK has nothing of the modules that its application does not depend on.
        if finding["platform"] == "android" and rule == "WrongBundle":
            rule = "MissingKey"
        if rule not in OF_SOURCES and finding["template"] not in skipped:
            found.add((rule, *(finding[name] for name in ("severity", "template", "locale", "key", "verdict"))))
    return found


def same_findings(source, built, what):
    """Keys without a default are in the project, but not in the app."""
    skipped = {finding["template"] for finding in source["findings"] if finding["rule"] == "MissingDefaultKey"}
    left, right = findings(source, skipped), findings(built, skipped)
    assert left == right, f"{what}: only the project {sorted(left - right, key=str)}, only the app {right - left}"
    return len(left)


class GradleApp:
    """A random project with modules and flavors, and the order in which its source sets win."""

    def __init__(self, folder, seed):
        self.folder, self.chance = folder, random.Random(seed)
        chance = self.chance
        self.dimensions = [["free", "pro"], ["play", "foss"]][: chance.randint(0, 2)]
        self.modules = {f"m{index}": [] for index in range(chance.randint(0, 4))}
        names = list(self.modules)
        self.app_modules = [
            (name, chance.choice([None, *self.dimensions[0]]) if self.dimensions else None)
            for name in names
            if chance.random() < 0.6
        ]
        for index, name in enumerate(names):
            self.modules[name] = [later for later in names[index + 1 :] if chance.random() < 0.4]
        self.sets = {}
        self.write()

    def write(self):
        folder, chance = self.folder, self.chance
        includes = ", ".join(f"':{name}'" for name in ["app", *self.modules])
        (folder / "app").mkdir(parents=True)
        (folder / "settings.gradle").write_text(f"include {includes}\n")
        flavors = "".join(
            f"{name} {{ dimension 'd{number}' }}\n" for number, names in enumerate(self.dimensions) for name in names
        )
        dimensions = ", ".join(f"'d{number}'" for number in range(len(self.dimensions)))
        block = f"flavorDimensions {dimensions}\nproductFlavors {{ {flavors} }}" if self.dimensions else ""
        names = [name for dimension in self.dimensions for name in dimension]
        configurations = {None: "implementation", **{name: f"{name}Implementation" for name in names}}
        dependencies = (f"{configurations[flavor]} project(':{name}')\n" for name, flavor in self.app_modules)
        (folder / "app" / "build.gradle").write_text(
            "plugins { id 'com.android.application' }\n"
            f"android {{ defaultConfig {{ resValue 'string', 'made', 'by the build' }}\n{block} }}\n"
            f"dependencies {{\n{''.join(dependencies)}}}\n"
        )
        for name, dependencies in self.modules.items():
            (folder / name).mkdir()
            (folder / name / "build.gradle").write_text(
                "plugins { id 'com.android.library' }\ndependencies {\n"
                + "".join(f"api project(':{other}')\n" for other in dependencies)
                + "}\n"
            )
            self.write_set(name, "main", 0.4)
        for name in {name for variant in self.variants() for name in self.app_sets(variant)} - {"main"}:
            if chance.random() < 0.5:
                self.write_set("app", name, 0.25)
        self.write_set("app", "main", 0.5)

    def write_set(self, module, source_set, density):
        for folder in FOLDERS:
            is_all = module == "app" and source_set == "main"
            if folder != "values" and not is_all and self.chance.random() < 0.4:
                continue
            strings = {key: self.chance.choice(TEXTS) for key in KEYS if self.chance.random() < density}
            if is_all:
                strings["anchor"] = "Anchor"
            if not strings:
                continue
            path = self.folder / module / "src" / source_set / "res" / folder / "strings.xml"
            path.parent.mkdir(parents=True)
            lines = (f'<string name="{key}">{text}</string>' for key, text in strings.items())
            path.write_text("<resources>" + "\n".join(lines) + "</resources>\n")

    def variants(self):
        return list(itertools.product(*self.dimensions))

    @staticmethod
    def joined(*parts):
        return parts[0] + "".join(part.capitalize() for part in parts[1:])

    def app_sets(self, flavors):
        """Those that win come first: https://developer.android.com/build/build-variants#sourceset-build."""
        combination = [self.joined(*flavors)] if len(flavors) > 1 else []
        variant = [self.joined(*flavors, "release")] if flavors else []
        return [*variant, "release", *combination, *flavors, "main"]

    def reached(self, flavors):
        """The modules in the order of the class path, which is that in which their resources win."""
        found = [name for name, flavor in self.app_modules if flavor is None or flavor in flavors]
        for name in found:
            found += [other for other in self.modules[name] if other not in found]
        return found

    def build(self, flavors, framework, work):
        folders = [self.folder / "app" / "src" / name / "res" for name in self.app_sets(flavors)]
        folders += [self.folder / name / "src" / "main" / "res" for name in self.reached(flavors)]
        made = work / "made" / "values"
        made.mkdir(parents=True)
        (made / "made.xml").write_text('<resources><string name="made">by the build</string></resources>')
        command = ["aapt2", "link", "-I", framework, "--manifest", work / "AndroidManifest.xml", "--auto-add-overlay"]
        (work / "AndroidManifest.xml").write_text(MANIFEST)
        for index, folder in enumerate([*reversed(folders), made.parent]):
            if folder.exists():
                run("aapt2", "compile", "--dir", folder, "-o", work / f"{index}.zip")
                command += ["-R", work / f"{index}.zip"]
        app = work / "app.apk"
        run(*command, "--min-sdk-version", "26", "--target-sdk-version", "34", "-o", app)
        return app


def compare_gradle(dragoman, folder, framework, seed):
    app = GradleApp(folder / "project", seed)
    slots = {key: app.chance.randint(0, 2) for key in [*KEYS, "anchor"]}
    place = f"project: {app.folder}, module: app"
    everything = ask(dragoman, "strings", "--android", app.folder, "--module", "app")
    whole = checked(dragoman, folder, f"android: {{{place}}}", slots)
    worst, count = {}, 0
    for flavors in app.variants():
        name = app.joined(*flavors, "release") if flavors else "release"
        work = folder / name
        work.mkdir()
        apk = app.build(flavors, framework, work)
        expected = texts(ask(dragoman, "strings", "--android", apk))
        one = ask(dragoman, "strings", "--android", app.folder, "--module", "app", "--variant", name)
        assert texts(one) == expected, f"seed {seed}, {name}: the project has other texts than the app"
        flavor = app.joined(*flavors) if flavors else None
        assert texts(everything, flavor) == expected, f"seed {seed}, {name}: all flavors have other texts than the app"
        source = checked(dragoman, folder, f"android: {{{place}, variant: {name}}}", slots)
        built = checked(dragoman, folder, f"android: {apk}", slots)
        assert source["locales"] == built["locales"], f"seed {seed}, {name}: other locales"
        assert verdicts(source, "android") == verdicts(built, "android"), f"seed {seed}, {name}: other verdicts"
        count += same_findings(source, built, f"seed {seed}, {name}")
        for cell, verdict in verdicts(built, "android").items():
            worst[cell] = min(worst.get(cell, "fallback"), verdict, key=SEVERITY.index)
    assert verdicts(whole, "android") == worst, f"seed {seed}: the verdict of all flavors is not their worst"
    for finding in whole["findings"]:
        is_missing = finding["rule"] == "MissingKey" and "flavors" in finding["message"]
        assert not is_missing or finding["verdict"] == "dropped", f"seed {seed}: {finding}"
    return len(app.variants()), count


def strings_file(entries):
    return "".join(f'"{key}" = "{text}";\n' for key, text in entries.items())


def random_tables(chance, owner, languages, density):
    pool = ["Hello", "%1$@ wrote", "%1$@: %2$@", "%1$d new", "100%", "{name}", "KEY_0"]
    tables = {
        language: {key.upper(): chance.choice(pool) for key in KEYS if chance.random() < density}
        for language in languages
        if chance.random() < 0.7
    }
    if owner != "App":
        tables.setdefault("de", {})[f"ONLY_{owner}"] = "x"
    return tables


def owners(strings):
    """The bundle of each key that no push message reaches; of several, any. None for another table of the app."""
    places = strings.get("out_of_reach", {})
    found = {key: (place.get("bundle") or "").partition(".")[0] or None for key, place in places.items()}
    return {key: owner if key.startswith("ONLY_") else owner is None for key, owner in found.items()}


def compare_xcode(dragoman, folder, seed):
    """An app with a framework, an extension, a Swift package and a table of another name."""
    chance = random.Random(seed)
    languages = ["en", "de", "fr", "pt-BR", "zh-Hans"]
    targets = [("App", "application"), ("Core", "framework"), ("Share", "app-extension")]
    bundles = {
        "App": "", "Core": "Frameworks/Core.framework/", "Share": "PlugIns/Share.appex/", "Kit": "Kit_Kit.bundle/",
    }
    root, packed = skeleton(targets), {}
    objects = root["objects"]
    groups = [("App", "Localizable"), ("App", "Other"), ("Core", "Localizable"), ("Share", "Localizable")]
    for index, (owner, table) in enumerate(groups):
        tables = random_tables(chance, owner, languages, 0.5)
        if (owner, table) == ("App", "Localizable"):
            tables.setdefault("en", {})["ANCHOR"] = "Anchor"
        children = []
        for number, (language, entries) in enumerate(tables.items()):
            file = f"{owner}/{language}.lproj/{table}.strings"
            packed[file] = (f"{bundles[owner]}{language}.lproj/{table}.strings", entries)
            children.append(f"{1000 + index * 100 + number:024X}")
            objects[children[-1]] = {"isa": "PBXFileReference", "path": file, "sourceTree": "SOURCE_ROOT"}
        group, build = f"{500 + index:024X}", f"{600 + index:024X}"
        objects[group] = {"isa": "PBXVariantGroup", "children": children, "sourceTree": "<group>"}
        objects[build] = {"isa": "PBXBuildFile", "fileRef": group}
        phase = f"{200 + [name for name, _ in targets].index(owner):024X}"
        objects[phase]["files"].append(build)
        objects[f"{2:024X}"]["children"].append(group)
    for language, entries in random_tables(chance, "Kit", languages, 0.5).items():
        file = f"Kit/Sources/Kit/Resources/{language}.lproj/Localizable.strings"
        packed[file] = (f"{bundles['Kit']}{language}.lproj/Localizable.strings", entries)
    project = folder / "App.xcodeproj"
    project.mkdir(parents=True)
    (project / "project.pbxproj").write_bytes(plistlib.dumps(root))
    (folder / "Kit").mkdir()
    (folder / "Kit" / "Package.swift").write_text("// swift-tools-version:5.9\n")
    info = {"CFBundleIdentifier": "org.example.app", "CFBundleDevelopmentRegion": "en"}
    ipa = folder / "App.ipa"
    with zipfile.ZipFile(ipa, "w") as archive:
        archive.writestr("Payload/App.app/Info.plist", plistlib.dumps(info, fmt=plistlib.FMT_BINARY))
        for file, (place, entries) in packed.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(strings_file(entries))
            archive.writestr(f"Payload/App.app/{place}", plistlib.dumps(entries, fmt=plistlib.FMT_BINARY))
    source, built = ask(dragoman, "strings", "--ios", project), ask(dragoman, "strings", "--ios", ipa)
    assert texts(source) == texts(built), f"seed {seed}: the project has other texts than the app"
    assert source.get("other_localizations") == built.get("other_localizations"), f"seed {seed}: other languages"
    assert owners(source) == owners(built), f"seed {seed}: keys are in other bundles"
    slots = {key.upper(): chance.randint(0, 2) for key in [*KEYS, "anchor"]}
    slots |= {f"ONLY_{owner}": 0 for owner in ("Core", "Share", "Kit")}
    reports = [checked(dragoman, folder, f"ios: {place}", slots) for place in (project, ipa)]
    assert reports[0]["locales"] == reports[1]["locales"], f"seed {seed}: other locales"
    assert verdicts(reports[0], "ios") == verdicts(reports[1], "ios"), f"seed {seed}: other verdicts"
    return same_findings(reports[0], reports[1], f"seed {seed}")


def main():
    dragoman, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    work.mkdir(parents=True)
    framework = stub(work)
    android = [compare_gradle(dragoman, work / f"gradle-{seed}", framework, seed) for seed in range(count)]
    ios = [compare_xcode(dragoman, work / f"xcode-{seed}", seed) for seed in range(count)]
    variants, found = (sum(numbers) for numbers in zip(*android))
    assert found > count and sum(ios) > count, "the projects have hardly any faults"
    print(
        f"projects: {count} Gradle projects agree with the APKs of their {variants} variants in {found} findings, and "
        f"{count} Xcode projects with their IPAs in {sum(ios)}"
    )


if __name__ == "__main__":
    main()
