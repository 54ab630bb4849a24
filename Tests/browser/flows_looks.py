"""How the console looks and reads: axe-core, light and dark, sizes, languages, the keyboard."""

import base64
import struct
import zlib

VIEWS = {
    "#/templates": "A sale begins.", "#/templates/parcel": "Good news", "#/templates/parcel?tab=message": "title_loc_key",
    "#/templates/parcel?tab=findings": "MissingFallback", "#/matrix": "parcel",
    "#/matrix?by=releases": "Safe since", "#/templates/match": "Goal by", "#/send?template=match": "Goal by",
    "#/inbox": "Faults", "#/findings": "StringFormatCount",
    "#/catalog": "Templates", "#/send": "Template", "#/deliveries": "All states", "#/queue": "closed",
}
LANGUAGES = {
    "en-US": ("en", "Templates"), "fr-CA": ("fr", "Modèles"), "de-AT": ("de", "Vorlagen"), "es-MX": ("es", "Plantillas"),
    "pt-BR": ("pt", "Modelos"), "zh-TW": ("zh", "模板"), "id": ("id", "Templat"), "he-IL": ("he", "תבניות"),
    "ar-EG": ("ar", "القوالب"), "tlh": ("en", "Templates"),
}


def brightness(page):
    """The mean brightness of the page's picture, 0 to 255, from a very small picture of it."""
    shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "clip": {"x": 0, "y": 0, "width": 1440, "height": 900, "scale": 0.02}})
    data = base64.b64decode(shot["data"])
    width, height, _, color = struct.unpack(">IIBB", data[16:26])
    channels = {2: 3, 6: 4}[color]
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw, stride, above, values = zlib.decompress(packed), width * channels, bytes(width * channels), []
    for row in range(height):
        kind, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for index in range(stride):
            left = line[index - channels] if index >= channels else 0
            corner = above[index - channels] if index >= channels else 0
            up = above[index]
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            line[index] = (line[index] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        values += [line[index] for index in range(stride) if index % channels < 3]
        above = bytes(line)
    return sum(values) / len(values)


def test_has_no_finding_of_axe_in_light_and_dark(bench):
    page = bench.browser
    shades = {}
    for dark in (False, True):
        page.look(1440, 900, dark=dark)
        page.open("#/templates", fresh=True)
        for address, text in VIEWS.items():
            page.open(address)
            page.sees(text, "main")
            found = page.violations()
            assert found == [], f"{address} {'dark' if dark else 'light'}: {found}"
        page.open("#/templates/parcel")
        page.sees("Good news")
        shades[dark] = brightness(page)
    page.look(1440, 900)
    assert shades[False] > 190 and shades[True] < 70, f"light and dark differ: {shades}"
    assert page.complaints() == []


def test_fits_from_360_pixels_to_4k(bench):
    page = bench.browser
    for width, height in ((360, 740), (3840, 2160)):
        page.look(width, height)
        page.open("#/templates", fresh=True)
        for address, text in VIEWS.items():
            page.open(address)
            page.sees(text, "main")
            over = page.run("return document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{address} is {over} px too wide at {width}"
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
