// Drawn phones, as people with a locale meet their notifications.
import { icon } from "../app/shell.js";
import { isRightToLeft, t } from "../texts/texts.js";
import { place as placeOf, severityBadge } from "./findings.js";
import { h } from "./dom.js";

const slots = ["title", "subtitle", "body"];
const broken = new Set(["dropped", "raw_key", "crash"]);
export const platformNames = { android: "Android", ios: "iPhone" };

/// The tag for `lang` and Intl: folders such as `default` and `Base` have none.
export function tagOf(preview) {
  for (const tag of [preview.locale, preview.resolved_locale]) {
    try { if (tag !== "default") return new Intl.Locale(tag).toString(); } catch { /* not a language */ }
  }
  return "en";
}

/// The findings of this locale in the newest strings, and those about all phones that say what this one shows.
function own(preview) {
  return preview.findings.filter(finding => !finding.release && (finding.locale || finding.verdict));
}

/// Whether something is wrong on a phone or reported about it.
export function isFaulty(preview) {
  return preview.verdict !== "ok" || own(preview).length > 0;
}

/// Whether the message has no text for this platform.
export function isSilent(preview) {
  return slots.every(slot => preview[slot].outcome === "none");
}

/// Whether the gateway cannot make a text, so that it accepts no request for this phone.
function isRefused(preview) {
  return preview.rendered_by !== "device" && slots.some(slot => isFailed(preview, preview[slot]));
}

/// Whether only the phone knows the text.
function isUnknown(value) {
  return value.outcome === "text" && value.text === undefined;
}

/// Whether there is no text: on the phone or, if the gateway renders the texts, in the message.
function isFailed(preview, value) {
  return broken.has(value.outcome) || preview.rendered_by !== "device" && isUnknown(value);
}

/// The phone of a preview. `activity` is what a Live Activity shows: `{type, state}`.
export function phone(preview, { activity, ...options }) {
  const tag = tagOf(preview);
  const maker = preview.rendered_by === "device" ? null : t(`by_${preview.rendered_by}`);
  const isFollowed = activity && preview.platform === "ios";
  return h("figure", { class: "device", dataset: { platform: preview.platform, verdict: preview.verdict } },
    frame(preview.platform, tag,
      isRefused(preview) ? aside(t("refused")) : !isSilent(preview) ? notice(preview, options) : isFollowed ? null : aside(t("showsNothing")),
      isFollowed ? activityCard(activity) : null),
    h("figcaption", {}, platformNames[preview.platform], maker ? h("span", { class: "badge info" }, maker) : null));
}

/// What the console says on a phone, in its own language.
function aside(text) {
  return h("p", { class: "quiet", lang: document.documentElement.lang, dir: "auto" }, text);
}

/// A phone with a locale around what its lock screen shows.
export function frame(platform, tag, ...content) {
  return h("div", { class: `phone ${platform}`, dir: isRightToLeft(tag) ? "rtl" : "ltr", lang: tag },
    h("div", { class: "screen" }, statusBar(tag, platform === "android"), content));
}

/// The notification of a preview, or the dialog of the app that crashes on it.
export function notice(preview, options) {
  const crash = slots.map(slot => preview[slot]).find(slot => slot.outcome === "crash");
  return crash ? crashDialog(options.app, crash) : notification(preview, options);
}

function statusBar(tag, isAndroid) {
  const clock = new Intl.DateTimeFormat(tag, { timeStyle: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2026, 0, 1, 9, 41)));
  return h("div", { class: "statusbar", "aria-hidden": "true" },
    h("span", {}, clock), isAndroid ? null : h("span", { class: "island" }), h("span", { class: "battery" }));
}

