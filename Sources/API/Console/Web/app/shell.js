// The frame around every view: navigation, app, state of the gateway, key.
import { h, fill, choice } from "../parts/dom.js";
import { t, time } from "../texts/texts.js";
import { hasKey, setKey } from "./api.js";
import { live } from "./live.js";
import { address, amend } from "./router.js";
import { currentApp, may, session } from "./session.js";
import { viewsAllowed } from "./views.js";
import { helpSheet } from "./shortcuts.js";

const themeName = "dragoman.theme";

/// Where the view is.
export const outlet = h("main", { id: "view", tabindex: "-1" });
const message = h("p", { id: "said", role: "alert" });
const connection = h("p", { id: "connection", role: "status" });
const state = h("span", { class: "badge", id: "readiness" });
const bar = h("header", { id: "bar" });

/// Shows a message above the view; "" removes it.
export function say(text) { message.textContent = text; }

/// Shows why something failed: a refusal in the gateway's words, and otherwise that it does not answer. A refused key is
/// asked for again, which says enough.
export function sayFailure(error) { if (error.status !== 401) say(failureText(error)); }

/// The same as a text.
export function failureText(error) { return error.status ? error.message : t("notLoaded"); }

/// Draws the frame; again once the key's scopes and apps are known.
export function frame() {
  const views = session.isLocked ? [] : viewsAllowed();
  fill(bar,
    h("a", { class: "brand", href: "#/" }, mark(), "Dragoman"),
    h("nav", { "aria-label": t("views") }, views.map(view => h("a", {
      href: address([view.name]), dataset: { view: view.name }, title: `g ${view.key}`,
    }, icon(view.icon), h("span", {}, t(view.label))))),
    h("div", { class: "tools" },
      session.apps.length > 1 ? choice(session.apps.map(app => [app, app]), currentApp(), app => {
        amend({ app });
        dispatchEvent(new Event("hashchange"));
      }, { "aria-label": t("app"), class: "app" }) : null,
      // A key that may only send cannot ask which apps there are.
      !session.apps.length && may("send") ? h("input", { value: currentApp() ?? "", placeholder: t("app"), "aria-label": t("app"), class: "app", dir: "ltr",
        onchange: event => amend({ app: event.target.value.trim() }) }) : null,
      state,
      h("button", { type: "button", class: "plain", "aria-label": t("theme"), title: t("theme"), onclick: turnTheme },
        icon("M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18")),
      h("button", { type: "button", class: "plain", "aria-label": t("shortcuts"), title: t("shortcuts"), onclick: helpSheet }, "?"),
      hasKey() ? h("button", { type: "button", class: "plain", onclick: lock }, t("lock")) : null));
  if (!bar.isConnected) {
    const skip = h("a", { class: "skip", href: "#view", onclick: event => { event.preventDefault(); outlet.focus(); } }, t("skip"));
    document.body.replaceChildren(skip, bar, h("div", { id: "stage" }, connection, message, outlet));
    applyTheme();
  }
  showConnection();
}

export function icon(path) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: path }));
}

function mark() {
  return h("svg", { viewBox: "0 0 32 32", class: "mark-logo", "aria-hidden": "true" },
    h("rect", { width: 32, height: 32, rx: 8 }), h("path", { d: "M8 9h12a4 4 0 0 1 4 4v5a4 4 0 0 1-4 4h-5l-5 4v-4.300A4 4 0 0 1 8 18z" }));
}

/// Marks the view in the navigation, and takes over the app of the address.
export function showPlace(name) {
  for (const link of bar.querySelectorAll("nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    if (link.dataset.view === name) center(link);
    link.href = address([link.dataset.view]);
  }
  const select = bar.querySelector("select.app");
  if (select) select.value = currentApp();
}

/// Scrolls the navigation of a narrow screen, and not the page, to a link in it.
function center(link) {
  const [box, shown] = [link.parentElement, link].map(each => each.getBoundingClientRect());
  link.parentElement.scrollLeft += (shown.left + shown.right - box.left - box.right) / 2;
}

/// Shows whether the gateway answers; without an answer nothing on the page looks fresh.
export function showConnection() {
  const word = live.isConnected ? live.readiness?.status ?? "" : "disconnected";
  const shown = word ? t(word) : "";
  if (state.textContent !== shown) state.textContent = shown;
  state.className = `badge ${{ ready: "good", degraded: "warn", unready: "bad", disconnected: "bad" }[word] ?? ""}`;
  state.title = Object.values(live.readiness?.checks ?? {}).map(check => check.detail).filter(Boolean).join("\n");
  const text = live.isConnected ? "" : t("disconnectedSince", { time: time(live.lastAnswer) });
  if (connection.textContent !== text) connection.textContent = text;
  document.documentElement.toggleAttribute("data-stale", !live.isConnected);
}

function lock() {
  setKey("");
  dispatchEvent(new Event("dragoman:restart"));
}

function applyTheme() {
  const theme = sessionStorage.getItem(themeName);
  if (theme) document.documentElement.dataset.theme = theme;
}

function turnTheme() {
  const theme = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  sessionStorage.setItem(themeName, theme === "dark" ? "light" : "dark");
  applyTheme();
}
