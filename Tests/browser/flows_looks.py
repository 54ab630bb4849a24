"""How the console looks and reads: axe-core, light and dark, sizes, languages, the keyboard."""

import pathlib

import tinycss2
from selenium.webdriver.common.keys import Keys

import references

STYLES = pathlib.Path(__file__).parent.parent.parent / "Sources/API/Console/Web/style"

VIEWS = {
    "#/templates": "A sale begins.", "#/templates/parcel": "Bonne nouvelle", "#/templates/parcel?tab=message": "title_loc_key",
    "#/templates/parcel?tab=findings": "MissingFallback", "#/matrix": "parcel",
    "#/matrix?by=releases": "Safe since", "#/matrix?template=parcel&locale=fr": "keeps stopping", "#/translations": "Good news",
    "#/templates/parcel?platform=ios&locales=ja": "PARCEL_BODY", "#/templates/match": "Goal by", "#/send?template=match": "Goal by",
    "#/inbox": "Faults", "#/findings": "StringFormatCount",
    "#/start": "The worst that readers get", "#/messages": "StringFormatMatches", "#/catalog": "Templates", "#/send": "Template", "#/deliveries": "Notifications: ", "#/queue": "closed",
}
LANGUAGES = {
    "en-US": ("en", "Templates"), "fr-CA": ("fr", "Modèles"), "de-AT": ("de", "Vorlagen"), "es-MX": ("es", "Plantillas"),
    "pt-BR": ("pt", "Modelos"), "zh-TW": ("zh", "模板"), "id": ("id", "Templat"), "he-IL": ("he", "תבניות"),
    "ar-EG": ("ar", "القوالب"), "tlh": ("en", "Templates"),
}


def test_has_no_finding_of_axe_in_light_and_dark(bench):
    page = bench.browser
    references.send_faulty_message(bench.url)
    for dark in (False, True):
        page.look(1440, 900, dark=dark)
        page.open("#/templates", fresh=True)
        for address, text in VIEWS.items():
            page.open(address)
            page.sees(text, "main")
            found = page.violations()
            assert found == [], f"{address} {'dark' if dark else 'light'}: {found}"
    page.look(1440, 900)
    assert page.complaints() == []


def test_looks_like_its_references(bench):
    lines = references.differing(bench)
    assert lines == [], "\n".join([*lines, "If that is intended: make screenshots"])


def declarations(rules, place=""):
    """The declarations of each property in each rule: several where browsers differ."""
    found = {}
    for rule in rules:
        if rule.type == "error":
            raise AssertionError(f"line {rule.source_line}: {rule.message}")
        if rule.type == "declaration":
            found.setdefault(f"{place} {rule.name.removeprefix('-webkit-')}", []).append(
                [rule.name, tinycss2.serialize(rule.value).strip()])
        elif getattr(rule, "content", None):
            inner = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
            found |= declarations(inner, f"line {rule.source_line}:")
    return found


def test_uses_styles_that_the_browser_knows(bench):
    page = bench.browser
    page.open("#/templates", fresh=True)
    for path in sorted(STYLES.glob("*.css")):
        rules = tinycss2.parse_stylesheet(path.read_text(encoding="utf-8"), skip_comments=True, skip_whitespace=True)
        found = declarations(rules)
        assert len(found) > 20, path
        unknown = page.run("return Object.entries(arguments[0])"
                           ".filter(([, all]) => !all.some(([name, value]) => CSS.supports(name, value)))", found)
        assert unknown == [], f"{path.name}: {unknown}"


