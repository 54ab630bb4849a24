"""What is done to many deliveries at once."""

import gateway

FAULTS = [{"token": "gone*", "status": 404, "error_code": "UNREGISTERED"},
          {"token": "apns*", "status": 401, "error_code": "THIRD_PARTY_AUTH_ERROR"}]
ROWS = "document.querySelectorAll('.deliveries-list a').length"
RETRY = "[...document.querySelectorAll('.set button')].some(each => each.innerText === 'Retry all of these')"


def sent(url, token):
    made = gateway.request("POST", url + "/v1/notifications", {
        "template": "parcel", "to": {"token": token}, "args": {"customer": "Zoe", "parcels": 3}, "ttl": "3600s"})
    gateway.until_final(url, made["id"])
    return made["id"]


def test_retries_and_cancels_a_set(bench):
    page = bench.browser
    with gateway.another(bench, "sets") as server:
        url = server.urls["gateway"]
        gateway.faults(server.urls["emulator"], *FAULTS)
        for token in ("apns-1", "apns-2", "apns-3", "gone-1", "fine-1"):
            sent(url, token)
        page.open("#/deliveries", fresh=True)
        page.sees("Notifications: 5", ".detail")
        page.sees("THIRD_PARTY_AUTH_ERROR 3", ".causes")
        page.sees("UNREGISTERED 1", ".causes")
        page.sees("choose a time and a state or a code", ".set")
        page.one(".filters summary").click()
        page.run("arguments[0].value = 'failed'; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", page.labelled("State"))
        page.wait("the failed ones", f"{ROWS} === 4")
        page.run("arguments[0].value = '1h'; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", page.labelled("Time"))
        gateway.faults(server.urls["emulator"])
        page.button("Retry all of these")
        page.sees("Deliveries that match: 4.", "dialog")
        page.sees("Left out, UNREGISTERED: 1.", "dialog")
        page.sees("Queued again: 3.", "dialog")
        assert page.violations() == []
        page.button("Leave as it is", "dialog")
        page.wait("no dialog", "!document.querySelector('dialog')")
        page.wait("nothing happened", f"{ROWS} === 4")
        page.button("Retry all of these")
        page.button("Retry", "dialog")
        page.sees("Changed: 3.", ".set")
        page.wait("the dead one is left", f"{ROWS} === 1")
        page.sees("UNREGISTERED 1", ".causes")
        page.wait("none can succeed", f"!{RETRY}")
        # The address has the filters.
        page.driver.refresh()
        page.wait("the dead one", f"{ROWS} === 1")
        page.sees("Filters: 1", ".filters")
        page.type(".filters input[placeholder=new_message]", "sale")
        page.wait("none of another template", f"{ROWS} === 0")
        assert page.violations() == []
    assert page.complaints() == []


def test_cancels_what_waits(bench):
    page = bench.browser
    with gateway.another(bench, "waiting") as server:
        gateway.request("POST", server.urls["gateway"] + "/v1/notifications/batch", {"notifications": [
            {"template": "sale", "to": {"token": f"later-{number}"}, "send_at": gateway.later(3600)} for number in range(3)]})
        page.open("#/deliveries?status=scheduled&span=24h", fresh=True)
        page.wait("all of them", f"{ROWS} === 3")
        page.wait("nothing has failed", f"!{RETRY}")
        page.button("Cancel all of these")
        page.sees("Cancelled: 3. This cannot be undone.", "dialog")
        page.button("Cancel", "dialog")
        page.sees("Changed: 3.", ".set")
        page.wait("none left", f"{ROWS} === 0")
    assert page.complaints() == []


def test_empties_a_list_of_what_somebody_else_cancels(bench):
    page = bench.browser
    with gateway.another(bench, "elsewhere") as server:
        url = server.urls["gateway"]
        for start in range(0, 300, 100):
            gateway.request("POST", url + "/v1/notifications/batch", {"notifications": [
                {"template": "sale", "to": {"token": f"later-{number}"}, "send_at": gateway.later(3600)} for number in range(start, start + 100)]})
        page.open("#/deliveries?status=scheduled&span=24h", fresh=True)
        page.sees("Notifications: 300", ".detail")
        for loaded in (100, 200, 300):
            page.wait("so many rows", f"Number(document.querySelector('.deliveries-list li').getAttribute('aria-setsize')) >= {loaded}")
            page.run("document.querySelector('.list').scrollTo(0, 1e6)")
        page.run("document.querySelector('.list').scrollTo(0, 0)")
        # All at once, after which nothing more happens.
        gateway.request("POST", url + "/v1/deliveries:cancel", {"filter": {"status": "scheduled", "since": gateway.later(-3600)}, "dry_run": False})
        page.wait("none left", f"{ROWS} === 0")
        page.sees("Notifications: 0", ".detail", 20)
    assert page.complaints() == []
