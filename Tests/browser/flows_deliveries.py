"""Sending, following, finding, cancelling and retrying; long lists; the queue."""

from selenium.webdriver.common.keys import Keys

import gateway

# A page with a list of any length has fewer elements than this.
NODES_MAX = 1500


def send(page, token):
    page.open("#/send?template=sale&arg.percent=30", fresh=True)
    page.sees("Send a test")
    page.labelled("Target").send_keys(token)
    page.button("Send", "form")


GONE = {"token": "gone*", "status": 404, "error_code": "UNREGISTERED"}


def test_sends_a_test_and_follows_it(bench):
    page = bench.browser
    gateway.faults(bench.emulator, {"token": "flaky*", "status": 503, "error_code": "UNAVAILABLE", "retry_after": "1", "times": 1}, GONE)
    send(page, "a-phone-with-a-very-long-registration-token-0123456789")
    page.sees("FCM accepted it. Nothing else happens here.")
    page.sees("a-phone-with…23456789")
    send(page, "flaky-phone")
    page.sees("The last attempt failed with UNAVAILABLE.")
    page.sees("FCM accepted it. Nothing else happens here.")
    page.wait("the end", "[...document.querySelectorAll('.timeline .badge')].filter(each => each.innerText === 'sent').length === 2")
    steps = page.run("return [...document.querySelectorAll('.timeline .badge')].map(each => each.innerText)")
    # The first attempt fails before or after the page begins to follow.
    assert steps[0] == "queued" and "sent" not in steps[:-2], steps
    page.sees("Attempts: 1 UNAVAILABLE 503", ".timeline")
    told = page.run("return [...document.querySelectorAll('.timeline li')].map(each => each.innerText)")
    assert not any("sent" in line and "UNAVAILABLE" in line for line in told), told
    send(page, "gone-phone")
    page.sees("The registration is dead")
    inbox = gateway.request("GET", bench.emulator + "/inbox")
    assert inbox["count"] == 2, "two were really sent"
    assert page.complaints() == []


def test_asks_before_it_reaches_many_and_validates(bench):
    page = bench.browser
    page.open("#/send?template=sale&kind=topic&to=news", fresh=True)
    page.button("Send", "form")
    page.sees("news can reach many people", "dialog")
    page.button("Leave as it is", "dialog")
    page.wait("no dialog", "!document.querySelector('dialog')")
    page.labelled("Only ask FCM").click()
    page.button("Send", "form")
    page.sees("FCM would accept it")
    inbox = gateway.request("GET", bench.emulator + "/inbox?topic=news")
    assert inbox["count"] == 0 or not inbox["messages"], "nobody was notified"
    assert page.complaints() == []


def test_finds_retries_and_cancels(bench):
    page = bench.browser
    page.open("#/deliveries", fresh=True)
    page.wait("three", "document.querySelectorAll('.deliveries-list a').length === 3")
    page.type("main input[type=search]", "unregistered")
    page.wait("the dead one", "document.querySelectorAll('.deliveries-list a').length === 1")
    page.one(".deliveries-list a").click()
    page.sees("The registration is dead")
    assert not page.one(".notification-pane .buttons button").is_displayed(), "what cannot succeed is not offered"
    gateway.faults(bench.emulator, {"token": "apns*", "status": 401, "error_code": "THIRD_PARTY_AUTH_ERROR"})
    send(page, "apns-phone")
    page.sees("Fix them in Firebase, then retry.")
    page.open("#/deliveries?q=third_party_auth_error", fresh=True)
    page.one(".deliveries-list a").click()
    page.button("Retry")
    page.sees("queued again", "dialog")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.wait("no dialog", "!document.querySelector('dialog')")
    page.button("Retry")
    page.button("Retry", "dialog")
    page.wait("a new attempt", "document.querySelectorAll('.timeline li').length >= 2")
    page.driver.back()
    page.wait("the search again", "document.querySelector('main input[type=search]').value === 'third_party_auth_error'")
    made = gateway.request("POST", bench.url + "/v1/notifications", {
        "template": "sale", "to": {"token": "later"}, "send_at": gateway.later(3600)})
    page.open("#/deliveries?q=" + made["id"], fresh=True)
    page.one(f".deliveries-list a[href*='{made['id']}']").click()
    page.sees("It waits until")
    page.button("Cancel")
    page.button("Cancel", "dialog")
    page.sees("It was cancelled before it was sent.")
    assert page.complaints() == []


def nodes(page):
    return page.run("return document.querySelectorAll('*').length")


def focused(page):
    """The place of the row with the focus in its list, from 1, and the list's length."""
    return page.run("const row = document.activeElement.closest('li');"
                    "return row ? [Number(row.getAttribute('aria-posinset')), Number(row.getAttribute('aria-setsize'))] : null")


def test_stays_usable_with_1000_targets(bench):
    page = bench.browser
    gateway.faults(bench.emulator, GONE)
    big = gateway.request("POST", bench.url + "/v1/notifications", {
        "template": "sale", "to": {"tokens": [f"phone-{number}" for number in range(999)] + ["gone-phone"]}})
    page.open("#/deliveries/" + big["id"], fresh=True)
    page.wait("all in the list", "document.querySelector('.targets li').getAttribute('aria-setsize') === '1000'")
    page.sees("FCM accepted it.", ".one")
    assert nodes(page) < NODES_MAX, f"only the rows in sight are in the page, not {nodes(page)} elements"
    page.one(".targets a[tabindex='0']").send_keys(Keys.END)
    page.wait("the last one", "document.activeElement.closest('li')?.getAttribute('aria-posinset') === '1000'")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.sees("The registration is dead", ".one")
    assert "target=" in page.driver.current_url, "the chosen delivery has an address"
    page.driver.refresh()
    page.sees("The registration is dead", ".one")
    page.type(".notification-pane input[type=search]", "phone-998")
    page.wait("the one", "document.querySelectorAll('.targets li').length === 1")
    page.sees("phone-998", ".one")
    page.type(".notification-pane input[type=search]", "unregistered")
    page.sees("gone-phone", ".one")
    assert nodes(page) < NODES_MAX
    assert page.violations() == []
    assert page.complaints() == []


