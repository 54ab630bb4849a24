"""The findings in messages that came through FCM's own API."""

import gateway

SEND = "/v1/projects/dragoman-dev/messages:send"
CAUSE = ".cause:has([data-locale={}])"


def test_shows_what_is_wrong_with_messages_by_cause(bench):
    page = bench.browser
    with gateway.another(bench, "messages") as server:
        page.open("#/messages", fresh=True)
        page.sees("No message has a finding.", "main")
        faulty = {"android": {"notification": {"title_loc_key": "parcel_title", "title_loc_args": ["Zoe"],
                                               "body_loc_key": "parcel_body", "body_loc_args": ["3", "Zoe"]}},
                  "apns": {"payload": {"aps": {"alert": {"title-loc-key": "PARCEL_TITLE", "title-loc-args": ["Zoe"],
                                                         "loc-key": "PARCEL_BODI"}}}}}
        for number in range(3):
            gateway.request("POST", server.urls["gateway"] + SEND, {"message": {"token": f"phone-{number}", **faulty}})
        gateway.request("POST", server.urls["gateway"] + SEND, {"message": {"topic": "news", "notification": {"title": "Sale"}}})
        page.sees("Your app keeps stopping", CAUSE.format("fr"))
        rules = page.run("return [...document.querySelectorAll('.cause .badge')].map(each => each.innerText)")
        assert rules.index("StringFormatMatches") < rules.index("MissingKey") < rules.index("LiteralText"), rules
        page.sees("Messages: 3 · since", CAUSE.format("fr"))
        page.sees("Errors: 3", "main")
        page.type("main input[type=search]", "parcel_bodi")
        page.wait("the one cause", "document.querySelectorAll('.cause').length === 1")
        page.sees("Good news, ①!", ".cause .phone")
        page.sees("PARCEL_BODI", ".cause .phone mark")
        assert "Zoe" not in page.text(), "no arg is kept"
        page.type("main input[type=search]", "resourceshrinker")
        page.wait("no cause in a language", "!document.querySelector('.cause [data-locale]')")
        page.type("main input[type=search]", "stringformatcount")
        page.wait("those of German", "document.querySelectorAll('.cause').length === 1")
        page.sees("no body", ".cause .phone")
        assert page.run("return document.querySelector('[data-locale=de]').getAttribute('aria-pressed')") == "true"
        # What comes later is counted where one looks.
        gateway.request("POST", server.urls["gateway"] + SEND, {"message": {"token": "phone-4", **faulty}})
        page.sees("Messages: 4 · since", ".cause")
        assert page.violations() == []
        page.look(390, 844)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        page.look(1440, 900)
    assert page.complaints() == []