def test_fits_from_360_pixels_to_4k(bench):
    page = bench.browser
    for width, height in ((320, 640), (360, 740), (3840, 2160)):
        page.look(width, height)
        page.open("#/templates", fresh=True)
        for address, text in VIEWS.items():
            page.open(address)
            page.sees(text, "main")
            over = page.run("return document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{address} is {over} px too wide at {width}"
            page.wait("the view's link in sight", "(({left, right}) => left >= 0 && right <= innerWidth)"
                      "(document.querySelector('nav a[aria-current]').getBoundingClientRect())")
    page.open("#/templates/parcel")
    page.sees("Good news")
    wall = page.run("const {left, top, right, bottom} = document.querySelector('.wall').getBoundingClientRect(); return [left, top, right, bottom]")
    assert wall[2] - wall[0] > 3000 and wall[3] - wall[1] > 1000, f"five locales fill the screen: {wall}"
    page.look(1440, 900)
    assert page.complaints() == []


def test_speaks_the_browsers_language(bench):
    page = bench.browser
    for tag, (language, templates) in LANGUAGES.items():
        page.language(tag)
        page.open("#/templates", fresh=True)
        page.sees(templates, "nav")
        root = page.run("return [document.documentElement.lang, document.documentElement.dir]")
        assert root == [language, "rtl" if language in ("he", "ar") else "ltr"], root
        if language in ("he", "ar"):
            page.open("#/templates/parcel")
            page.sees("Good news")
            left = page.run("return document.querySelector('#bar').getBoundingClientRect().left")
            assert left > 1000, "the navigation is on the right"
            found = page.violations()
            assert found == [], found
            assert page.run("return document.querySelector('article[data-locale=en] .phone').dir") == "ltr"
    page.language("en")
    assert page.complaints() == []


def test_reads_from_right_to_left(bench):
    page = bench.browser
    page.language("ar")
    try:
        page.open("#/templates/parcel", fresh=True)
        heading = "article[data-locale=en] h2"
        page.wait("an arrow to the left", f"document.querySelector('{heading}').innerText.includes('en ← default')")
        code, resolved = page.run(
            f"return ['code', '.soft bdi'].map(part => document.querySelector('{heading} ' + part).getBoundingClientRect().left)")
        assert resolved < code, "what the locale resolves to is where the arrow points"
        page.open("#/queue")
        # 1, 2, 5 and 15 minutes have four forms in Arabic, and "دقيقة" follows none of these numbers.
        page.wait("a time ago", "/^قبل (دقيقة واحدة|دقيقتين|5 دقائق|15 دقيقة)$/.test(document.querySelector('.axis span').innerText)")
    finally:
        page.language("en")
    assert page.complaints() == []


def test_keeps_badges_on_one_line(bench):
    page = bench.browser
    for tag in ("en", "id", "fr"):
        page.language(tag)
        for width in range(1240, 1500, 40):
            page.look(width, 800)
            page.open("#/templates/sale?locales=fr", fresh=True)
            page.one(".beside .fine .badge")
            high = page.run("const badge = document.querySelector('.fine .badge');"
                            "return badge.getBoundingClientRect().height / parseFloat(getComputedStyle(badge).fontSize)")
            assert high < 2, f"{tag} at {width} px: {high} lines"
    page.look(1440, 900)
    page.language("en")


def test_works_with_the_keyboard_alone(bench):
    page = bench.browser
    page.open("#/templates", fresh=True)
    page.sees("A sale begins.")
    page.keys("gq")
    page.sees("Rates and breakers")
    page.keys("gt")
    page.sees("A sale begins.")
    page.keys("/")
    page.wait("the search", "document.activeElement.type === 'search'")
    for view, row in (("t", ".rows li"), ("f", ".finding")):
        page.keys("g" + view)
        page.one(row)
        page.keys("/" + Keys.ARROW_DOWN + Keys.ARROW_DOWN)
        page.wait("the second row", f"document.querySelectorAll('{row}')[1].contains(document.activeElement)")
    page.keys("?")
    page.sees("Keyboard shortcuts", "dialog")
    assert page.violations() == []
    page.button("Close", "dialog")
    page.wait("no sheet", "!document.querySelector('dialog')")
    assert page.complaints() == []


def test_paints_quickly_and_stays_small(bench):
    page = bench.browser
    page.open("#/templates", fresh=True)
    page.sees("A sale begins.")
    seen = page.run("""return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
      .map(each => [each.name, each.decodedBodySize])""")
    assert all(name.startswith(bench.url + "/") for name, _ in seen), "nothing from elsewhere"
    assert sum(size for name, size in seen if "/console/" in name) < 200_000
    assert page.complaints() == []
