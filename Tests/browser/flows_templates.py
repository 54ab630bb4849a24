"""Templates, phones, messages, the matrix, findings and the catalog."""

from selenium.webdriver.common.keys import Keys

import gateway

PHONE = "article[data-locale='{}'] [data-platform={}]"
NOTES = "article[data-locale='{}'] [data-of={}]"


def test_finds_templates_and_comes_back(bench):
    page = bench.browser
    page.open("", fresh=True)
    page.sees("A parcel is on its way.")
    page.sees("Errors: 6")
    page.type("main input[type=search]", "begins")
    page.wait("one template", "document.querySelectorAll('.rows a').length === 1")
    page.type("main input[type=search]", "parcel")
    page.one(".rows a").click()
    page.sees("Good news, Alice!")
    page.driver.back()
    page.sees("Choose a template")
    page.driver.forward()
    page.sees("Good news, Alice!")
    page.driver.back()
    page.driver.back()
    page.until("Back leads out of the console", 5, lambda driver: driver.current_url == "about:blank")
    assert page.complaints() == []


def test_draws_each_fault_as_its_users_meet_it(bench):
    page = bench.browser
    page.open("#/templates/parcel", fresh=True)
    page.sees("Your app keeps stopping", PHONE.format("fr", "android"))
    page.sees("java.util.IllegalFormatConversionException", PHONE.format("fr", "android") + " .crash")
    page.sees("values-fr/strings.xml:4", NOTES.format("fr", "android"))
    page.sees("StringFormatMatches", NOTES.format("fr", "android"))
    page.sees("no body", PHONE.format("de", "android") + " .phone")
    page.sees("<null>", PHONE.format("de", "ios") + " .phone mark")
    page.sees("de.lproj/Localizable.strings:2", NOTES.format("de", "ios"))
    page.sees("PARCEL_BODY", PHONE.format("ja", "ios") + " .phone mark")
    hebrew = page.one(PHONE.format("he", "android") + " .phone")
    assert (hebrew.get_attribute("lang"), hebrew.get_attribute("dir")) == ("he", "rtl")
    place = page.run(
        "const [icon, button] = ['.appicon', '.chevron'].map(s => arguments[0].querySelector(s).getBoundingClientRect().x);"
        "return icon > button", hebrew)
    assert place, "a right-to-left phone is mirrored"
    assert page.all("article[data-locale=ja] [data-platform=android]") == []


def test_changes_while_one_types_and_keeps_it_in_the_address(bench):
    page = bench.browser
    page.open("#/templates/parcel", fresh=True)
    page.sees("Good news, Alice!")
    page.labelled("customer").send_keys(" 张伟 🎉")
    page.sees("Good news, Alice 张伟 🎉!")
    page.driver.refresh()
    page.sees("Good news, Alice 张伟 🎉!")
    page.labelled("customer").send_keys(Keys.CONTROL, "a", Keys.DELETE)
    page.wait("an empty arg", "location.hash.includes('arg.customer=&')")
    page.driver.refresh()
    page.sees("Good news, !")
    page.button("Send a test")
    page.sees("Kind of target", "main")
    assert page.labelled("customer").get_property("value") == ""
    page.driver.back()
    page.sees("Good news, !")
    page.labelled("parcels").send_keys(Keys.BACKSPACE, "500")
    page.wait("the mistake at its field", "document.querySelector('.field-error:not(:empty)') !== null")
    assert page.one("#panel").get_attribute("class") == "outdated"
    page.button("Right to left")
    page.sees("דנה כהן", PHONE.format("en", "android"))
    page.wait("no mistake", "!document.querySelector('.field-error:not(:empty)')")
    assert all("422" in each for each in page.complaints()), "only the refused preview"


def test_cuts_texts_until_they_are_expanded_and_filters(bench):
    page = bench.browser
    page.open("#/templates/parcel", fresh=True)
    page.sees("Good news, Alice!")
    cut = "(line => line.scrollWidth > line.clientWidth)(document.querySelector(\"article[data-locale=en] .android .line.body\"))"
    page.wait("one line", cut)
    page.labelled("Expanded").click()
    page.wait("the whole text", f"!{cut}")
    page.labelled("Only with findings").click()
    page.wait("three locales", "document.querySelectorAll('.pair').length === 3")
    page.run("const s = document.querySelector('select[aria-label=Platform]'); s.value = 'ios'; s.dispatchEvent(new Event('change'))")
    page.wait("iPhones only", "document.querySelectorAll('.device').length === 2 && !document.querySelector('.device[data-platform=android]')")
    page.driver.refresh()
    page.wait("the same filters", "document.querySelectorAll('.device').length === 2")
    assert page.complaints() == []


