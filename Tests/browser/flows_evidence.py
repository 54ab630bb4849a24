"""A delivery as evidence."""

import gateway

FAULTS = [{"token": "gone*", "status": 404, "error_code": "UNREGISTERED"},
          {"token": "flaky*", "status": 503, "error_code": "UNAVAILABLE", "retry_after": "1", "times": 1}]


def sent(url, token):
    made = gateway.request("POST", url + "/v1/notifications", {
        "template": "parcel", "to": {"token": token}, "args": {"customer": "Zoe", "parcels": 3}, "ttl": "3600s"})
    gateway.until_final(url, made["id"])
    return made["id"]


def test_shows_a_delivery_as_evidence(bench):
    page = bench.browser
    with gateway.another(bench, "evidence") as server:
        gateway.faults(server.urls["emulator"], *FAULTS)
        url = server.urls["gateway"]
        page.open("#/deliveries/" + sent(url, "flaky-phone"), fresh=True)
        page.sees("It does not prove that a phone received or showed it", ".one")
        page.wait("both attempts", "document.querySelectorAll('.attempts tbody tr').length === 2")
        cells = page.run("return [...document.querySelectorAll('.attempts tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))")
        assert [row[2:5] for row in cells] == [["answer", "fcm", "503 UNAVAILABLE"], ["answer", "fcm", "200"]], cells
        assert cells[0][5] and cells[0][1].endswith("ms"), cells
        page.sees("Time to live (Android)\n60 min", ".evidence")
        page.sees("Expires (iPhone)", ".evidence")
        page.one(".evidence summary").click()
        page.sees("title_loc_key", ".evidence pre")
        page.sees("Zoe", ".evidence pre")
        page.sees("Good news, Zoe!", ".evidence .phone")
        page.run("const s = document.querySelector('select[aria-label=\"Add a locale\"]'); s.value = 'fr'; s.dispatchEvent(new Event('change'))")
        page.sees("Your app keeps stopping", ".evidence .wall")
        assert "fr" in page.driver.current_url.split("locales=")[1], "the languages are in the address"
        page.driver.refresh()
        page.sees("Your app keeps stopping", ".evidence .wall")
        assert page.violations() == []
        page.look(390, 844)
        page.wait("no wider than the screen", "document.documentElement.scrollWidth <= innerWidth")
        assert page.violations() == []
        page.look(1440, 900)
        # What cannot succeed is not offered.
        page.open("#/deliveries/" + sent(url, "gone-phone"))
        page.sees("a retry cannot succeed", ".one")
        assert page.run("return [...document.querySelectorAll('.notification-pane .buttons button')].every(each => each.hidden)")
        page.sees("404 UNREGISTERED", ".attempts")
    assert page.complaints() == []
