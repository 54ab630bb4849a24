"""What changes by itself: a gateway that dies and returns, a storm of errors, refused credentials, a reload."""

import json
import pathlib
import shutil
import signal
import time

from selenium.webdriver.common.keys import Keys

import gateway

STALE = "document.documentElement.hasAttribute('data-stale')"


def send(server, token, count):
    for start in range(0, count, 100):
        gateway.request("POST", server.urls["gateway"] + "/v1/notifications/batch", {"notifications": [
            {"template": "sale", "to": {"token": f"{token}-{number}"}} for number in range(start, min(count, start + 100))]})


def counted(state):
    """The number of deliveries in a state, as the table says it."""
    return f"Number(document.querySelector('tbody a[href*=\"status={state}\"]').innerText.replace(',', ''))"


def test_tells_within_3_seconds_that_the_gateway_is_away_and_recovers(bench):
    page = bench.browser
    page.open("#/queue", fresh=True)
    page.wait("ready", "document.querySelector('#readiness').innerText === 'ready'")
    bench.server.process.send_signal(signal.SIGSTOP)
    try:
        page.wait("disconnected while it hangs", STALE, 3)
    finally:
        bench.server.process.send_signal(signal.SIGCONT)
    page.wait("connected again", f"!{STALE}")
    bench.server.stop(signal.SIGKILL)
    page.wait("disconnected when it is dead", STALE, 3)
    page.sees("The gateway last answered at", "#connection")
    bench.restart()
    page.wait("connected again", f"!{STALE}")
    page.wait("no banner", "document.querySelector('#connection').innerText === ''")
    page.sees("Queue: ok")
    page.complaints()


def test_shows_a_storm_of_errors_and_its_end(bench):
    page = bench.browser
    with gateway.another(bench, "storm") as server:
        gateway.faults(server.urls["emulator"], {"token": "*", "status": 503, "error_code": "UNAVAILABLE"})
        page.open("#/queue", fresh=True)
        page.sees("closed")
        send(server, "storm", 300)
        page.sees("open, probing")
        page.sees("The next attempt is in")
        page.sees("FCM: warning")
        page.sees("the breaker is open (UNAVAILABLE)", ".checks")
        page.wait("the code in its chart", "[...document.querySelectorAll('.legend bdi')].some(each => each.innerText === 'UNAVAILABLE')")
        page.wait("degraded", "document.querySelector('#readiness').innerText === 'degraded'")
        page.wait("all wait", f"{counted('queued')} + {counted('sending')} === 300")
        assert page.violations() == []
        page.one("tbody a[href*='status=queued']").click()
        page.one(".deliveries-list a").click()
        page.sees("open, probing", ".notification-pane")
        page.sees("UNAVAILABLE", ".notification-pane")
        page.driver.back()
        # The end of the storm, and a crash in it.
        server.stop(signal.SIGKILL)
        page.wait("disconnected", STALE, 3)
        assert "grayscale" in page.run("return getComputedStyle(document.querySelector('#view')).filter")
        assert page.one("#readiness").text == "disconnected"
        server.again()
        page.wait("connected again", f"!{STALE}")
        # The list of the queued ones empties by itself: what was sent meanwhile does not stay in it.
        page.wait("none queued", "!document.querySelector('.deliveries-list a')", 60)
        page.open("#/queue")
        page.wait("all sent", f"{counted('sent')} === 300")
        page.sees("closed")
        page.wait("ready", "document.querySelector('#readiness').innerText === 'ready'")
        page.complaints()


