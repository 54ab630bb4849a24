"""Runs dragoman for the browser's tests: a gateway with an emulator, or one with several apps and keys."""

import contextlib
import hashlib
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time
import urllib.request

READY_SECONDS_MAX = 30
HERE = pathlib.Path(__file__).parent


def request(method, url, body=None):
    """Sends JSON and returns the JSON of the answer, None without any."""
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(call, timeout=READY_SECONDS_MAX) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def faults(emulator, *rules):
    """The answers that the emulator gives in place of its own."""
    request("PUT", emulator + "/faults", {"rules": rules})


def later(seconds):
    """A time from now, as the API reads it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def until_final(url, notification):
    """Waits until nothing happens to a notification any more by itself."""
    deadline = time.monotonic() + READY_SECONDS_MAX
    with urllib.request.urlopen(f"{url}/v1/notifications/{notification}/events", timeout=READY_SECONDS_MAX) as events:
        while not (line := events.readline()).startswith(b"event: end"):
            assert line and time.monotonic() < deadline, f"{notification} is not final"


def post_as_owner(url, body):
    """Sends JSON as any client of FCM may to the emulator."""
    call = urllib.request.Request(url, json.dumps(body).encode(), {"Authorization": "Bearer owner"})
    with urllib.request.urlopen(call, timeout=READY_SECONDS_MAX) as answer:
        return json.loads(answer.read())


class Process:
    """A running `dragoman`; `urls` has the address of each part that it says it listens on."""

    def __init__(self, dragoman, *arguments, parts):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", dragoman, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, bufsize=1)
        self.urls = {}
        lines = queue.Queue()
        threading.Thread(target=lambda: [*map(lines.put, self.process.stdout), lines.put("")], daemon=True).start()
        deadline = time.monotonic() + READY_SECONDS_MAX
        while not set(parts) <= self.urls.keys():
            try:
                line = lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                line = ""
            if not line:
                raise SystemExit(f"dragoman {' '.join(map(str, arguments))} did not start")
            if found := re.match(r"(\w+) listening on (http://\S+)", line):
                self.urls[found[1]] = found[2]

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(READY_SECONDS_MAX)


def dev(dragoman, folder, catalog, listen="127.0.0.1:0", emulator="127.0.0.1:0"):
    """A gateway and an emulator without keys; the queue stays in the folder."""
    return Process(dragoman, "dev", "--listen", listen, "--emulator-listen", emulator, "--catalog", catalog,
                   "--data", folder, parts=["gateway", "emulator"])


@contextlib.contextmanager
def another(bench, name, catalog=None):
    """A gateway beside the bench's, which the browser shows meanwhile; `again()` starts it anew after a kill."""
    folder = os.path.join(bench.folder, name)
    server = dev(bench.dragoman, folder, catalog or bench.catalog)
    addresses = [server.urls[part].removeprefix("http://") for part in ("gateway", "emulator")]
    running = [server]

    def again():
        running.append(dev(bench.dragoman, folder, catalog or bench.catalog, *addresses))

    server.again = again
    bench.browser.base = server.urls["gateway"]
    try:
        yield server
    finally:
        bench.browser.base = bench.url
        bench.browser.open("#/templates")
        running[-1].stop()


def guarded(dragoman, folder, endpoint, keys, names=("news", "shop")):
    """A gateway with these apps and keys: name to key, scopes and, for some apps only, these."""
    folder = pathlib.Path(folder, "-".join(names))
    folder.mkdir(exist_ok=True)
    (folder / "bare.yaml").write_text("""version: 1
templates:
  plain: {params: {who: {type: string}}, title: {android: hello, ios: hello, args: [who]}}
""", encoding="utf-8")
    catalogs = {"shop": HERE / "shop.yaml", "bare": folder / "bare.yaml"}
    app = {"credentials": "none", "project_id": "p", "endpoint": endpoint}
    path = folder / "gateway.yaml"

    def configure(keys):
        path.write_text(json.dumps({
            "server": {"listen": "127.0.0.1:0"}, "queue": {"url": f"sqlite:{folder}/guarded.db"},
            "auth": {"clients": [
                {"name": name, "key_sha256": hashlib.sha256(key.encode()).hexdigest(), "scopes": scopes,
                 **({"apps": apps} if apps else {})} for name, (key, scopes, *apps) in keys.items()]},
            "apps": {name: {"catalog": str(catalogs.get(name, HERE.parent.parent / "config/catalog.yaml")), **app}
                     for name in names},
        }), encoding="utf-8")

    configure(keys)
    server = Process(dragoman, "serve", "--config", path, parts=["gateway"])
    server.configure = configure
    return server


def many_locales(folder, app="many", crashing=0, templates=1):
    """A catalog whose app has 160 locales on each platform; Android crashes in so many of them. All its templates are alike."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    # Languages with two letters, of which any app may invent translations; the real ones are among them.
    names = [a + b for a in letters for b in letters if a + b not in ("in", "iw", "ji", "no", "sh", "tl", "mo")][:160]
    for index, name in enumerate(["en", *[each for each in names if each != "en"]]):
        lproj = pathlib.Path(folder, app, f"{name}.lproj")
        lproj.mkdir(parents=True)
        (lproj / "Localizable.strings").write_text('"HELLO" = "Hello %1$@";\n', encoding="utf-8")
        values = pathlib.Path(folder, app, "res", "values" if name == "en" else f"values-{name}")
        placeholder = "%1$d" if 0 < index <= crashing else "%1$s"
        values.mkdir(parents=True)
        (values / "strings.xml").write_text(
            f'<resources><string name="hello">Hello {placeholder}</string></resources>\n', encoding="utf-8")
    catalog = pathlib.Path(folder, f"{app}.yaml")
    catalog.write_text(f"version: 1\nresources: {{android: {app}/res, ios: {app}, development_language: en}}\ntemplates:\n" + "".join(f"""  hello{number or ""}:
    params: {{name: {{type: string}}}}
    title: {{android: hello, ios: HELLO, args: [name]}}
""" for number in range(templates)), encoding="utf-8")
    return catalog
