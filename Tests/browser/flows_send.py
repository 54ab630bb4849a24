"""Sending to a Live Activity and to a described recipient, with the phones beside the form."""

import gateway

ASIDE = ".beside-form"


def received(bench, token):
    return [each["message"] for each in gateway.request("GET", f"{bench.emulator}/inbox?token={token}")["messages"]]


def pick(page, label, value):
    page.run("const [s, value] = arguments; s.value = value; for (const name of ['input', 'change']) s.dispatchEvent(new Event(name))",
             page.labelled(label), value)


def test_sends_to_a_live_activity_and_follows_it(bench):
    page = bench.browser
    gateway.request("PUT", bench.emulator + "/faults", {"rules": []})
    page.open("#/send?template=match&arg.scorer=Ada&kind=topic", fresh=True)
    page.sees("Goal by Ada!", ASIDE + " .ios")
    page.sees("MatchAttributes", ASIDE + " .activity")
    kinds = page.run("return [...arguments[0].options].map(o => o.value)", page.labelled("Kind of target"))
    assert kinds == ["token", "fid"], "an activity is on one phone"
    page.labelled("Target").send_keys("match-phone")
    token = page.one("fieldset input")
    token.send_keys("not hexadecimal")
    page.button("Send", "form")
    page.wait("the mistake at its field", "document.querySelector('fieldset .field-error:not(:empty)')")
    token.clear()
    token.send_keys("41aa07")
    page.button("Send", "form")
    page.sees("FCM accepted it. Nothing else happens here.")
    pick(page, "event", "end")
    page.sees("dismissal_date", "fieldset")
    assert "stale_date" not in page.one("fieldset").text, "an ended activity has none"
    page.run("arguments[0].value = '2030-01-02T03:04'", page.labelled("dismissal_date"))
    page.button("Send", "form")
    page.until("both", 15, lambda _: len(received(bench, "match-phone")) == 2)
    end, update = [each["apns"] for each in received(bench, "match-phone")]
    assert update["live_activity_token"] == end["live_activity_token"] == "41aa07"
    assert update["payload"]["aps"]["event"] == "update" and end["payload"]["aps"]["event"] == "end"
    assert update["payload"]["aps"]["content-state"]["scorer"] == "Ada" and "dismissal-date" in end["payload"]["aps"]
    page.sees("FCM accepted it. Nothing else happens here.")
    # The browser logs the refused request.
    assert all("422" in each for each in page.complaints())


def test_sends_texts_to_a_described_recipient(bench):
    page = bench.browser
    page.open("#/send?template=sale&locale=de", fresh=True)
    page.sees("Der Ausverkauf beginnt", ASIDE)
    pick(page, "Template", "parcel")
    page.sees("Gute Nachrichten, Alice!", ASIDE + " .ios")
    pick(page, "Template", "sale")
    page.one("form summary").click()
    pick(page, "platform", "ios")
    pick(page, "render", "gateway")
    page.labelled("locale").send_keys("he-IL")
    page.sees("המבצע מתחיל", ASIDE + " [lang=he-IL]")
    page.sees("text from the gateway", ASIDE)
    assert page.all(ASIDE + " .android") == [], "the recipient has an iPhone"
    page.labelled("Target").send_keys("told-phone")
    page.button("Send", "form")
    page.sees("FCM accepted it. Nothing else happens here.")
    [message] = received(bench, "told-phone")
    assert message["apns"]["payload"]["aps"]["alert"]["title"] == "המבצע מתחיל" and "android" not in message
    assert page.complaints() == []
