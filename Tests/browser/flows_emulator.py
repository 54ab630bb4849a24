"""The emulator's own page: what arrives, faults as a form and as JSON, axe-core, sizes, the page's policy."""

import json
import urllib.error
import urllib.request

import gateway


def send(bench, message):
    """Sends a message to the emulator as any client of FCM does; the status of the answer."""
    call = urllib.request.Request(
        f"{bench.emulator}/v1/projects/p/messages:send", json.dumps({"message": message}).encode(),
        {"Authorization": "Bearer owner", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(call, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def opened(bench):
    """The page, with an empty inbox and without faults."""
    gateway.request("DELETE", f"{bench.emulator}/inbox")
    gateway.request("PUT", f"{bench.emulator}/faults", {"rules": []})
    page = bench.browser
    page.base = bench.emulator
    page.open("", fresh=True)
    page.sees("Nothing has arrived yet.")
    return page


def closed(bench):
    gateway.request("PUT", f"{bench.emulator}/faults", {"rules": []})
    bench.browser.look(1440, 900)
    assert bench.browser.complaints() == []
    bench.browser.base = bench.url


def test_emulator_shows_what_arrives(bench):
    page = opened(bench)
    title = "<img src=x onerror=alert(1)>"
    assert send(bench, {"token": "bob-phone", "notification": {"title": title}}) == 200
    assert send(bench, {"topic": "news", "android": {"notification": {
        "title_loc_key": "sale_title", "title_loc_args": ["Ada", "3"]}}}) == 200
    assert send(bench, {"token": "v2-phone", "android_v2": {"remote_notification": {"notification": {
        "body_loc_key": "v2_body", "title": "Newer"}}}}) == 200
    assert send(bench, {"token": "match-phone", "apns": {"live_activity_token": "a", "payload": {"aps": {
        "timestamp": 1, "event": "update", "content-state": {},
        "alert": {"title": {"loc-key": "GOAL_TITLE", "loc-args": ["Ada"]}, "body": "2 : 1"}}}}}) == 200
    assert send(bench, {"token": "bob-phone", "notification": {"titel": "x"}}) == 400
    for text in (title, "sale_title (Ada, 3)", "v2_body", "GOAL_TITLE (Ada)", "2 : 1"):
        page.sees(text, "#messages")
    page.wait("four messages", "document.querySelector('#count').textContent === '4'")
    assert not page.all("#messages img"), "a text never becomes markup"
    targets = page.run("return [...document.querySelectorAll('#messages .to')].map(each => each.innerText)")
    assert targets == ["token match-phone", "token v2-phone", "topic news", "token bob-phone"], targets
    page.one("#messages li:last-child summary").click()
    page.sees('"token": "bob-phone"', "#messages li:last-child pre")
    page.type("#token", "bob-phone")
    page.wait("one message", "document.querySelectorAll('#messages > li').length === 1")
    page.type("#token", "")
    page.wait("all messages", "document.querySelectorAll('#messages > li').length === 4")
    page.button("Pause")
    assert send(bench, {"token": "late-phone"}) == 200
    page.wait("a paused page", "document.querySelector('#pause').getAttribute('aria-pressed') === 'true'")
    assert "late-phone" not in page.text()
    page.button("Go on")
    page.sees("late-phone", "#messages")
    page.button("Empty the inbox")
    page.sees("The inbox is empty.", "#status")
    assert gateway.request("GET", f"{bench.emulator}/inbox")["count"] == 0
    closed(bench)


def test_emulator_takes_faults(bench):
    page = opened(bench)
    page.type("#rule-token", "bad-*")
    page.type("#rule-times", "1")
    page.button("Add", "#add")
    page.sees("token bad-*: UNREGISTERED, 1 more time", "#rules")
    rules = f"{bench.emulator}/faults"
    assert gateway.request("GET", rules)["rules"] == [{"token": "bad-*", "error_code": "UNREGISTERED", "times": 1}]
    assert [send(bench, {"token": token}) for token in ("good-phone", "bad-phone", "bad-phone")] == [200, 404, 200]
    page.sees("404 UNREGISTERED", "#stats")
    page.run("const s = document.querySelector('#rule-answer'); s.value = '4'; s.dispatchEvent(new Event('change'))")
    page.type("#rule-topic", "news")
    page.button("Add", "#add")
    page.sees("topic news: UNAVAILABLE, Retry-After 2", "#rules")
    assert send(bench, {"topic": "news"}) == 503
    page.run("document.querySelector('#rules li:last-child button').click()")
    page.sees("The rule is removed.", "#status")
    # A rule made elsewhere appears, and the whole list can be edited.
    gateway.request("PUT", rules, {"rules": [{"latency": "1ms", "token": "slow"}]})
    page.sees("token slow: after 1ms", "#rules")
    page.one("section[aria-labelledby=faults-title] summary").click()
    page.run("document.querySelector('#json').value = arguments[0]", '{"rules": [{"error_code": "UNAVAILABEL"}]}')
    page.button("Replace all rules")
    page.sees("error_code", "#json-error")
    assert page.run("return document.querySelector('#json').getAttribute('aria-invalid')") == "true"
    assert gateway.request("GET", rules)["rules"] == [{"token": "slow", "latency": "1ms"}]
    page.run("document.querySelector('#json').value = arguments[0]", '{"rules": []}')
    page.button("Replace all rules")
    page.sees("No rules.")
    # The browser itself logs the refusal of the faulty list.
    assert page.complaints(["/faults"]) == []
    closed(bench)


def test_emulator_suits_every_reader(bench):
    page = opened(bench)
    gateway.request("PUT", f"{bench.emulator}/faults", {"rules": [{"token": "x" * 80, "error_code": "INTERNAL"}]})
    assert send(bench, {"token": "y" * 200, "notification": {"title": "A long word: " + "z" * 300}}) == 200
    for dark in (False, True):
        for width, height in ((360, 740), (1440, 900), (3840, 2160)):
            page.look(width, height, dark=dark)
            page.open("", fresh=True)
            page.sees("A long word", "#messages")
            page.sees("INTERNAL", "#rules")
            page.run("for (const each of document.querySelectorAll('details')) each.open = true")
            found = page.violations()
            assert found == [], f"{width} {dark}: {found}"
            over = page.run("return document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{over} px too wide at {width}"
    policy = page.run("return fetch('/').then(answer => answer.headers.get('content-security-policy'))")
    assert policy.startswith("default-src 'none'; script-src 'self'"), policy
    seen = page.run("return performance.getEntriesByType('resource').map(each => each.name)")
    assert seen and all(name.startswith(bench.emulator + "/") for name in seen), seen
    # What the policy forbids does not happen, even if it gets into the page.
    for attempt in ("document.createElement('script').setAttribute('src', 'data:text/javascript,1')",
                    "document.createElement('p').innerHTML = '<b>x</b>'"):
        assert page.run(f"try {{ {attempt}; return 'taken' }} catch (error) {{ return error.name }}") == "TypeError", attempt
    page.run("const late = document.createElement('img'); late.src = 'https://example.com/x.png'; document.body.append(late)")
    refused = []
    page.until("the refusal of a picture", 10, lambda _: refused.extend(page.complaints()) or any(
        "example.com" in each for each in refused))
    assert all("Content Security Policy" in each or "TrustedHTML" in each or "TrustedScriptURL" in each
               for each in refused), refused
    closed(bench)
