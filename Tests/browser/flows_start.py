"""The page where the console begins."""

import gateway


def card(title):
    return f"document.querySelector('.cards > section:has(h2)') && [...document.querySelectorAll('.cards > section')].find(each => each.querySelector('h2').innerText === {title!r})"


def test_starts_with_what_needs_attention(bench):
    page = bench.browser
    with gateway.another(bench, "start") as server:
        url = server.urls["gateway"]
        gateway.faults(server.urls["emulator"], {"token": "gone*", "status": 404, "error_code": "UNREGISTERED"})
        page.open("", fresh=True)
        page.sees("Nothing has failed.", ".cards")
        assert "#/start" in page.driver.current_url
        page.driver.back()
        page.until("Back leads out of the console", 5, lambda driver: driver.current_url == "about:blank")
        page.driver.forward()
        page.sees("Nothing has failed.", ".cards")
        for part in ("Queue: ok", "No reload since this tab was opened.", "No notifications yet.", "No message has a finding."):
            page.sees(part, ".cards")
        page.wait("the worst first", f"{card('The worst that readers get')}.querySelector('li').innerText === 'parcel crashes in \u2068fr\u2069'")
        for number in range(2):
            made = gateway.request("POST", url + "/v1/notifications", {"template": "sale", "to": {"token": f"gone-{number}"}})
            gateway.until_final(url, made["id"])
        page.wait("the failures", f"{card('Failures of the last 24 hours')}.querySelector('b').innerText === '2'")
        page.sees("UNREGISTERED 2 new", ".causes")
        page.wait("what was sent", f"{card('Recent notifications')}.querySelectorAll('li').length === 2")
        assert page.violations() == []
        page.one(".causes a[href*='q=UNREGISTERED']").click()
        page.wait("both in the list", "document.querySelectorAll('.deliveries-list a').length === 2")
    assert page.complaints() == []
