"""Builds Android apps of a res folder with aapt2, in every form that its strings can ship in.

android_apps.py RES FOLDER writes FOLDER/dense.apk, sparse.apk, compact.apk, utf16.apk, collapsed.apk, shrunk.aab,
app.aab and split.apks. It needs aapt and aapt2 (Debian's package aapt) and no Android SDK: a stub of the framework
has the few attributes that a manifest names.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

STUB = {
    "versionCode": (0x0101021B, "integer"),
    "versionName": (0x0101021C, "string"),
    "minSdkVersion": (0x0101020C, "integer|string"),
    "targetSdkVersion": (0x01010270, "integer|string"),
    "label": (0x01010001, "string|reference"),
    "hasCode": (0x0101000C, "boolean"),
    "versionCodeMajor": (0x01010576, "integer"),
}
MANIFEST = """<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="org.example.app"
  android:versionCode="410" android:versionName="4.1.0"><application android:label="app"/></manifest>"""
# bundletool 1.18.1, splits by ABI, density and language (config.proto).
BUNDLE_CONFIG = bytes.fromhex("0a0812 06312e31382e31 12 0e 0a0c 0a020801 0a020802 0a020803".replace(" ", ""))


def run(*command: object) -> None:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {result.stderr}{result.stdout}")


def stub(folder: pathlib.Path) -> pathlib.Path:
    values = folder / "stub" / "values"
    values.mkdir(parents=True)
    lines = (
        f'<attr name="{name}" format="{kind}"/><public type="attr" name="{name}" id="0x{number:08x}"/>'
        for name, (number, kind) in STUB.items()
    )
    (values / "a.xml").write_text("<resources>" + "".join(lines) + "</resources>")
    (folder / "stub.xml").write_text('<manifest package="android"/>')
    run("aapt2", "compile", "--dir", values.parent, "-o", folder / "stub.zip")
    made = folder / "stub.apk"
    manifest = folder / "stub.xml"
    run("aapt2", "link", "-x", "--allow-reserved-package-id", "-o", made, "--manifest", manifest, folder / "stub.zip")
    return made


def compact(table: bytes) -> bytes:
    """The table with compact entries and 16-bit offsets, which aapt2 writes for Android 14 and later only."""

    def type_chunk(chunk: bytes) -> bytes:
        header_size, _, kind, flags, count, start = struct.unpack_from("<HIBBxxII", chunk, 2)
        offsets = struct.unpack_from(f"<{count}I", chunk, header_size)
        entries, places = b"", []
        for offset in offsets:
            if offset == 0xFFFFFFFF:
                places.append(0xFFFF)
                continue
            size, entry_flags, key = struct.unpack_from("<HHI", chunk, start + offset)
            places.append(len(entries) // 4)
            if entry_flags & 1:
                items = struct.unpack_from("<I", chunk, start + offset + 12)[0]
                entries += chunk[start + offset : start + offset + size + 12 * items]
            else:
                value_type, data = struct.unpack_from("<BI", chunk, start + offset + size + 3)
                entries += struct.pack("<HHI", key, entry_flags | 8 | value_type << 8, data)
        index = struct.pack(f"<{count}H", *places)
        index += b"\0" * (-len(index) % 4)
        body = chunk[20:header_size] + index + entries
        head = struct.pack("<HHIBBxxII", 0x0201, header_size, 20 + len(body), kind, flags | 2, count, header_size + len(index))
        return head + body

    def chunks(data: bytes):
        position = 0
        while position < len(data):
            size = struct.unpack_from("<I", data, position + 4)[0]
            yield data[position : position + size]
            position += size

    def package(chunk: bytes) -> bytes:
        header_size = struct.unpack_from("<H", chunk, 2)[0]
        body = b"".join(type_chunk(c) if c[:2] == b"\x01\x02" else c for c in chunks(chunk[header_size:]))
        return chunk[:4] + struct.pack("<I", header_size + len(body)) + chunk[8:header_size] + body

    body = b"".join(package(c) if c[:2] == b"\0\x02" else c for c in chunks(table[12:]))
    return table[:4] + struct.pack("<I", 12 + len(body)) + table[8:12] + body


def without_values(table: bytes, name: str) -> bytes:
    """The resources.pb without the values of one string, as the resource shrinker leaves it."""

    def varint(value: int) -> bytes:
        out = b""
        while value > 0x7F:
            out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
        return out + bytes([value])

    def fields(data: bytes):
        position = 0

        def read() -> int:
            nonlocal position
            value = shift = 0
            while True:
                byte = data[position]
                position += 1
                value |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    return value

        while position < len(data):
            tag = read()
            if tag & 7 == 2:
                size = read()
                yield tag >> 3, 2, data[position : position + size]
                position += size
            else:
                yield tag >> 3, tag & 7, read()

    def write(parts) -> bytes:
        out = b""
        for number, wire, value in parts:
            out += varint(number << 3 | wire) + (varint(len(value)) + value if wire == 2 else varint(value))
        return out

    def entry(data: bytes) -> bytes:
        parts = list(fields(data))
        if (2, 2, name.encode()) in parts:
            parts = [part for part in parts if part[0] != 6]
        return write(parts)

    def kind(data: bytes) -> bytes:
        parts = list(fields(data))
        if (2, 2, b"string") not in parts:
            return data
        return write((n, w, entry(v) if n == 3 else v) for n, w, v in parts)

    def package(data: bytes) -> bytes:
        return write((n, w, kind(v) if n == 3 else v) for n, w, v in fields(data))

    return write((n, w, package(v) if n == 2 else v) for n, w, v in fields(table))


def replaced(source: pathlib.Path, target: pathlib.Path, name: str, change) -> None:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.namelist():
            content = old.read(item)
            new.writestr(entry(item), change(content) if item == name else content)


def entry(name: str, method: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    """Without the time, so that two runs write the same bytes."""
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    return info


def bundle(proto: pathlib.Path, target: pathlib.Path, change=lambda content: content) -> None:
    with zipfile.ZipFile(proto) as old, zipfile.ZipFile(target, "w") as new:
        new.writestr(entry("BundleConfig.pb"), BUNDLE_CONFIG)
        manifest = old.read("AndroidManifest.xml")
        new.writestr(entry("base/manifest/AndroidManifest.xml", zipfile.ZIP_DEFLATED), manifest)
        new.writestr(entry("base/resources.pb", zipfile.ZIP_DEFLATED), change(old.read("resources.pb")))


def release(res: str, target: str) -> None:
    """One APK, as a release build makes it."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        manifest = work / "AndroidManifest.xml"
        manifest.write_text(MANIFEST)
        run("aapt2", "compile", "--dir", res, "-o", work / "res.zip")
        link = ["aapt2", "link", "-I", stub(work), "--manifest", manifest, "--min-sdk-version", "26"]
        run(*link, "--target-sdk-version", "34", "-o", target, work / "res.zip")