def test_charts_show_what_happened_before_the_tab_was_opened(bench):
    page = bench.browser
    with gateway.another(bench, "history") as server:
        gateway.faults(server.urls["emulator"], {"token": "*", "status": 404, "error_code": "UNREGISTERED"})
        send(server, "gone", 20)
        samples = []

        def is_kept(_):
            samples[:] = gateway.request("GET", server.urls["gateway"] + "/v1/stats/history")["samples"]
            return sum(sample["failed"] for sample in samples) == 20

        page.until("the gateway's history", 30, is_kept)
        assert sum(sample["errors"].get("UNREGISTERED", 0) for sample in samples) == 20, samples
        # Nothing fails while the tab is open.
        page.open("#/queue", fresh=True)
        page.wait("the code in its chart", "[...document.querySelectorAll('.legend bdi')].some(each => each.innerText === 'UNREGISTERED')")
        # What happens while the tab is in the background is known, too.
        count = len(samples)
        page.driver.switch_to.new_window("tab")
        page.until("more history", 60, lambda _: is_kept(_) and len(samples) >= count + 3)
        page.driver.close()
        page.driver.switch_to.window(page.driver.window_handles[0])
        page.wait("a line without a gap", "document.querySelector('.chart .series').getAttribute('d').split('M').length === 2")
        assert page.violations() == []
        assert page.complaints() == []


def test_shows_that_credentials_are_refused(bench):
    page = bench.browser
    with gateway.another(bench, "refused") as server:
        gateway.faults(server.urls["emulator"], {"token": "*", "status": 401, "error_code": "UNAUTHENTICATED"})
        page.open("#/queue", fresh=True)
        page.sees("Credentials: ok")
        send(server, "refused", 5)
        page.sees("Credentials: warning")
        page.sees("(AUTHENTICATION)", ".checks")
        # Some refused targets may be to blame themselves; so many mean the app.
        send(server, "more", 100)
        page.sees("FCM refuses the app as a whole (AUTHENTICATION)", ".checks")
        page.sees("held AUTHENTICATION since", "main")
        page.wait("degraded", "document.querySelector('#readiness').innerText === 'degraded'")
        ready = gateway.request("GET", server.urls["gateway"] + "/readyz")
        assert ready["status"] == "degraded" and ready["checks"]["credentials"]["status"] == "warning", ready
        page.open("#/deliveries")
        page.one(".deliveries-list a").click()
        page.sees("held", ".notification-pane")
        page.sees("AUTHENTICATION", ".notification-pane")
        assert page.complaints() == []


def test_shows_what_a_reload_changed(bench):
    page = bench.browser
    shop = shutil.copytree(gateway.HERE / "shop", f"{bench.folder}/copy/shop")
    catalog = shutil.copy(gateway.HERE / "shop.yaml", f"{bench.folder}/copy")
    with gateway.another(bench, "reloaded", catalog):
        page.open("#/templates", fresh=True)
        page.sees("Errors: 6")
        french = f"{shop}/res/values-fr/strings.xml"
        with open(french, encoding="utf-8") as file:
            text = file.read()
        with open(french, "w", encoding="utf-8") as file:
            file.write(text.replace("%1$d", "%1$s"))
        page.open("#/catalog")
        page.sees("Fixed findings: 2")
        page.sees("changed parcel", "main")
        page.sees("Errors: 4", "main")
        assert page.violations() == []
        # A reload that fails changes nothing, so what the last one changed is still what matters.
        with open(catalog, "a", encoding="utf-8") as file:
            file.write("  parcel: {}\n")
        page.sees("failed: 1", "main")
        page.sees("the last reload failed", "main")
        page.sees("Fixed findings: 2", "main")
        assert page.complaints() == []


def test_says_in_the_pages_language_why_a_file_cannot_be_read(bench):
    page = bench.browser
    shop = shutil.copytree(gateway.HERE / "shop", f"{bench.folder}/unreadable/shop")
    catalog = shutil.copy(gateway.HERE / "shop.yaml", f"{bench.folder}/unreadable")
    with open(f"{shop}/res/values-fr/strings.xml", "w", encoding="utf-8") as file:
        file.write("<resources><string name=\"a\">Fish & Chips</string>")
    with gateway.another(bench, "unreadable", catalog):
        try:
            for tag, fault, end in (("de", "„&“ beginnt keine Referenz. Schreibe „&amp;“.", "<resources> wird nie geschlossen."),
                                    ("ar", "لا تبدأ “&” إحالة.", "لا يُغلق.")):
                page.language(tag)
                page.open("#/findings", fresh=True)
                page.sees(fault, "main")
                page.sees(end, "main")
                assert page.all(".in-english") == [], "nothing is in English"
                direction = page.run("return getComputedStyle(document.querySelector('.finding .why')).direction")
                assert direction == ("rtl" if tag == "ar" else "ltr")
                assert page.violations() == []
        finally:
            page.language("en")
        assert page.complaints() == []


