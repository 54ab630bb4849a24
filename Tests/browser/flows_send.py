"""Sending to a Live Activity and to a described recipient, with the phones beside the form."""

from selenium.webdriver import ActionChains

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
    page.labelled("locale").send_keys("he-IL, de")
    page.sees("המבצע מתחיל", ASIDE + " [lang=he-IL]")
    page.sees("text from the gateway", ASIDE)
    assert page.all(ASIDE + " .android") == [], "the recipient has an iPhone"
    page.labelled("Target").send_keys("told-phone")
    page.button("Send", "form")
    page.sees("FCM accepted it. Nothing else happens here.")
    [message] = received(bench, "told-phone")
    assert message["apns"]["payload"]["aps"]["alert"]["title"] == "המבצע מתחיל" and "android" not in message
    assert page.complaints() == []


LOSE_THE_NEXT_ANSWER = """
const real = fetch;
window.fetch = async (path, request) => {
  const answer = await real(path, request);
  if (!path.endsWith("/v1/notifications")) return answer;
  window.fetch = real;
  throw new TypeError("Failed to fetch");
};"""


def test_sends_once_for_a_double_click_and_after_no_answer(bench):
    page = bench.browser
    page.open("#/send?template=sale", fresh=True)
    page.labelled("Target").send_keys("clicked-twice")
    ActionChains(page.driver).double_click(page.one("form button.primary")).perform()
    page.sees("FCM accepted it. Nothing else happens here.")
    page.type("form .fields input", "lost-answer")
    page.run(LOSE_THE_NEXT_ANSWER)
    page.button("Send", "form")
    page.sees("No answer came. The gateway may have accepted the notification.", "#said")
    page.button("Send", "form")
    page.sees("FCM accepted it. Nothing else happens here.")
    assert page.one("#said").text == ""
    # What was answered is another notification the next time.
    page.button("Send", "form")
    page.until("the second one", 15, lambda _: len(received(bench, "lost-answer")) > 1)
    assert [len(received(bench, token)) for token in ("clicked-twice", "lost-answer")] == [1, 2]
    assert page.complaints() == []


def test_sends_numbers_with_all_their_digits(bench):
    page = bench.browser
    with gateway.another(bench, "digits", gateway.HERE.parent.parent / "config/catalog.yaml") as server:
        page.open("#/send?template=new_message&arg.count=9007199254740993&to=counted", fresh=True)
        page.button("Send", "form")
        page.sees("FCM accepted it.")
        [sent] = gateway.request("GET", server.urls["emulator"] + "/inbox?token=counted")["messages"]
        assert "9007199254740993" in sent["message"]["android"]["notification"]["body_loc_args"], sent
        for text in ("0x10", "1e3"):
            page.open(f"#/templates/new_message?arg.count={text}")
            page.sees("must be an integer", "main")
        assert all("422" in each for each in page.complaints())