def build(res: pathlib.Path, folder: pathlib.Path, shrunk: str = "plain") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        framework = stub(work)
        manifest = work / "AndroidManifest.xml"
        manifest.write_text(MANIFEST)
        run("aapt2", "compile", "--dir", res, "-o", work / "res.zip")
        link = ["aapt2", "link", "-I", framework, "--manifest", manifest, "--min-sdk-version", "26"]
        link += ["--target-sdk-version", "34", "-o"]
        run(*link, folder / "dense.apk", work / "res.zip")
        run(*link, folder / "sparse.apk", "--enable-sparse-encoding", work / "res.zip")
        run(*link, work / "proto.apk", "--proto-format", work / "res.zip")
        languages = ["fr", "de", "es-r419"] if (res / "values-fr").exists() else []
        splits = [part for tag in ["fr", "de"] for part in ("--split", f"{work}/base-{tag}.apk:{tag}")]
        run(*link, work / "base-master.apk", *(splits if languages else []), work / "res.zip")
        replaced(folder / "dense.apk", folder / "compact.apk", "resources.arsc", compact)
        run("aapt2", "optimize", "--enable-resource-obfuscation", "-o", folder / "collapsed.apk", folder / "dense.apk")
        run("aapt", "package", "-f", "-M", manifest, "-S", res, "-I", framework, "--utf16", "-F", folder / "utf16.apk")
        bundle(work / "proto.apk", folder / "app.aab")
        bundle(work / "proto.apk", folder / "shrunk.aab", lambda table: without_values(table, shrunk))
        with zipfile.ZipFile(folder / "split.apks", "w") as apks:
            apks.writestr(entry("toc.pb"), b"")
            for part in sorted(work.glob("base-*.apk")):
                apks.writestr(entry(f"splits/{part.name}"), part.read_bytes())


if __name__ == "__main__":
    build(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