def days(now, waiting):
    """A file of a gateway's history: one sample for every hour of the last two days, in which `waiting(hours ago)` deliveries waited."""
    def sample(hours):
        return {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - hours * 3600)), "seconds": 3600, "apps": {"default": {
            "deliveries": {"queued": waiting(hours)}, "accepted": 7200, "sent": 7200, "failed": 0,
            "errors": {"UNAVAILABLE": 3600} if hours == 5 else {}}}}
    return json.dumps({"rings": [{"interval_seconds": 300, "samples": [sample(hours / 4) for hours in range(190, 0, -1)]},
                                 {"interval_seconds": 3600, "samples": [sample(hours) for hours in range(48, 0, -1)]}]})


def test_draws_nothing_while_nothing_changes(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.sees("parcel", "main")
    page.wait("ready", "document.querySelector('#readiness').innerText === 'ready'")
    page.run("""window.drawn = [];
      new MutationObserver(records => drawn.push(...records.map(each => each.target.id || each.target.nodeName)))
        .observe(document, { subtree: true, childList: true, characterData: true });
      performance.clearResourceTimings();""")
    page.wait("three beats", "performance.getEntriesByType('resource').filter(each => each.name.includes('/readyz')).length > 3")
    assert page.run("return drawn") == []


def test_charts_have_hours_and_days(bench):
    page = bench.browser
    folder = pathlib.Path(bench.folder, "days")
    folder.mkdir()
    (folder / "queue.db-history").write_text(days(time.time(), lambda hours: 40 if hours < 24 else 90), encoding="utf-8")
    chart = "document.querySelector('.chart')"
    with gateway.another(bench, "days") as server:
        page.open("#/queue", fresh=True)
        page.sees("closed")
        page.run("const s = document.querySelector('select[aria-label=Time]'); s.value = '24h'; s.dispatchEvent(new Event('change'))")
        page.wait("today beside yesterday", f"{chart}.querySelector('.legend').innerText.includes('queued 40 the day before: \u206890\u2069')")
        assert page.run(f"return [...{chart}.querySelectorAll('.levels span')].map(each => each.innerText)") == ["100", "50"]
        assert page.run(f"return {chart}.querySelectorAll('.axis span').length") == 4
        assert page.run(f"return {chart}.querySelectorAll('.before').length") == 3
        # The value of the time under the pointer, and with the keys.
        page.run("const svg = document.querySelectorAll('.chart svg')[3]; const box = svg.getBoundingClientRect();"
                 "svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width * 19 / 24, clientY: box.top + 9 }))")
        page.sees("UNAVAILABLE 1/s", ".chart:nth-child(4) .legend")
        page.run("document.querySelectorAll('.chart svg')[3].dispatchEvent(new PointerEvent('pointerleave'))")
        page.sees("UNAVAILABLE 0/s", ".chart:nth-child(4) .legend")
        page.run("document.querySelectorAll('.chart svg')[3].focus()")
        for _ in range(12):
            page.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
        page.sees("UNAVAILABLE", ".chart:nth-child(4) .legend")
        assert ":" in page.one(".chart:nth-child(4) h2").text, "the time"
        assert page.violations() == []
        page.one(".chart:nth-child(4) .legend a").click()
        page.sees("Nothing matches.", ".list")
        page.open("#/queue?span=14d")
        page.wait("the days", f"{chart}.querySelector('.legend').innerText.includes('queued 40')")
        # What waits, and whether it becomes more.
        gateway.faults(server.urls["emulator"], {"token": "*", "status": 503, "error_code": "UNAVAILABLE", "retry_after": "60"})
        page.open("#/queue")
        send(server, "waits", 5)
        page.sees("What waits grows by", "main")
        page.look(390, 844)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        page.look(1440, 900)
    assert page.complaints() == []
