"""Sending, following, finding, cancelling and retrying; the queue; a gateway that dies and returns."""

import signal
import time

from selenium.webdriver.common.keys import Keys

import gateway


def send(page, token):
    page.open("#/send?template=sale&arg.percent=30", fresh=True)
    page.sees("Send a test")
    page.labelled("Target").send_keys(token)
    page.button("Send", "form")


def test_sends_a_test_and_follows_it(bench):
    page = bench.browser
    gateway.request("PUT", bench.emulator + "/faults", {"rules": [
        {"token": "flaky*", "status": 503, "error_code": "UNAVAILABLE", "retry_after": "1", "times": 1},
        {"token": "gone*", "status": 404, "error_code": "UNREGISTERED"}]})
    send(page, "a-phone-with-a-very-long-registration-token-0123456789")
    page.sees("FCM accepted it. Nothing else happens here.")
    page.sees("a-phone-with…23456789")
    send(page, "flaky-phone")
    page.sees("The last attempt failed with UNAVAILABLE.")
    page.sees("FCM accepted it. Nothing else happens here.")
    page.wait("each step", "document.querySelectorAll('.timeline li').length >= 2")
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
    page.button("Retry")
    page.sees("queued again", "dialog")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.wait("no dialog", "!document.querySelector('dialog')")
    page.button("Retry")
    page.button("Retry", "dialog")
    page.wait("a new attempt", "document.querySelectorAll('.timeline li').length >= 2")
    page.driver.back()
    page.wait("the search again", "document.querySelector('main input[type=search]').value === 'unregistered'")
    later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    made = gateway.request("POST", bench.url + "/v1/notifications", {
        "template": "sale", "to": {"token": "later"}, "send_at": later})
    page.open("#/deliveries?q=" + made["id"], fresh=True)
    page.one(f".deliveries-list a[href*='{made['id']}']").click()
    page.sees("It waits until")
    page.button("Cancel")
    page.button("Cancel", "dialog")
    page.sees("It was cancelled before it was sent.")
    assert page.complaints() == []


def test_stays_usable_with_1000_targets_and_many_notifications(bench):
    page = bench.browser
    big = gateway.request("POST", bench.url + "/v1/notifications", {
        "template": "sale", "to": {"tokens": [f"phone-{number}" for number in range(1000)]}})
    for _ in range(2):
        gateway.request("POST", bench.url + "/v1/notifications/batch", {"notifications": [
            {"template": "sale", "to": {"token": f"one-{number}"}} for number in range(100)]})
    page.open("#/deliveries/" + big["id"], fresh=True)
    page.wait("a first part", "document.querySelectorAll('.delivery').length === 100")
    page.button("Show more", ".notification-pane")
    page.wait("more", "document.querySelectorAll('.delivery').length === 200")
    page.type(".notification-pane input[type=search]", "phone-999")
    page.wait("the one", "document.querySelectorAll('.delivery').length === 1")
    page.open("#/deliveries", fresh=True)
    page.wait("a page", "document.querySelectorAll('.deliveries-list a').length === 50")
    page.button("Show more", ".list")
    page.wait("more", "document.querySelectorAll('.deliveries-list a').length === 100")
    assert page.complaints() == []


def test_shows_the_queue_live(bench):
    page = bench.browser
    page.open("#/queue", fresh=True)
    page.sees("Queue: ok")
    page.wait("lines", "document.querySelectorAll('.chart .series').length >= 6")
    page.sees("closed")
    page.wait("the sent ones", "Number(document.querySelector('tbody a[href*=\"status=sent\"]').innerText.replace(',', '')) > 3")
    page.one("tbody a[href*='status=failed']").click()
    page.wait("the failed ones", "document.querySelectorAll('.deliveries-list a').length === 1")
    assert page.complaints() == []


def test_tells_within_3_seconds_that_the_gateway_is_away_and_recovers(bench):
    page = bench.browser
    page.open("#/queue", fresh=True)
    page.wait("ready", "document.querySelector('#readiness').innerText === 'ready'")
    bench.server.process.send_signal(signal.SIGSTOP)
    try:
        page.wait("disconnected while it hangs", "document.documentElement.hasAttribute('data-stale')", 3)
    finally:
        bench.server.process.send_signal(signal.SIGCONT)
    page.wait("connected again", "!document.documentElement.hasAttribute('data-stale')")
    bench.server.stop(signal.SIGKILL)
    page.wait("disconnected when it is dead", "document.documentElement.hasAttribute('data-stale')", 3)
    page.sees("The gateway last answered at", "#connection")
    bench.restart()
    page.wait("connected again", "!document.documentElement.hasAttribute('data-stale')")
    page.wait("no banner", "document.querySelector('#connection').innerText === ''")
    page.sees("Queue: ok")
    page.complaints()
