"""What the console looks like, to be compared with the pictures in `references`.

A reference is a quarter as wide and high as the screen. So small, two pictures differ in what a person would notice, such
as a line that moved, a color or a missing part, but not in how a version of the browser smooths the edges of letters.
"""

import io
import pathlib

from PIL import Image, ImageChops

import gateway

FOLDER = pathlib.Path(__file__).with_name("references")
# Where the differences are left for whoever looks into them.
DIFFERENCES = gateway.HERE.parent.parent / ".build/console-differences"

SMALLER = 4
# A point differs if one of its colors does by more than this, of 255.
COLOR_MAX = 40
# So much of a picture may differ.
SHARE_MAX = 0.004
# Two pictures of one page, such as with another port in an address.
SAME_MAX = 0.001

LOOKS = {
    "light": {"width": 1440, "height": 900}, "dark": {"width": 1440, "height": 900, "dark": True},
    "narrow": {"width": 360, "height": 740}, "hebrew": {"width": 1440, "height": 900},
}
# Each view's address, and what is there once it is complete.
VIEWS = {
    "templates": ("#/templates/parcel", ".phone"), "message": ("#/templates/parcel?tab=message", ".code"),
    "matrix": ("#/matrix", "tbody .cell"), "findings": ("#/findings", ".finding"), "catalog": ("#/catalog", ".facts dd"),
    "send": ("#/send?template=sale", ".beside-form .phone"), "deliveries": ("#/deliveries/{many}", ".evidence .phone"),
    "set": ("#/deliveries?status=failed&span=24h", ".causes li"), "start": ("#/start", ".deliveries-list li"),
    "messages": ("#/messages", ".cause .phone"), "queue": ("#/queue", "tbody td"), "inbox": ("#/inbox", ".notice"),
}
# What differs from run to run: times, ids, and the last seconds' numbers.
STEADY = """
Date.prototype.toLocaleString = () => "12:34:56";
addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".id, .plot, .chart h2 > *, .chart .legend, .attempts td:nth-child(2) { visibility: hidden } .chart .legend { height: 2rem; overflow: hidden }");
  document.adoptedStyleSheets = [sheet];
});
"""


def pictures(bench):
    """Each picture's name, and the picture as small as its reference."""
    page = bench.browser
    with gateway.another(bench, "pictures") as server:
        gateway.faults(server.urls["emulator"], {"token": "gone*", "status": 404, "error_code": "UNREGISTERED"})
        many = prepared(server.urls["gateway"])
        script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": STEADY})
        try:
            for look, screen in LOOKS.items():
                page.look(**screen)
                page.language("he" if look == "hebrew" else "en")
                page.open("#/templates", fresh=True)
                for view, (address, part) in VIEWS.items():
                    page.open(address.format(many=many))
                    page.wait(view, f"document.querySelector('{part}') && document.querySelector('#readiness').innerText")
                    yield f"{view}-{look}", small(steady(page))
        finally:
            page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
            page.look(1440, 900)
            page.language("en")


def prepared(url):
    """Sends what the list and the detail show; returns the id of the notification with several targets."""
    def sent(token, **more):
        answer = gateway.request("POST", url + "/v1/notifications", {"template": "sale", "to": token, **more})
        if not more:
            gateway.until_final(url, answer["id"])
        return answer["id"]

    send_faulty_message(url)
    for number in range(8):
        sent({"token": f"{'gone' if number == 3 else 'phone'}-{number}-with-a-long-registration-token"})
    cancelled = sent({"topic": "news"}, send_at=gateway.later(86_400))
    gateway.request("DELETE", f"{url}/v1/notifications/{cancelled}")
    return sent({"tokens": [f"{'gone' if number % 7 == 2 else 'phone'}-{number}" for number in range(30)]})


def send_faulty_message(url):
    """A message through FCM's own API on which Android phones in French crash."""
    gateway.request("POST", url + "/v1/projects/dragoman-dev/messages:send", {"message": {"topic": "parcels", "android": {
        "notification": {"title_loc_key": "parcel_title", "title_loc_args": ["Ann"], "body_loc_key": "parcel_body", "body_loc_args": ["3", "Ann"]}}}})


def steady(page):
    """The page's picture once it does not change any more."""
    seen = []

    def is_same(driver):
        seen.append(driver.get_screenshot_as_png())
        return len(seen) > 1 and seen[-1] == seen[-2]

    page.until("a page that stands still", 15, is_same)
    return Image.open(io.BytesIO(seen[-1])).convert("RGB")


def small(picture):
    return picture.reduce(SMALLER)


def renew(bench):
    """Writes the references that have changed anew, and removes those of nothing."""
    FOLDER.mkdir(exist_ok=True)
    names = set()
    for name, picture in pictures(bench):
        path = FOLDER / f"{name}.png"
        names.add(path.name)
        if not path.exists() or share(Image.open(path).convert("RGB"), picture)[0] > SAME_MAX:
            picture.save(path, optimize=True)
            print(path)
    for path in FOLDER.glob("*.png"):
        if path.name not in names:
            path.unlink()


def share(one, other):
    """How much of two pictures differs, 0 to 1, and where, as a picture of black and white."""
    if one.size != other.size:
        return 1, Image.new("L", other.size, 255)
    channels = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    places = most.point(lambda value: 255 if value > COLOR_MAX else 0)
    return places.histogram()[255] / (one.width * one.height), places


def differing(bench):
    """What differs too much from its reference, as lines; each is left as a picture: reference, page, difference."""
    lines = []
    names = set()
    for name, seen in pictures(bench):
        names.add(f"{name}.png")
        path = FOLDER / f"{name}.png"
        if not path.exists():
            lines.append(f"{name} has no reference")
            continue
        reference = Image.open(path).convert("RGB")
        part, places = share(reference, seen)
        if part > SHARE_MAX:
            DIFFERENCES.mkdir(parents=True, exist_ok=True)
            beside = Image.new("RGB", (seen.width * 3, seen.height))
            for index, picture in enumerate((reference, seen, places)):
                beside.paste(picture, (seen.width * index, 0))
            beside.save(DIFFERENCES / f"{name}.png")
            lines.append(f"{name} differs in {part:.1%} of its points: {DIFFERENCES / name}.png")
    lines += [f"{path.name} is not a picture of anything" for path in FOLDER.glob("*.png") if path.name not in names]
    return lines
