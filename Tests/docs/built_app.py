"""The example app as a build leaves it: an APK made by aapt2, and an IPA with the binary tables that Xcode writes."""

import plistlib
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/oracles"))
import android_apps  # noqa: E402


def build(folder: Path) -> None:
    """Writes app/build/outputs/apk/release/app-release.apk and build/App.ipa into the folder."""
    app = ROOT / "config/example-app"
    apk = folder / "app/build/outputs/apk/release/app-release.apk"
    apk.parent.mkdir(parents=True)
    android_apps.release(str(app / "res"), str(apk))
    ipa = folder / "build/App.ipa"
    ipa.parent.mkdir()
    with zipfile.ZipFile(ipa, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name: str, content: object) -> None:
            archive.writestr(f"Payload/App.app/{name}", plistlib.dumps(content, fmt=plistlib.FMT_BINARY))

        add("Info.plist", {"CFBundleIdentifier": "org.example.app", "CFBundleShortVersionString": "7.1",
                           "CFBundleDevelopmentRegion": "en"})
        for strings in sorted(app.glob("*.lproj/*.strings")):
            pairs = re.findall(r'^"((?:[^"\\]|\\.)*)" = "((?:[^"\\]|\\.)*)";', strings.read_text(), re.M)
            table = {key: re.sub(r"\\(.)", r"\1", text) for key, text in pairs}
            add(f"{strings.parent.name}/{strings.name}", table)
        for plurals in sorted(app.glob("*.lproj/*.stringsdict")):
            add(f"{plurals.parent.name}/{plurals.name}", plistlib.loads(plurals.read_bytes()))
