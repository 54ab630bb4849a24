"""Compares the tables that Dragoman finds in the main bundle of an application with what pbxproj finds.

Usage: xcode_oracle.py DRAGOMAN WORK [PROJECTS]

pbxproj adds random tables to random targets of random projects and lists the resources of each target. Dragoman reads
what it saved.
"""

import json
import pathlib
import random
import subprocess
import sys

from pbxproj import XcodeProject

TYPES = {"application": "app", "framework": "framework", "app-extension": "appex"}
LANGUAGES = ["Base", "de", "en", "fr", "pt-BR", "zh-Hans"]


def skeleton(targets):
    def key(number):
        return f"{number:024X}"

    objects = {
        key(1): {
            "isa": "PBXProject", "mainGroup": key(2), "developmentRegion": "en", "buildConfigurationList": key(3),
            "targets": [key(100 + index) for index in range(len(targets))],
        },
        key(2): {"isa": "PBXGroup", "children": [], "sourceTree": "<group>"},
        key(3): {"isa": "XCConfigurationList", "buildConfigurations": [key(4)]},
        key(4): {"isa": "XCBuildConfiguration", "buildSettings": {"SDKROOT": "iphoneos"}, "name": "Release"},
    }
    for index, (name, kind) in enumerate(targets):
        objects[key(100 + index)] = {
            "isa": "PBXNativeTarget", "name": name, "productType": f"com.apple.product-type.{kind}",
            "buildPhases": [key(200 + index)], "buildRules": [], "dependencies": [], "buildConfigurationList": key(3),
        }
        objects[key(200 + index)] = {"isa": "PBXResourcesBuildPhase", "files": [], "buildActionMask": "2147483647"}
    return {"archiveVersion": "1", "classes": {}, "objectVersion": "50", "objects": objects, "rootObject": key(1)}


def resources(project, target):
    for phase in target.buildPhases:
        for file in project.objects[phase].files:
            yield project.objects[project.objects[file].fileRef].path


def compare(dragoman, folder, seed):
    chance = random.Random(seed)
    kinds = ["application"] + [chance.choice(list(TYPES)) for _ in range(chance.randint(0, 3))]
    targets = [(f"T{index} {kind}" if chance.random() < 0.3 else f"T{index}", kind) for index, kind in enumerate(kinds)]
    path = folder / "App.xcodeproj" / "project.pbxproj"
    path.parent.mkdir(parents=True)
    project = XcodeProject(skeleton(targets), str(path))
    project.save()
    project = XcodeProject.load(str(path))
    for index in range(chance.randint(1, 12)):
        place = f"Dir {index}" if chance.random() < 0.3 else f"Dir{index}"
        file = f"{place}/{chance.choice(LANGUAGES)}.lproj/Localizable.strings"
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(f'"KEY_{index}" = "text";\n')
        owners = [name for name, _ in targets if chance.random() < 0.5]
        if owners:
            project.add_file(str(folder / file), tree="SOURCE_ROOT", target_name=owners, force=False)
    project.save()
    project = XcodeProject.load(str(path))
    for target in project.objects.get_targets():
        if target.productType != "com.apple.product-type.application":
            continue
        expected = {}
        for file in resources(project, target):
            keys = [line.split('"')[1] for line in (folder / file).read_text().splitlines()]
            expected.setdefault(pathlib.Path(file).parent.stem, set()).update(keys)
        command = [dragoman, "strings", "--ios", str(path.parent), "--target", target.name, "--format", "json"]
        printed = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        found = {name: set(table) for name, table in printed["locales"].items()}
        assert found == expected, f"seed {seed}, {target.name}: Dragoman {found}, pbxproj {expected}"
        bundles = {entry["bundle"] for table in printed["locales"].values() for entry in table.values()}
        assert bundles <= {target.name}, f"seed {seed}: {bundles}"
        yield len(expected)


def main():
    dragoman, work = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    applications = [tables for seed in range(count) for tables in compare(dragoman, work / str(seed), seed)]
    assert sum(applications) > count, "the projects have hardly any tables"
    print(f"xcode: {count} projects, {len(applications)} applications and {sum(applications)} tables agree with pbxproj")


if __name__ == "__main__":
    main()
