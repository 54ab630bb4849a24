"""The emulator's inbox, drawn on phones, and its faults, in `dragoman dev`."""

import urllib.error

import gateway

SCREEN = "figure[data-locale={}][data-platform={}] .phone"


def test_draws_what_arrives_on_phones(bench):
    page = bench.browser
    gateway.request("DELETE", bench.emulator + "/inbox")
    gateway.request("PUT", bench.emulator + "/faults", {"rules": []})
    page.open("#/inbox?locales=en,fr", fresh=True)
    page.sees("Nothing has arrived yet.")
    gateway.request("POST", bench.url + "/v1/notifications", {
        "template": "parcel", "to": {"token": "inbox-phone"}, "args": {"customer": "Ada", "parcels": 2}})
    page.sees("Good news, Ada!", SCREEN.format("en", "ios"))
    page.sees("keeps stopping", SCREEN.format("fr", "android"))
    page.sees("2 colis sont en route", SCREEN.format("fr", "ios"))
    assert page.one(SCREEN.format("fr", "ios")).get_attribute("lang") == "fr"
    page.one("button[aria-label='Expand Android en']").click()
    page.wait("the whole text", "document.querySelector('figure[data-locale=en] .drawing').textContent.includes('delivery.')")
    assert page.run("return document.activeElement.ariaExpanded") == "true"
    # Any client of FCM may send to the emulator, with its own spelling and texts.
    gateway.post_as_owner(bench.emulator + "/v1/projects/p/messages:send", {"message": {
        "topic": "news", "android": {"notification": {"titleLocKey": "sale_title", "tag": "one"}}}})
    page.sees("The sale begins", SCREEN.format("en", "android"))
    gateway.post_as_owner(bench.emulator + "/v1/projects/p/messages:send", {"message": {
        "topic": "news", "android": {"notification": {"title": "Sold out", "tag": "one"}}}})
    page.sees("Sold out", SCREEN.format("en", "android"))
    assert "The sale begins" not in page.one(SCREEN.format("en", "android")).text, "a newer one with the tag replaces it"
    page.wait("messages", "document.querySelectorAll('.arrival').length === 3")
    page.all(".arrival summary")[0].click()
    page.sees('"Sold out"', ".arrival pre")
    page.run("const s = document.querySelector('select[aria-label=\"Add a locale\"]'); s.value = 'he'; s.dispatchEvent(new Event('change'))")
    page.sees("חדשות טובות, Ada!", SCREEN.format("he", "ios"))
    assert page.violations() == []
    page.run("const s = document.querySelector('select[aria-label=Target]'); s.value = 'news'; s.dispatchEvent(new Event('change'))")
    page.wait("one phone's messages", "document.querySelectorAll('.arrival').length === 2")
    page.driver.refresh()
    page.wait("the same choice", "document.querySelectorAll('.arrival').length === 2 && document.querySelectorAll('figure[data-locale=he]').length === 2")
    page.button("Empty the inbox")
    page.sees("Nothing has arrived yet.")
    assert gateway.request("GET", bench.emulator + "/inbox")["count"] == 0
    assert page.complaints() == []


def test_sets_faults_in_a_form(bench):
    page = bench.browser
    page.open("#/inbox", fresh=True)
    page.sees("No faults")
    page.one(".faults-pane input[placeholder='bad-*']").send_keys("late-*")
    page.labelled("status").send_keys("99")
    page.button("Add the fault")
    page.wait("the mistake at its field", "document.querySelector('.faults-pane .field-error:not(:empty)')")
    page.type(".faults-pane input[placeholder='503']", "503")
    page.labelled("times").send_keys("1")
    page.labelled("retry_after").send_keys("1")
    page.button("Add the fault")
    page.sees("token: late-* · status: 503", ".faults")
    gateway.request("POST", bench.url + "/v1/notifications", {"template": "sale", "to": {"token": "late-phone"}})
    page.sees("times: 0", ".faults")
    page.sees("503", ".faults-pane .badge.bad bdi[dir=ltr]")
    page.one(".faults button").click()
    page.sees("No faults")
    assert gateway.request("GET", bench.emulator + "/faults") == {"rules": []}
    assert all("400" in each for each in page.complaints()), "only the refused fault"


def test_has_no_inbox_outside_of_development(bench):
    page = bench.browser
    server = gateway.guarded(bench.dragoman, bench.folder, bench.emulator, {"all": ("key-all", ["admin"])})
    try:
        try:
            gateway.request("GET", server.urls["gateway"] + "/dev/inbox")
            raise AssertionError("there is no such path")
        except urllib.error.HTTPError as error:
            assert error.code == 404
    finally:
        server.stop()
    page.complaints()
