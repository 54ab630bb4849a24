"""Keys, scopes and several apps, none of which is named `default`."""

import gateway

KEYS = {"all": ("key-all", ["admin"]), "sender": ("key-send", ["send"]), "reader": ("key-read", ["read"]),
        "viewer": ("key-view", ["preview"])}


def unlock(page, key):
    page.sees("API key", "form")
    page.labelled("API key").send_keys(key)
    page.button("Unlock", "form")


def test_respects_keys_scopes_and_apps(bench):
    page = bench.browser
    server = gateway.guarded(bench.dragoman, bench.folder, bench.emulator, KEYS)
    try:
        page.base = server.urls["gateway"]
        page.open("", fresh=True)
        unlock(page, "wrong")
        page.sees("The gateway does not know this key.")
        assert page.violations() == []
        unlock(page, "key-send")
        page.sees("Send a test", "main")
        assert page.run("return [...document.querySelectorAll('nav a')].map(a => a.dataset.view)") == ["send"]
        page.type("input.app", "shop")
        page.labelled("Template").send_keys("sale")
        page.labelled("Target").send_keys("a-phone")
        page.button("Send", "form")
        page.sees("queued", ".notification-pane")
        page.button("Lock")
        unlock(page, "key-read")
        page.sees("Deliveries", "main")
        names = page.run("return [...document.querySelectorAll('nav a')].map(a => a.dataset.view)")
        assert names == ["deliveries", "queue"], names
        page.button("Lock")
        unlock(page, "key-view")
        page.sees("Templates", "main")
        names = page.run("return [...document.querySelectorAll('nav a')].map(a => a.dataset.view)")
        assert names == ["templates", "matrix", "findings", "catalog"], names
        assert page.run("return [...document.querySelector('select.app').options].map(o => o.value)") == ["news", "shop"]
        page.button("Lock")
        page.open("#/templates")
        unlock(page, "key-all")
        page.sees("new_message", "main")
        page.run("const s = document.querySelector('select.app'); s.value = 'shop'; s.dispatchEvent(new Event('change'))")
        page.sees("parcel", "main")
        page.open("#/templates/sale?app=shop", fresh=True)
        page.sees("The sale begins")
        page.one("nav a[data-view=send]").click()
        page.sees("Kind of target", "main")
        page.sees("parcels", "main")
        page.labelled("Target").send_keys("keyed-phone")
        page.button("Send", "form")
        page.sees("FCM accepted it.")
        page.open("#/deliveries?app=shop")
        page.wait("the shop's", "document.querySelectorAll('.deliveries-list a').length === 2")
        page.open("#/deliveries?app=news")
        page.sees("No notifications yet.", ".list")
        page.open("#/queue?app=news")
        page.sees("Queue · news", "h1")
        page.wait("each app", "document.querySelectorAll('tbody')[1].rows.length === 2")
        page.driver.switch_to.new_window("tab")
        page.open("")
        page.sees("API key", "form")
        page.driver.close()
        page.driver.switch_to.window(page.driver.window_handles[0])
        # The browser itself logs each answer that is an error; nothing else may be logged.
        assert page.complaints(allowed=["Failed to load resource"]) == []
    finally:
        page.base = bench.url
        server.stop()
