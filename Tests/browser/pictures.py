"""The pictures of README.md and docs, taken from the example app."""

import os

import gateway
from browser import Browser, save


def emulator_picture(browser, emulator, target):
    """The emulator's page with a fault and a few messages."""
    gateway.request("PUT", f"{emulator}/faults", {"rules": [
        {"token": "gone-*", "error_code": "UNREGISTERED"},
        {"topic": "news", "error_code": "UNAVAILABLE", "retry_after": "2", "times": 3}]})
    for args, target_of in ((("Carol", 1, "Dan"), {"topic": "friends"}), (("Alice", 3, "Bob"), {"token": "alice-phone"})):
        request = {"template": "new_message", "to": target_of, "args": dict(zip(("name", "count", "sender"), args))}
        gateway.request("POST", browser.gateway + "/v1/notifications", request)
    browser.look(1400, 700)
    browser.open("", fresh=True)
    browser.sees("alice-phone", "#messages")
    browser.sees("friends", "#messages")
    browser.sees("UNREGISTERED", "#rules")
    save(browser, target, "emulator")


def take(dragoman, folder, target):
    repository = gateway.HERE.parent.parent
    server = gateway.dev(dragoman, folder, repository / "config/catalog.yaml")
    broken = gateway.dev(dragoman, folder + "/queue-broken", gateway.HERE / "shop.yaml")
    browser = Browser(folder)
    try:
        browser.base = browser.gateway = server.urls["gateway"]
        browser.look(1400, 1000)
        browser.open("#/templates/new_message?arg.name=Alice&locale=en", fresh=True)
        browser.sees("Welcome, Alice!")
        browser.run("document.querySelector('.wanted').classList.remove('wanted'); scrollTo(0, 0)")
        save(browser, target, "console")
        for each in ({"template": "welcome", "args": {"name": "Alice"}},
                     {"template": "new_message", "args": {"name": "Alice", "count": 3, "sender": "Bob"}},
                     {"template": "match_goal", "args": {"home": 1, "away": 0, "scorer": "Ada"},
                      "live_activity": {"token": "41aa07", "event": "update"}}):
            gateway.request("POST", browser.base + "/v1/notifications", {**each, "to": {"token": "alice-phone"}})
        browser.open("#/inbox?locales=en,he", fresh=True)
        browser.wait("all of it", "document.querySelectorAll('.notice').length === 12")
        save(browser, target, "console-inbox")
        browser.base = server.urls["emulator"]
        emulator_picture(browser, server.urls["emulator"], target)
        browser.base = broken.urls["gateway"]
        browser.look(1400, 1000, dark=True)
        browser.open("#/templates/parcel?only=1", fresh=True)
        browser.sees("keeps stopping")
        save(browser, target, "console-findings")
    finally:
        browser.close()
        server.stop()
        broken.stop()
    names = ("console.png", "console-inbox.png", "console-findings.png", "emulator.png")
    print("\n".join(os.path.join(target, name) for name in names))
