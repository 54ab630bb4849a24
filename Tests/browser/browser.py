"""Chromium as the tests use it: waiting for conditions, axe-core, what the page logs, screen sizes and languages."""

import os
import pathlib

import axe_core_python
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

WAIT_SECONDS_MAX = 15
AXE = pathlib.Path(axe_core_python.__file__).with_name("axe.min.js")


class Browser:
    """One headless browser; texts are found in the page's own words."""

    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--force-color-profile=srgb", "--hide-scrollbars", f"--user-data-dir={folder}/chromium"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        fonts = {**os.environ, "FONTCONFIG_FILE": str(pathlib.Path(__file__).with_name("fonts.conf"))}
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver", env=fonts), options=options)
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
        self.driver.set_script_timeout(WAIT_SECONDS_MAX)
        self.base = ""
        self.look(1440, 900)
        self.language("en")

    def look(self, width, height, dark=False, scale=1):
        """The size of the screen, and whether it is dark."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def language(self, tag):
        """The browser's language, from the next page on."""
        agent = self.driver.execute_script("return navigator.userAgent")
        self.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": tag})

    def open(self, address, fresh=False):
        """Opens a view; `fresh` loads the page anew."""
        if fresh:
            self.driver.get("about:blank")
        self.driver.get(self.base + "/" + address)

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def wait(self, what, condition, seconds=WAIT_SECONDS_MAX):
        """Waits until the script's expression is true; `what` says what was expected."""
        # While a page loads, what the expression names may not be there yet.
        script = f"try {{ return {condition} }} catch {{ return false }}"
        self.until(f"{what}: {condition}", seconds, lambda driver: driver.execute_script(script))

    def until(self, what, seconds, condition):
        try:
            WebDriverWait(self.driver, seconds, 0.05).until(condition)
        except TimeoutException:
            raise AssertionError(f"{what}; the page says:\n{self.text()[:2000]}") from None

    def text(self):
        return self.run("return document.body.innerText")

    def sees(self, text, within="body", seconds=WAIT_SECONDS_MAX):
        """Waits for a text on the page."""
        self.until(f"{text!r} in {within}", seconds, lambda driver: text in (driver.execute_script(
            "return document.querySelector(arguments[0])?.innerText", within) or ""))

    def one(self, selector):
        self.wait("an element", f"document.querySelector({selector!r})")
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def type(self, selector, text):
        field = self.one(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.DELETE)
        field.send_keys(text)

    def labelled(self, label):
        """The field with this label."""
        find = f"[...document.querySelectorAll('label')].find(l => l.innerText.includes({label!r})).control"
        self.wait(f"a field {label}", find)
        return self.run(f"return {find}")

    def button(self, text, within="body"):
        """Clicks the button or link with this text."""
        find = f"[...document.querySelectorAll('{within} button, {within} a')].find(b => b.innerText.trim() === {text!r})"
        self.wait(f"button {text}", find)
        self.run(f"return {find}").click()

    def keys(self, text):
        self.run("document.activeElement.blur()")
        self.driver.switch_to.active_element.send_keys(text)

    def violations(self):
        """What axe-core finds on the page as it is."""
        if not self.run("return Boolean(window.axe)"):
            self.run(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "axe.run(document, {resultTypes: ['violations']}).then(arguments[0], error => arguments[0]({error: String(error)}))")
        if "error" in found:
            return [found["error"]]
        return [f"{each['id']}: {node['target']} {node.get('failureSummary', '')}"
                for each in found["violations"] for node in each["nodes"]]

    def complaints(self, allowed=()):
        """What the page logged as an error, such as a violation of its policy, except what is allowed."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and not any(text in entry["message"] for text in allowed)]

    def close(self):
        self.driver.quit()


def save(browser, folder, name):
    """A picture of the page as it is."""
    path = os.path.join(folder, f"{name}.png")
    browser.driver.save_screenshot(path)
    return path
