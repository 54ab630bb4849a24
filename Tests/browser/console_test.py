"""Tests the console and the emulator's page in a browser: console_test.py DRAGOMAN [WORD…|--screenshots FOLDER|--measure].

With words, only the flows whose names have one of them run. `--screenshots` writes the pictures of the documents into the
folder and renews the references; `--measure` prints how fast the console is.
"""

import signal
import sys
import tempfile
import time

import flows_deliveries
import flows_emulator
import flows_evidence
import flows_files
import flows_icons
import flows_inbox
import flows_keys
import flows_live
import flows_looks
import flows_messages
import flows_send
import flows_sets
import flows_start
import flows_templates
import gateway
import measure
import pictures
import references
from browser import Browser, save


class Bench:
    """What the flows share: a gateway with the shop's faulty catalog, its emulator, and a browser."""

    def __init__(self, dragoman, folder):
        self.dragoman, self.folder = dragoman, folder
        self.catalog = gateway.HERE / "shop.yaml"
        self.server = gateway.dev(dragoman, folder, self.catalog)
        self.browser = Browser(folder)
        self.browser.base = self.url

    @property
    def url(self):
        return self.server.urls["gateway"]

    @property
    def emulator(self):
        return self.server.urls["emulator"]

    def restart(self):
        """Starts the gateway again at the same addresses, with the same queue."""
        addresses = [self.server.urls[part].removeprefix("http://") for part in ("gateway", "emulator")]
        self.server = gateway.dev(self.dragoman, self.folder, self.catalog, *addresses)

    def close(self):
        self.browser.close()
        if self.server.process.poll() is None:
            self.server.stop(signal.SIGKILL)


def main():
    dragoman = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[2:3] == ["--measure"]:
            return measure.write(dragoman, folder)
        if sys.argv[2:3] == ["--screenshots"]:
            pictures.take(dragoman, folder, sys.argv[3])
        wanted = sys.argv[2:]
        bench = Bench(dragoman, folder)
        try:
            if wanted[:1] == ["--screenshots"]:
                return references.renew(bench)
            for flows in (
                    flows_files, flows_templates, flows_deliveries, flows_live, flows_send, flows_inbox,
                    flows_evidence, flows_icons, flows_sets, flows_start, flows_messages,
                    flows_looks, flows_emulator, flows_keys):
                for name, flow in list(vars(flows).items()):
                    if name.startswith("test_") and (not wanted or any(word in name for word in wanted)):
                        started = time.monotonic()
                        flow(bench)
                        print(f"ok {name.removeprefix('test_').replace('_', ' ')} ({time.monotonic() - started:.1f} s)")
        except BaseException:
            save(bench.browser, "/tmp", "console-failure")
            print("The page as it was: /tmp/console-failure.png", *bench.browser.complaints(), sep="\n", file=sys.stderr)
            raise
        finally:
            bench.close()


if __name__ == "__main__":
    main()
