"""The pictures of README.md and docs, taken from the example app."""

import os

import gateway
from browser import Browser, save


def take(dragoman, folder, target):
    repository = gateway.HERE.parent.parent
    server = gateway.dev(dragoman, folder, repository / "config/catalog.yaml")
    broken = gateway.dev(dragoman, folder + "/queue-broken", gateway.HERE / "shop.yaml")
    browser = Browser(folder)
    try:
        browser.base = server.urls["gateway"]
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
        browser.wait("all of it", "document.querySelectorAll('.arrived').length === 10")
        save(browser, target, "console-inbox")
        browser.base = broken.urls["gateway"]
        browser.look(1400, 1000, dark=True)
        browser.open("#/templates/parcel?only=1", fresh=True)
        browser.sees("keeps stopping")
        save(browser, target, "console-findings")
    finally:
        browser.close()
        server.stop()
        broken.stop()
    print("\n".join(os.path.join(target, name) for name in ("console.png", "console-inbox.png", "console-findings.png")))