function notification(preview, { app, isExpanded, toggle = () => {} }) {
  const isAndroid = preview.platform === "android";
  const now = new Intl.RelativeTimeFormat(tagOf(preview), { numeric: "auto", style: "narrow" }).format(0, "second");
  const shown = isAndroid ? ["title", "body"] : slots;
  const texts = shown.map(slot => textLine(slot, preview[slot], isAndroid));
  const button = h("button", { type: "button", class: "chevron", "aria-expanded": String(Boolean(isExpanded)), "aria-label": `${t("expand")} ${platformNames[preview.platform]} ${preview.locale}` },
    icon("M6 9l6 6 6-6"));
  const card = h("div", { class: isExpanded ? "notification expanded" : "notification" });
  button.addEventListener("click", () => {
    const expanded = card.classList.toggle("expanded");
    button.setAttribute("aria-expanded", String(expanded));
    toggle(expanded);
  });
  const head = h("span", { class: "head" }, h("bdi", { class: "appname" }, app), h("span", { class: "when" }, isAndroid ? `· ${now}` : now));
  card.append(appIcon(), h("div", { class: "content" }, isAndroid ? head : h("span", { class: "when side" }, now), texts), button);
  return card;
}

function appIcon() {
  return h("span", { class: "appicon", "aria-hidden": "true" }, icon("M5 7h14v9H11l-4 4v-4H5z"));
}

/// A line of the notification; a dropped one is drawn as the gap that it leaves.
function textLine(slot, value, isAndroid) {
  if (value.outcome === "none") return null;
  if (value.outcome === "dropped") {
    return h("p", { class: `line ${slot} gap` }, h("span", { class: "ghost" }, t("droppedLine", { slot: t(slot) })));
  }
  if (isUnknown(value)) {
    return h("p", { class: `line ${slot} gap` }, h("span", { class: "ghost" }, "…"));
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

/// What the app draws from: only the app knows how.
export function activityCard({ type, state }) {
  return h("div", { class: "notification activity" }, appIcon(), h("div", { class: "content" },
    h("span", { class: "head" }, t("liveActivity"), h("code", {}, type)),
    h("dl", {}, Object.entries(state ?? {}).map(([name, value]) => h("div", {}, h("dt", {}, name),
      h("dd", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value)))))));
}

/// What is wrong on a phone: outcomes that are no text, what differs from FCM's documentation, and findings; null if
/// nothing is.
export function problems(preview) {
  const items = [];
  const findings = new Set(own(preview));
  for (const slot of slots) {
    const value = preview[slot];
    // A finding about the same line of the strings, or about the missing key, explains the outcome.
    const cause = [...findings].find(finding => finding.slot === slot
      && (value.file ? finding.file === value.file && finding.line === value.line : finding.key === value.key));
    const isBroken = isFailed(preview, value);
    if (isBroken || value.documented) {
      const title = !isBroken ? t("documented") : isRefused(preview) ? t("refused") : t(`outcome_${value.outcome}`, { slot: t(slot) });
      const texts = isBroken ? [cause ? null : value.reason ?? value.exception] : [value.documented];
      items.push(item(isBroken ? "error" : cause?.severity ?? "warning", title, texts, value, cause));
      findings.delete(cause);
    }
    if (value.shown_characters) items.push(item("note", t("cutAfter", { slot: t(slot), n: value.shown_characters }), [], value));
  }
  items.push(...[...findings].map(finding => item(finding.severity, null, [], finding, finding)));
  return items.length ? h("ul", { class: "problems", dataset: { of: preview.platform }, "aria-label": platformNames[preview.platform] },
    h("li", { class: "soft" }, platformNames[preview.platform]), items) : null;
}

/// What is wrong, by which rule, and the string's place; without a title, the rule stands for it.
function item(severity, title, texts, at, finding) {
  const place = placeOf(at) || (finding ? placeOf(finding) : "");
  return h("li", {}, h("span", { class: "badges" }, severityBadge(severity, title ?? finding.rule), title && finding ? h("code", {}, finding.rule) : null),
    [...texts, finding?.message].filter(Boolean).map(text => h("span", { class: "why" }, h("bdi", {}, text))),
    finding?.help ? h("span", { class: "help" }, h("bdi", {}, finding.help)) : null,
    place ? h("code", { class: "place", dir: "ltr" }, place) : null);
}
