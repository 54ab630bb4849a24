"""How fast the console is: its first paint, and an app with 160 locales while one scrolls and types. Prints JSON."""

import json
import os
import statistics

import gateway
from browser import Browser

LOADS = 9
# The time from the request for the matrix to the frame that shows all its cells, in milliseconds.
MATRIX = """
const done = arguments[0];
const started = performance.now();
location.hash = '#/matrix';
const look = () => document.querySelectorAll('td').length === 60 * 160 ? done(performance.now() - started) : requestAnimationFrame(look);
requestAnimationFrame(look);
"""
# The time of each frame while the page scrolls past all phones by a fifth of the screen per frame, in milliseconds.
SCROLL = """
const done = arguments[0];
const times = [];
const step = now => {
  times.push(now);
  const before = scrollY;
  scrollBy(0, innerHeight / 5);
  if (scrollY === before) return done(times.slice(1).map((time, index) => time - times[index]));
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
"""
# The time from a key to the frame that shows its text, in milliseconds.
TYPE = """
const done = arguments[0];
const field = document.querySelector('.field input');
const shows = () => document.querySelector('article[data-locale=en]')?.innerText.includes(field.value);
const started = performance.now();
field.value += '!';
field.dispatchEvent(new InputEvent('input', { bubbles: true }));
const look = () => shows() ? done(performance.now() - started) : requestAnimationFrame(look);
requestAnimationFrame(look);
"""
# Time goes by on the page, with all that it does by itself.
PAUSE = "setTimeout(arguments[1], arguments[0] * 1000)"
IDLE_SECONDS = 10


def cpu(page):
    """The CPU time of the page's thread so far, in milliseconds."""
    page.driver.execute_cdp_cmd("Performance.enable", {})
    metrics = page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration") * 1000


def measure(dragoman, folder):
    """The figures, as lists of a name, a unit, a value and a goal or null."""
    one = gateway.dev(dragoman, folder, gateway.HERE.parent.parent / "config/catalog.yaml")
    many = gateway.dev(dragoman, os.path.join(folder, "many-queue"), gateway.many_locales(folder, templates=60))
    page = Browser(folder)
    try:
        page.base = one.urls["gateway"]
        paints = []
        for _ in range(LOADS):
            page.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            page.open("", fresh=True)
            page.wait("something painted", "performance.getEntriesByName('first-contentful-paint').length")
            paints.append(page.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        page.base = many.urls["gateway"]
        page.open("#/templates/hello", fresh=True)
        page.wait("all locales", "document.querySelectorAll('.phone').length === 320")
        frames = sorted(page.driver.execute_async_script(SCROLL))
        page.run("scrollTo(0, 0)")
        typed = [page.driver.execute_async_script(TYPE) for _ in range(LOADS)]
        elements = page.run("return document.querySelectorAll('*').length")
        matrices = []
        for _ in range(LOADS):
            page.open("#/catalog")
            page.sees("60", ".facts")
            matrices.append(page.driver.execute_async_script(MATRIX))
        # The first drawing leaves something to do.
        page.driver.execute_async_script(PAUSE, 3)
        before = cpu(page)
        page.driver.execute_async_script(PAUSE, IDLE_SECONDS)
        idle = (cpu(page) - before) / IDLE_SECONDS
    finally:
        page.close()
        one.stop()
        many.stop()
    return [
        ("first paint, nothing cached", "ms", statistics.median(paints), ["≤", 200]),
        ("a frame while 320 phones scroll, median", "ms", statistics.median(frames), None),
        ("a frame while 320 phones scroll, 95 %", "ms", frames[int(len(frames) * 0.95)], None),
        ("from a key to its text on 320 phones", "ms", statistics.median(typed), None),
        ("elements with 320 phones", "", elements, None),
        ("the matrix of 60 templates and 160 locales", "ms", statistics.median(matrices), ["≤", 1000]),
        ("CPU of that matrix per second while nothing changes", "ms", idle, ["≤", 20]),
    ]


def write(dragoman, folder):
    print(json.dumps(measure(dragoman, folder), ensure_ascii=False))