def test_stays_usable_with_10000_deliveries(bench):
    page = bench.browser
    for batch in range(100):
        gateway.request("POST", bench.url + "/v1/notifications/batch", {"notifications": [
            {"template": "sale", "to": {"token": f"one-{batch}-{number}"}} for number in range(100)]})
    page.open("#/deliveries", fresh=True)
    page.wait("a page", "document.querySelectorAll('.deliveries-list a').length > 10")
    most = nodes(page)
    # Each End leads to the last row that is loaded, and has the next page loaded.
    page.one(".deliveries-list a[tabindex='0']").send_keys(Keys.END)
    while focused(page)[0] < 10_000:
        last = focused(page)[0]
        page.wait("the next page", f"Number(document.activeElement.closest('li').getAttribute('aria-setsize')) > {last}")
        page.driver.switch_to.active_element.send_keys(Keys.END)
        page.wait("its end", f"Number(document.activeElement.closest('li').getAttribute('aria-posinset')) > {last}")
        most = max(most, nodes(page))
    assert most < NODES_MAX, f"{most} elements"
    chosen = page.run("return document.activeElement.closest('li').dataset.id")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.sees(chosen, ".notification-pane")
    place = focused(page)
    assert place and place[0] >= 10_000, f"the list stays where it is: {place}"
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert focused(page)[0] == place[0] - 1
    page.driver.back()
    page.sees("Choose a notification", "main")
    assert focused(page)[0] == place[0] - 1, "and after Back"
    page.driver.switch_to.active_element.send_keys(Keys.HOME)
    page.wait("the first", "document.activeElement.closest('li')?.getAttribute('aria-posinset') === '1'")
    # By token, among all.
    page.type("main input[type=search]", "one-0-7")
    page.wait("found", "document.querySelector('.deliveries-list .target bdi')?.title === 'one-0-7'")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert focused(page)[0] == 1, "the arrow leads from the search to the list"
    assert nodes(page) < NODES_MAX
    assert page.violations() == []
    assert page.complaints(allowed=["422"]) == []


# The list's requests get the answer in `refusal`, if there is one.
REFUSE = """
const real = window.fetch;
window.refused = 0;
window.fetch = (path, options) => {
  if (!window.refusal || !String(path).includes("/v1/notifications?")) return real(path, options);
  window.refused += 1;
  const { status, after } = window.refusal;
  return Promise.resolve(new Response(JSON.stringify({ title: "Not now" }), { status, headers: { "Retry-After": after } }));
};
"""
LENGTH = "Number(document.querySelector('.deliveries-list li').getAttribute('aria-setsize'))"


def test_asks_again_for_what_could_not_be_loaded(bench):
    page = bench.browser
    with gateway.another(bench, "refusing") as server:
        for start in (0, 100):
            gateway.request("POST", server.urls["gateway"] + "/v1/notifications/batch", {"notifications": [
                {"template": "sale", "to": {"token": f"phone-{start + number}"}} for number in range(100)]})
        page.open("#/queue", fresh=True)
        page.sees("closed")
        page.run(REFUSE + "window.refusal = { status: 503, after: '600' };")
        page.open("#/deliveries")
        page.sees("The notifications could not be loaded. Not now", ".list")
        assert "No notifications yet." not in page.text(), "nobody knows whether there are any"
        assert page.violations() == []
        page.run("window.refusal = null; document.querySelector('.failure button').focus()")
        page.driver.switch_to.active_element.send_keys(Keys.ENTER)
        page.wait("a page", f"{LENGTH} === 100")
        assert "could not be loaded" not in page.text()
        assert page.run("return document.activeElement.className").startswith("rows"), "the focus stays in the list"
        # A page that fails while one scrolls comes when the gateway asked for it.
        page.run("window.refusal = { status: 429, after: '1' }")
        page.one(".deliveries-list a[tabindex='0']").send_keys(Keys.END)
        page.sees("Further notifications could not be loaded. Not now", ".list")
        page.wait("several attempts", "window.refused > 2")
        page.run("window.refusal = null")
        page.wait("the next page", f"{LENGTH} === 200")
        assert "could not be loaded" not in page.text()
        assert page.complaints() == []


def test_shows_the_queue_live(bench):
    page = bench.browser
    page.open("#/queue", fresh=True)
    page.sees("Queue: ok")
    page.wait("lines", "document.querySelectorAll('.chart .series').length >= 6")
    page.sees("closed")
    page.sees("Peak: ", ".chart h2")
    page.wait("the sent ones", "Number(document.querySelector('tbody a[href*=\"status=sent\"]').innerText.replace(',', '')) > 3")
    page.one("tbody a[href*='status=failed']").click()
    # A third delivery failed in a notification whose others were sent.
    page.wait("the failed ones", "document.querySelectorAll('.deliveries-list a').length === 2")
    assert page.complaints() == []


def test_says_that_a_notification_is_unknown(bench):
    page = bench.browser
    page.look(320, 640)
    page.open("#/deliveries/nosuch", fresh=True)
    page.sees("There is no such notification. Those that have ended are removed after queue.retention.", ".detail")
    assert "Loading" not in page.one(".detail").text
    page.button("Deliveries", ".detail")
    page.wait("the list", "document.querySelector('.deliveries-list').checkVisibility()")
    page.look(1440, 900)
    assert all("404" in each for each in page.complaints())
