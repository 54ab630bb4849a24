"""Templates, phones, messages, the matrix, findings and the catalog."""

import json
import pathlib

from selenium.webdriver.common.keys import Keys

import gateway

PHONE = "article[data-locale='{}'] [data-platform={}]"
NOTES = "article[data-locale='{}'] [data-of={}]"


def test_finds_templates_and_comes_back(bench):
    page = bench.browser
    page.open("#/templates", fresh=True)
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
        "const [icon, button] = ['.appicon', '.pill'].map(s => arguments[0].querySelector(s).getBoundingClientRect().x);"
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
    cut = "document.querySelector(\"article[data-locale=en] .android .drawing\").textContent.includes('…')"
    page.wait("one line", cut)
    page.labelled("Expanded").click()
    page.wait("the whole text", f"!{cut}")
    page.labelled("Only with findings").click()
    page.wait("three locales", "document.querySelectorAll('.pair').length === 3")
    page.run("const s = document.querySelector('select[aria-label=Platform]'); s.value = 'ios'; s.dispatchEvent(new Event('change'))")
    page.wait("faulty iPhones only", "document.querySelectorAll('.device').length === 2 && !document.querySelector('.device[data-platform=android]')")
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


def test_says_in_the_matrix_what_is_read(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.wait("the worst first", "document.querySelector('tbody th').innerText === 'parcel' && document.querySelectorAll('thead th')[1].innerText === 'fr'")
    assert [len(page.all(f".matrix td.cell.{rank}")) for rank in ("error", "warning", "ok")] == [3, 0, 12]
    page.one("td[aria-label='parcel, French: crashes']").click()
    page.sees("keeps stopping", ".reading")
    page.sees("StringFormatMatches", ".reading")
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.wait("the table alone", "document.querySelector('.reading').hidden && document.activeElement.ariaLabel === 'parcel, French: crashes'")
    page.driver.refresh()
    page.one("td[aria-label='parcel, French: crashes']").click()
    page.sees("keeps stopping", ".reading")
    page.driver.refresh()
    page.sees("keeps stopping", ".reading")
    page.button("Phones", ".reading")
    page.wait("the French phones alone", "[...document.querySelectorAll('.pair')].map(p => p.dataset.locale).join() === 'fr'")
    assert page.complaints() == []


def test_moves_through_the_matrix_with_the_keyboard(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.wait("one stop", "document.querySelectorAll('[role=grid] [tabindex=\"0\"]').length === 1")
    page.run("document.querySelector('[role=grid] [tabindex=\"0\"]').focus()")
    steps = [(Keys.ARROW_RIGHT, "parcel, Japanese"), (Keys.ARROW_DOWN, "sale, Japanese"), (Keys.END, "sale, Hebrew"),
             (Keys.HOME + Keys.ARROW_RIGHT, "sale, French"), (Keys.PAGE_DOWN, "match, French"), (Keys.PAGE_UP, "parcel, French")]
    for keys, name in steps:
        page.driver.switch_to.active_element.send_keys(keys)
        page.wait(name, f"document.activeElement.ariaLabel?.startsWith({name + ':'!r})")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.sees("keeps stopping", ".reading")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.sees("PARCEL_BODY", ".reading")
    assert len(page.all("[role=grid] [tabindex='0']")) == 1
    assert page.complaints() == []


def test_filters_the_matrix_and_keeps_it_in_the_address(bench):
    page = bench.browser
    page.open("#/matrix", fresh=True)
    page.sees("Templates: 3 of 3. Locales: 5 of 5.")
    page.run("const s = document.querySelector('select[aria-label=Verdict]'); s.value = 'any'; s.dispatchEvent(new Event('change'))")
    page.sees("Templates: 1 of 3. Locales: 3 of 5.")
    page.driver.refresh()
    page.sees("Templates: 1 of 3. Locales: 3 of 5.")
    page.type("input[aria-label='Find a locale']", "ger")
    page.sees("Templates: 1 of 3. Locales: 1 of 5.")
    page.run("const s = document.querySelector('select[aria-label=Platform]'); s.value = 'ios'; s.dispatchEvent(new Event('change'))")
    page.wait("the iPhone's verdict", "document.querySelector('td').ariaLabel === 'parcel, German: shows a garbled text'")
    page.type("input[aria-label='Find a template']", "sale")
    page.sees("Nothing matches.")
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


def test_says_in_the_pages_language_what_is_wrong(bench):
    page = bench.browser
    texts = {
        "de-AT": ("bekommt einen Text, wie jeder Platzhalter einer Pushnachricht", "Führe dragoman check --write-keep aus"),
        "he-IL": ("מקבל טקסט, כמו כל מציין מקום בהתראה", "הריצו dragoman check --write-keep"),
    }
    try:
        for tag, (title, keep) in texts.items():
            page.language(tag)
            page.open("#/findings", fresh=True)
            page.sees(title, ".findings")
            advice = page.run("return [...document.querySelectorAll('.finding .help')].map(each => each.innerText)")
            assert any(text.startswith(keep) for text in advice), advice
            assert page.all(".in-english") == [], "nothing is in English"
            code = page.run("return getComputedStyle(document.querySelector('.finding .help code')).direction")
            assert code == "ltr", "code keeps its direction"
            assert page.violations() == []
            page.type("main input[type=search]", f"sale {keep.split()[0]}")
            page.wait("what matches", "document.querySelectorAll('.finding').length === 1")
            page.open("#/templates/parcel?locales=fr", fresh=True)
            page.sees(title, ".problems")
            page.open("#/translations?source=en&locale=fr")
            page.sees(title, ".translations")
    finally:
        page.language("en")
    page.open("#/findings", fresh=True)
    page.sees("StringFormatCount")
    assert page.all(".in-english") == [], "it is in English anyway"
    assert page.complaints() == []


def test_calls_the_app_by_its_own_name(bench):
    page = bench.browser
    folder = pathlib.Path(bench.folder, "named")
    strings = {"values": ("Corner Shop", "Hello"), "values-fr": ("Chez nous", "Bonjour")}
    for name, (app, body) in strings.items():
        (folder / "res" / name).mkdir(parents=True)
        (folder / "res" / name / "strings.xml").write_text(
            f'<resources><string name="shop">{app}</string><string name="body">{body}</string></resources>', encoding="utf-8")
    (folder / "AndroidManifest.xml").write_text(
        '<manifest xmlns:android="http://schemas.android.com/apk/res/android"><application android:label="@string/shop"/></manifest>',
        encoding="utf-8")
    (folder / "Info.plist").write_text(
        "<plist version='1.0'><dict><key>CFBundleDisplayName</key><string>Corner Shop</string></dict></plist>", encoding="utf-8")
    for name, (app, body) in {"en": strings["values"], "fr": strings["values-fr"]}.items():
        lproj = folder / f"{name}.lproj"
        lproj.mkdir()
        (lproj / "Localizable.strings").write_text(f'body = "{body}";', encoding="utf-8")
        (lproj / "InfoPlist.strings").write_text(f'CFBundleDisplayName = "{app}";', encoding="utf-8")
    catalog = folder / "named.yaml"
    catalog.write_text("version: 1\nresources: {android: res, ios: ., development_language: en}\n"
                       "templates: {hello: {body: {android: body, ios: body, args: []}}}\n", encoding="utf-8")
    with gateway.another(bench, "named-queue", catalog):
        page.open("#/templates/hello", fresh=True)
        # Without a title, the app's name is in its place.
        for locale, name in {"fr": "Chez nous", "en": "Corner Shop"}.items():
            for platform in ("android", "ios"):
                page.wait(f"{name} on {platform}", f"document.querySelector('article[data-locale={locale}] [data-platform={platform}] svg.drawing')"
                          f".textContent.includes('{name}')")
        assert page.complaints() == []


def test_cuts_a_text_at_the_same_character_in_every_window(bench):
    page = bench.browser
    texts = "[...document.querySelectorAll('.drawing text')].map(each => each.textContent)"
    seen = []
    for width, font in ((360, ""), (1440, "DejaVu Sans Mono"), (3840, "")):
        page.look(width, 900)
        page.open("#/templates/parcel?arg.customer=" + "ליאור אברהמי־גולדשטיין מתל אביב", fresh=True)
        page.wait("the Hebrew phone", "document.querySelector(\"article[data-locale=he] .android\").textContent.includes('ליאור')")
        page.run("for (const svg of document.querySelectorAll('.drawing')) svg.style.fontFamily = arguments[0]", font)
        seen.append(page.run(f"return {texts}"))
        wrong = page.run("return [...document.querySelectorAll('article[data-locale=en] .drawing text')].filter(each => "
                         "Math.abs(each.getComputedTextLength() - each.getAttribute('textLength')) > 1).map(each => each.textContent)")
        assert wrong == [], f"as wide as on the phone: {wrong}"
    assert seen[0] == seen[1] == seen[2] and any(text.endswith("…") for text in seen[0])
    # Cut where reading ends, which is on the left.
    title = page.run("const line = [...document.querySelectorAll(\"article[data-locale=he] .android text\")].find(each => each.textContent.endsWith('…'));"
                     "const at = index => line.getExtentOfChar(index).x; return [line.getAttribute('direction'), at(line.textContent.length - 1) < at(0)]")
    assert title == ["rtl", True], title
    page.look(1440, 900)
    assert page.complaints() == []


def test_measures_texts_as_phones_do(bench):
    page = bench.browser
    page.open("#/catalog", fresh=True)
    measured = page.driver.execute_async_script("""const done = arguments[0];
      import("/console/phones/lines.js").then(({ layOut, textWidth }) => done([
        textWidth("Hello", "android400", 14), textWidth("été", "ios400", 15) - textWidth("ete", "ios400", 15),
        textWidth("👩‍👩‍👧", "android400", 10), textWidth("数据", "ios400", 15),
        layOut("one two-three four", { font: "android400", size: 10, width: 40 }).map(each => each.text),
        layOut("見て、ください", { font: "android400", size: 10, width: 31 }).map(each => each.text),
        layOut("a\\nb\\nc", { font: "android400", size: 10, width: 45, max: 2 }).map(each => each.text),
        layOut("Donaudampfschifffahrt", { font: "android400", size: 10, width: 60, max: 1 }),
        textWidth("한", "ios400", 15) / 15, layOut("12\\u00a0€ 3", { font: "android400", size: 10, width: 20 }).map(each => each.text)]))""")
    # Roboto's advance widths of H, e, l and o are 1460, 1086, 497 and 1168 of 2048.
    assert abs(measured[0] - 14 * (1460 + 1086 + 2 * 497 + 1168) / 2048) < .3, measured[0]
    assert measured[1:4] == [0, 12.5, 30], measured
    assert measured[4] == ["one two-", "three", "four"], measured[4]
    assert measured[5] == ["見て、", "くださ", "い"], measured[5]
    assert measured[6] == ["a", "b…"], measured[6]
    assert measured[7][0]["text"].startswith("Donau") and measured[7][0]["text"].endswith("…") and measured[7][0]["width"] <= 60
    assert measured[8:] == [.925, ["12\u00a0€", "3"]], measured[8:]


def test_cuts_texts_where_the_gateway_does(bench):
    page = bench.browser
    page.open("#/catalog", fresh=True)
    cuts = json.loads((gateway.HERE.parent / "AppStringsTests/Fixtures/cuts.json").read_text(encoding="utf-8"))
    ends = page.driver.execute_async_script("""const [cuts, done] = arguments;
      Promise.all([import("/console/phones/lines.js"), import("/console/phones/widths.js")]).then(([{ layOut }, { collapsed }]) =>
        done(cuts.map(({ platform, slot, text }) => {
          const { weight, size, room, max } = collapsed[platform][slot];
          const end = layOut(text, { font: `${platform}${weight}`, size, width: room, max }).at(-1).text;
          return end.endsWith("…") ? end : null;
        })))""", cuts)
    assert ends == [each["end"] for each in cuts], [pair for pair in zip(ends, cuts) if pair[0] != pair[1]["end"]]


def test_writes_a_cause_once_for_all_alike(bench):
    page = bench.browser
    with gateway.another(bench, "alike", gateway.many_locales(bench.folder, "alike", crashing=82)):
        page.open("#/templates/hello", fresh=True)
        page.sees("Locales alike: 82")
        assert len(page.all(".pair")) == 160 - 82 + 1
        assert page.run("return document.querySelector('.pair').innerText.match(/StringFormatMatches/g).length") == 1
        page.button("ar", ".pair")
        page.wait("Arabic alone", "[...document.querySelectorAll('.pair')].map(p => p.dataset.locale).join() === 'ar'")
        page.sees("Locales: 1 of 160")
        page.driver.refresh()
        page.wait("Arabic alone", "[...document.querySelectorAll('.pair')].map(p => p.dataset.locale).join() === 'ar'")
        page.button("All locales")
        page.sees("Locales: 160 of 160")
        # From the start of words: neither Bulgarian nor "Hungarian".
        page.type("input[aria-label='Find a locale']", "ar")
        page.wait("Arabic and its like", "[...document.querySelectorAll('.pair h2')].every(e => /\\bar/i.test(e.innerText))")
        assert page.complaints() == []


def test_shares_what_is_shown(bench):
    page = bench.browser
    page.open("#/templates/parcel?platform=ios&find=fren", fresh=True)
    page.sees("Locales: 1 of 5")
    page.run("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } })")
    page.button("Copy link")
    page.sees("The link is copied.")
    link = page.run("return window.copied")
    assert link == bench.url + "/#/templates/parcel?platform=ios&locales=fr", link
    page.open(link.removeprefix(bench.url + "/"), fresh=True)
    page.wait("the same phone", "[...document.querySelectorAll('.device')].map(d => d.dataset.platform + d.closest('article').dataset.locale).join() === 'iosfr'")
    page.run("""window.made = []; const make = URL.createObjectURL; URL.createObjectURL = blob => { window.made.push(blob); return make(blob); };
      HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };""")
    page.button("Save picture")
    page.wait("the picture", "window.saved === 'parcel.png'")
    size = page.driver.execute_async_script(
        "createImageBitmap(window.made.at(-1)).then(({ width, height }) => arguments[0]([window.made.at(-1).type, width, height]))")
    assert size[0] == "image/png" and size[1] > 800 and size[2] > 500, size
    drawing = page.driver.execute_async_script("window.made[0].text().then(arguments[0])")
    assert "Bonne nouvelle, Alice !" in drawing and "French (fr) · iPhone" in drawing
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = page.run("return ['.phone', '.detail h1', '#bar', '.controls', '.field'].map(each => document.querySelector(each).checkVisibility())")
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        page.look(1440, 900)
    assert shown == [True, True, False, False, False], shown
    assert page.complaints() == []


def test_says_so_when_there_is_no_phone(bench):
    page = bench.browser
    page.open("#/catalog", fresh=True)
    said = page.driver.execute_async_script("""const done = arguments[0];
      import("/console/views/wall.js").then(({ phoneWall }) => {
        const wall = phoneWall(new URLSearchParams(), "none", () => {});
        const words = [wall.element.querySelector(".wall").textContent];
        wall.draw([]);
        done([...words, wall.element.querySelector(".wall").textContent]);
      });""")
    assert said == ["Loading…", "No phone matches."], said


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
    page.sees("Bonne nouvelle, Alice Zoe", "#panel")
    assert page.run("return window.phones") > 0
    page.button("Message")
    page.sees("Alice Zoe", "#panel .code")
    assert page.complaints() == []