def test_shows_the_message_and_copies_it(bench):
    page = bench.browser
    page.open("#/templates/parcel?tab=message", fresh=True)
    page.sees("of 4,096 bytes")
    page.sees('"title_loc_key"', ".code")
    for name in ("curl", "Python", "TypeScript"):
        page.button(f"Copy as {name}")
        page.sees(f"Copied: {name}")
    page.one("[role=tab][data-tab=message]").send_keys(Keys.ARROW_RIGHT)
    page.sees("ResourceShrinker")
    page.one("[role=tab][data-tab=findings]").send_keys(Keys.HOME)
    page.sees("Good news, Alice!")
    assert page.complaints() == []


def test_leads_from_the_matrix_to_the_phone(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.one("a[aria-label='parcel, French: crashes']").click()
    page.wait("the French phone", "document.querySelector('.pair.wanted')?.dataset.locale === 'fr'")
    page.driver.back()
    page.wait("the matrix", "document.querySelectorAll('.matrix .cell.error').length === 3")
    page.wait("and what is fine", "document.querySelectorAll('.matrix .cell.ok').length > 5")
    assert page.complaints() == []


def test_leads_from_a_release_to_the_phone_that_has_it(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.button("By release")
    page.sees("Safe since", ".matrix.releases")
    page.wait("the address", "location.hash.includes('by=releases')")
    assert page.all("a[aria-label^='sale, Android 1.9.0: ok']"), "what the release has"
    page.one("a[aria-label='parcel, iPhone 1.9: languages lack a key · PARCEL_BODY · de']").click()
    page.wait("the German phone", "document.querySelector('.pair.wanted')?.dataset.locale === 'de'")
    page.sees("PARCEL_BODY", PHONE.format("de", "ios") + " .phone mark")
    page.sees("3 parcels are on their way", PHONE.format("en", "ios"))
    page.driver.back()
    page.one("a[aria-label='parcel, Android 1.9.0: lacks a key · parcel_body']").click()
    page.sees("no body", PHONE.format("en", "android") + " .phone")
    assert page.complaints() == []


def test_says_that_a_release_cannot_be_read(bench):
    page = bench.browser
    page.open("#/matrix?by=releases", fresh=True)
    page.sees("lacks a key", ".legend")
    cell = {"state": "missing", "keys": ["sale_body"], "locales": []}
    releases = {"android": {"safe_since": None, "releases": {"1.0.0": cell | {"unreadable": True}, "2.0.0": cell}}}
    template = {"name": "sale", "releases": releases | {"ios": {"safe_since": None, "releases": {}}}}
    names, legend = page.driver.execute_async_script(
        """const [template, done] = arguments;
        import("/console/views/releases.js").then(({ releaseMatrix }) => {
          const table = document.createElement("div");
          table.append(...releaseMatrix([template]));
          done([[...table.querySelectorAll("td > a[aria-label^='sale, ']")].map(a => a.ariaLabel),
            [...table.querySelectorAll(".legend li")].map(li => li.textContent.trim())]);
        });""",
        template,
    )
    assert names == [
        "sale, Android 1.0.0: cannot be read · sale_body",
        "sale, Android 2.0.0: lacks a key · sale_body",
    ]
    assert legend[-1].endswith("cannot be read"), legend
    assert page.complaints() == []


def test_draws_who_makes_the_texts(bench):
    page = bench.browser
    page.open("#/templates/sale", fresh=True)
    page.sees("The sale begins")
    page.one("summary").click()
    page.run("const s = arguments[0]; s.value = 'gateway'; s.dispatchEvent(new Event('input'))", page.labelled("render"))
    page.sees("text from the gateway", PHONE.format("en", "ios"))
    page.labelled("app_version").send_keys("one")
    page.wait("the mistake at its field", "[...document.querySelectorAll('.field-error')].some(e => e.innerText.includes('version'))")
    page.open("#/templates/parcel?render=gateway")
    page.sees("The gateway refuses such a request", PHONE.format("fr", "android"))
    page.sees("text from the gateway", PHONE.format("fr", "ios"))
    page.one("[role=tab][data-tab=message]").click()
    page.sees('"Good news, Alice!"', ".code")
    assert all("422" in each for each in page.complaints()), "only the refused preview"


def test_draws_a_live_activity(bench):
    page = bench.browser
    page.open("#/templates/match", fresh=True)
    page.sees("Goal by Alice!", PHONE.format("en", "ios"))
    page.sees("MatchAttributes", PHONE.format("en", "ios") + " .activity")
    assert page.all("[data-platform=android]") == [], "Android has no Live Activities"
    page.labelled("scorer").send_keys(" & Bob")
    page.sees("Alice & Bob", PHONE.format("he", "ios") + " .activity")
    assert page.complaints() == []


def test_groups_findings_and_tells_the_catalog(bench):
    page = bench.browser
    page.open("#/findings", fresh=True)
    page.sees("StringFormatCount")
    first = page.one(".finding .badge")
    assert "bad" in first.get_attribute("class"), "errors come first"
    page.type("main input[type=search]", "ResourceShrinker sale")
    page.wait("what matches", "document.querySelectorAll('.finding').length === 1")
    page.sees("check --write-keep")
    page.one(".finding a.chip").click()
    page.wait("its template", "document.querySelector('.detail h1')")
    page.open("#/catalog")
    page.sees("No reload since this tab was opened.")
    page.sees("Templates\n3")
    assert page.complaints() == []


def test_draws_160_locales(bench):
    page = bench.browser
    with gateway.another(bench, "many", gateway.many_locales(bench.folder)):
        page.open("#/templates/hello", fresh=True)
        page.sees("Locales: 160 of 160")
        assert len(page.all(".phone")) == 320
        # Typing must not wait for phones that nobody sees.
        skipped = page.run("return getComputedStyle(document.querySelector('.pair')).contentVisibility")
        assert skipped == "auto", "phones out of sight are not laid out"
        page.labelled("name").send_keys("!")
        page.sees("Hello Alice!", "article[data-locale=en]")
        assert page.complaints() == []


def test_shows_the_marks_beside_a_long_name(bench):
    page = bench.browser
    catalog = f"{bench.folder}/long.yaml"
    with open(catalog, "w", encoding="utf-8") as file:
        file.write(f"""version: 1
resources: {{android: {gateway.HERE}/shop/res, ios: {gateway.HERE}/shop, development_language: en}}
templates:
  order_delivery_window_changed_reminder: {{title: {{android: sale_title, ios: SALE_TITLE}}}}
""")
    with gateway.another(bench, "long", catalog):
        page.open("#/matrix", fresh=True)
        page.look(320, 640)
        page.sees("order_delivery_window_changed_reminder", "main")
        width = page.run("return document.querySelector('.matrix th[scope=row]').offsetWidth")
        assert width < 320 * .6, f"the name covers {width} of 320 px, and the marks pass below it"
        page.look(1440, 900)
        assert page.complaints() == []


def test_shows_translators_one_language_of_all_templates(bench):
    page = bench.browser
    page.open("#/translations?locale=de", fresh=True)
    page.sees("Texts: 7", "main")
    rows = page.run("return [...document.querySelectorAll('.translations tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))")
    assert rows[0][0] == "parcel title · Android, iPhone" and rows[0][3] == "fine", rows[0]
    assert rows[0][1].split() == ["Good", "news,", "Alice!", "parcel_title", "values/strings.xml:3"] and rows[0][2].startswith("Gute Nachrichten, Alice!"), rows[0]
    android, iphone = rows[1:3]
    assert android[0].endswith("Android") and android[3] == "loses a line" and "StringFormatCount" in android[2], android
    assert "values-de/strings.xml:4" in android[2], "where it stands"
    assert "<null>" in iphone[2] and iphone[3] == "shows a garbled text", iphone
    page.labelled("Only with findings").click()
    page.sees("Texts: 2", "main")
    page.run("arguments[0].value = 'he'; arguments[0].dispatchEvent(new Event('change'))", page.labelled("Translation"))
    page.sees("Texts: 0", "main")
    page.labelled("Only with findings").click()
    page.sees("חדשות טובות", ".translations")
    assert page.run("return document.querySelector('.translations [lang=he]').dir") == "rtl"
    page.driver.refresh()
    page.sees("חדשות טובות", ".translations")
    page.look(390, 844)
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    assert page.violations() == []
    page.look(1440, 900)
    assert page.complaints() == []


def test_draws_only_the_tab_in_sight(bench):
    page = bench.browser
    page.open("#/templates/parcel?tab=message", fresh=True)
    page.sees("title_loc_key", "#panel")
    page.run("""const make = document.createElement;
      window.phones = 0;
      document.createElement = function (tag) { window.phones += tag === "figure"; return make.apply(this, arguments); };""")
    page.labelled("customer").send_keys(" Zoe")
    page.sees("Alice Zoe", "#panel")
    assert page.run("return window.phones") == 0, "nobody sees the phones"
    page.button("Phones")
    page.sees("Good news, Alice Zoe!", "#panel .phone")
    assert page.run("return window.phones") > 0
    page.button("Message")
    page.sees("Alice Zoe", "#panel .code")
    assert page.complaints() == []
