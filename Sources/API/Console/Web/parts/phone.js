// One drawn phone with a notification, as a person with that locale meets it.
import { icon } from "../app/shell.js";
import { isRightToLeft, t } from "../texts/texts.js";
import { place as placeOf, severities, severityBadge } from "./findings.js";
import { h } from "./dom.js";

const slots = ["title", "subtitle", "body"];
const broken = new Set(["dropped", "raw_key", "crash"]);

/// The tag for `lang` and Intl: folders such as `default` and `Base` have none.
function tagOf(preview) {
  for (const tag of [preview.locale, preview.resolved_locale]) {
    try { return new Intl.Locale(tag).toString(); } catch { /* not a language */ }
  }
  return "en";
}

/// "ok", "note", "warning" or "error": the worst of what a preview reports.
export function verdict(preview) {
  const isNull = preview.platform === "ios" && slots.some(slot => preview[slot].text?.includes("<null>"));
  if (isNull || slots.some(slot => broken.has(preview[slot].outcome))) return "error";
  return severities.find(severity => own(preview).some(finding => finding.severity === severity)) ?? "ok";
}

/// The findings of this locale; those of the template as a whole would be the same on every phone.
function own(preview) {
  return preview.findings.filter(finding => finding.locale);
}

/// The phone of a preview, with what is wrong beside it.
export function phone(preview, { app, isExpanded, toggle }) {
  const tag = tagOf(preview);
  const isAndroid = preview.platform === "android";
  const crash = slots.map(slot => preview[slot]).find(slot => slot.outcome === "crash");
  const name = isAndroid ? "Android" : "iPhone";
  return h("figure", { class: "device", dataset: { platform: preview.platform, verdict: verdict(preview) } },
    h("div", { class: `phone ${preview.platform}`, dir: isRightToLeft(tag) ? "rtl" : "ltr", lang: tag },
      h("div", { class: "screen" },
        statusBar(tag, isAndroid),
        crash ? crashDialog(app, crash) : notification(preview, { app, tag, isAndroid, isExpanded, toggle }))),
    h("figcaption", {}, name),
    problems(preview));
}

function statusBar(tag, isAndroid) {
  const clock = new Intl.DateTimeFormat(tag, { timeStyle: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2026, 0, 1, 9, 41)));
  return h("div", { class: "statusbar", "aria-hidden": "true" },
    h("span", {}, clock), isAndroid ? null : h("span", { class: "island" }), h("span", { class: "battery" }));
}

function notification(preview, { app, tag, isAndroid, isExpanded, toggle }) {
  const now = new Intl.RelativeTimeFormat(tag, { numeric: "auto", style: "narrow" }).format(0, "second");
  const shown = isAndroid ? ["title", "body"] : slots;
  const texts = shown.map(slot => textLine(slot, preview[slot], isAndroid));
  const button = h("button", { type: "button", class: "chevron", "aria-expanded": String(isExpanded), "aria-label": `${t("expand")} ${isAndroid ? "Android" : "iPhone"} ${preview.locale}` },
    icon("M6 9l6 6 6-6"));
  const card = h("div", { class: isExpanded ? "notification expanded" : "notification" });
  button.addEventListener("click", () => {
    const expanded = card.classList.toggle("expanded");
    button.setAttribute("aria-expanded", String(expanded));
    toggle(expanded);
  });
  const appIcon = h("span", { class: "appicon", "aria-hidden": "true" }, icon("M5 7h14v9H11l-4 4v-4H5z"));
  const head = h("span", { class: "head" }, h("bdi", { class: "appname" }, app), h("span", { class: "when" }, isAndroid ? `· ${now}` : now));
  card.append(appIcon, h("div", { class: "content" }, isAndroid ? head : h("span", { class: "when side" }, now), texts), button);
  return card;
}

/// A line of the notification; a dropped one is drawn as the gap that it leaves.
function textLine(slot, value, isAndroid) {
  if (value.outcome === "none") return null;
  if (value.outcome === "dropped") {
    return h("p", { class: `line ${slot} gap` }, h("span", { class: "ghost" }, t("droppedLine", { slot: t(slot) })));
  }
  const text = value.text ?? "";
  const parts = isAndroid ? [text] : text.split(/(<null>)/).map(part => (part === "<null>" ? h("mark", {}, part) : part));
  return h("p", { class: `line ${slot}` }, value.outcome === "raw_key" ? h("mark", {}, text) : parts);
}

function crashDialog(app, slot) {
  return h("div", { class: "crash" },
    h("p", { class: "crash-title" }, t("keepsStopping", { app })),
    h("p", { class: "crash-line", dir: "ltr" }, slot.exception ?? ""),
    h("p", { class: "crash-choice", "aria-hidden": "true" }, t("closeApp")));
}

/// What is wrong on this phone: outcomes that are no text, what differs from FCM's documentation, and findings.
function problems(preview) {
  const items = [];
  for (const slot of slots) {
    const value = preview[slot];
    if (broken.has(value.outcome)) {
      items.push(item("error", t(`outcome_${value.outcome}`, { slot: t(slot) }), value.reason ?? value.exception, value));
    } else if (value.documented) {
      items.push(item("warning", t("documented"), value.documented, value));
    }
    if (value.shown_characters) items.push(item("note", t("cutAfter", { slot: t(slot), n: value.shown_characters }), "", value));
  }
  items.push(...own(preview).map(finding => item(finding.severity, finding.rule, finding.message, finding, finding.help)));
  return items.length ? h("ul", { class: "problems" }, items) : null;
}

function item(severity, title, text, at, help) {
  const place = placeOf(at);
  return h("li", {}, severityBadge(severity, title),
    text ? h("span", { class: "why", dir: "auto" }, text) : null,
    help ? h("span", { class: "help", dir: "auto" }, help) : null,
    place ? h("code", { class: "place" }, place) : null);
}
