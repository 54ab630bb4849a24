"""Keys, scopes and several apps, with and without one named `default`."""

import signal

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
        page.sees("Nothing has failed.", "main")
        assert views(page) == ["start", "deliveries", "messages", "queue"], views(page)
        page.button("Lock")
        unlock(page, "key-view")
        page.sees("Last reload", "main")
        assert "Failures" not in page.one("main").text, "what the key may not read is left out"
        assert views(page) == ["start", "templates", "matrix", "findings", "catalog", "translations"], views(page)
        assert page.run("return [...document.querySelector('select.app').options].map(o => o.value)") == ["news", "shop"]
        page.open("#/catalog?app=news")
        page.sees("No findings", ".facts")
        page.button("Lock")
        page.open("#/templates")
        unlock(page, "key-all")
        page.sees("new_message", "main")
        page.look(390, 844)
        high = page.run("return document.querySelector('#bar').offsetHeight")
        assert high < 110, f"the header is {high} px high on a phone"
        page.look(1440, 900)
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


def views(page):
    return page.run("return [...document.querySelectorAll('nav a')].map(a => a.dataset.view)")


def test_shows_what_a_key_for_one_app_allows(bench):
    page = bench.browser
    keys = {"one": ("key-one", ["send", "read", "preview"], "shop"), "blind": ("key-blind", ["send", "read"], "shop"),
            "all-blind": ("key-all-blind", ["send", "read"])}
    server = gateway.guarded(bench.dragoman, bench.folder, bench.emulator, keys, ("bare", "default", "shop"))
    try:
        page.base = server.urls["gateway"]
        page.open("", fresh=True)
        unlock(page, "key-one")
        page.sees("parcel", "main")
        assert views(page) == ["start", "templates", "matrix", "findings", "catalog", "translations", "send", "deliveries", "messages", "queue"], views(page)
        page.open("#/send?template=parcel")
        page.sees("customer", "form")
        page.sees("Good news, Alice!", ".beside-form")
        page.button("Lock")
        unlock(page, "key-blind")
        page.sees("Send a test", "main")
        assert views(page) == ["start", "send", "deliveries", "messages", "queue"], views(page)
        page.button("Lock")
        # `bare` is first by name, but the API means `default` where no app is named.
        unlock(page, "key-all-blind")
        page.sees("Send a test", "main")
        assert page.run("return document.querySelector('select.app').value") == "default"
        page.open("#/send?template=welcome")
        page.wait("the template", "document.querySelector('form input').value === 'welcome'")
        page.run("arguments[0].value = '{\"name\": \"Alice\"}'", page.labelled("Args"))
        page.labelled("Target").send_keys("unnamed-phone")
        page.button("Send", "form")
        page.sees("queued", ".timeline")
        page.one("nav a[data-view=queue]").click()
        page.sees("Queue · default", "h1")
        page.one("nav a[data-view=deliveries]").click()
        page.wait("the notification of default", "document.querySelectorAll('.deliveries-list a').length === 1")
        page.button("Lock")
        assert page.complaints(allowed=["Failed to load resource"]) == []
    finally:
        page.base = bench.url
        server.stop()


def test_keeps_apps_apart_and_forgets_a_revoked_key(bench):
    page = bench.browser
    server = gateway.guarded(bench.dragoman, bench.folder, bench.emulator, {"all": ("key-all", ["admin"])}, ("default", "shop", "bare"))
    listed = "[...document.querySelectorAll('.deliveries-list .target bdi')].map(each => each.title).sort().join()"
    try:
        page.base = server.urls["gateway"]
        page.open("", fresh=True)
        unlock(page, "key-all")
        for app, template, target in (("default", "welcome", "default-phone"), ("shop", "sale", "shop-phone")):
            page.open(f"#/send?app={app}&template={template}&to={target}")
            page.sees("Send", "form")
            page.wait("the template", f"document.querySelector('form select').value === '{template}'")
            page.button("Send", "form")
            page.sees("FCM accepted it.")
        page.open("#/deliveries")
        page.wait("those of the default app", f"{listed} === 'default-phone'")
        # Each number leads to its app's deliveries; that of all apps to none.
        page.open("#/queue")
        page.wait("the numbers", "document.querySelectorAll('tbody')[0].rows.length === 4")
        assert page.all("tbody tr:last-child a") == [], "no list is of all apps"
        page.one("tbody a[href*='app=shop'][href*='status=sent']").click()
        page.wait("those of the shop", f"{listed} === 'shop-phone'")
        # Without resources, there are no phones and no message to draw.
        page.open("#/templates/plain?app=bare&tab=message")
        page.sees("resources", "#panel")
        assert "Loading" not in page.one("#panel").text
        # What is refused is not away.
        page.open("#/templates?app=nosuch")
        page.sees("There is no app \"nosuch\".", "#said")
        assert "does not answer" not in page.text()
        page.open("#/deliveries?app=shop")
        page.sees("shop-phone", "main")
        server.configure({"other": ("key-other", ["read"])})
        server.process.send_signal(signal.SIGHUP)
        page.sees("The gateway does not know this key.")
        assert views(page) == [] and page.run("return sessionStorage.getItem('dragoman.key')") is None
        assert page.all(".app") == [], "the names of the apps are forgotten, too"
        unlock(page, "key-other")
        page.sees("Deliveries", "nav")
        assert views(page) == ["start", "deliveries", "messages", "queue"], views(page)
        page.button("Lock")
        assert page.complaints(allowed=["Failed to load resource"]) == []
    finally:
        page.base = bench.url
        server.stop()
