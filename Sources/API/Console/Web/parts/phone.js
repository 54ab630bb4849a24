// Drawn phones, as people with a locale meet their notifications.
import { appName } from "../app/session.js";
import { icon } from "../app/shell.js";
import { isRightToLeft, number, t } from "../texts/texts.js";
import { activityCard, crashDialog, drawing, note, notificationCard } from "../phones/drawing.js";
import { fill, h } from "./dom.js";
import { explanation } from "./explanation.js";
import { place as placeOf, severityBadge } from "./findings.js";

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

/// Whether something is wrong on a phone, or more than a note is reported about it: most bodies have no room on one line.
export function isFaulty(preview) {
  return preview.verdict !== "ok" || own(preview).some(({ severity }) => severity !== "note");
}

/// What phones share on which the same went wrong for the same reasons; null where nothing did.
export function outcomeOf(preview) {
  return preview.verdict === "ok" ? null : JSON.stringify([preview.platform, preview.verdict,
    slots.map(slot => [preview[slot].outcome, preview[slot].exception]), own(preview).map(({ rule, slot, key }) => [rule, slot, key])]);
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
export function phone(preview, { activity, isExpanded, toggle } = {}) {
  const maker = preview.rendered_by === "device" ? null : t(`by_${preview.rendered_by}`);
  const isFollowed = activity && preview.platform === "ios";
  const hasTexts = !isRefused(preview) && !isSilent(preview);
  const screen = screenOf(preview.platform, preview);
  const draw = () => fill(screen, frame(preview.platform, tagOf(preview), [
    hasTexts ? notice(preview, isExpanded) : isFollowed ? null : { card: note(aside(preview)), spoken: h("p", {}, aside(preview)) },
    isFollowed ? activityNotice(activity, preview.app_icon) : null].filter(Boolean)));
  const turn = () => {
    isExpanded = !isExpanded;
    draw();
    button.setAttribute("aria-expanded", String(isExpanded));
    toggle?.(isExpanded);
  };
  const opens = hasTexts && !crashOf(preview);
  const button = opens ? expander(`${platformNames[preview.platform]} ${preview.locale}`, isExpanded, turn) : null;
  if (opens) screen.addEventListener("click", turn);
  draw();
  return h("figure", { class: "device", dataset: { platform: preview.platform, verdict: preview.verdict } }, screen,
    h("figcaption", {}, platformNames[preview.platform], maker ? h("span", { class: "badge info" }, maker) : null, button));
}

/// A button that shows the whole texts of a phone.
export function expander(name, isExpanded, onclick) {
  return h("button", { type: "button", class: "chevron plain", onclick, "aria-expanded": String(Boolean(isExpanded)), "aria-label": `${t("expand")} ${name}` },
    icon("M6 9l6 6 6-6"));
}

/// What the console says on a phone without a notification, in its own language.
function aside(preview) { return t(isRefused(preview) ? "refused" : "showsNothing"); }

/// Where a phone with a locale is drawn.
export function screenOf(platform, preview) {
  const tag = tagOf(preview);
  return h("div", { class: `phone ${platform}`, dir: isRightToLeft(tag) ? "rtl" : "ltr", lang: tag });
}

/// A phone's drawing with its notices, the newest first, and their texts for those who listen.
export function frame(platform, tag, notices, least) {
  const svg = drawing({
    platform, least, isMirrored: isRightToLeft(tag), cards: notices.map(each => each.card), arrived: notices.map(each => each.hasArrived), ...timesOn(platform, tag),
  });
  return [svg, h("div", { class: "spoken" }, notices.map(each => each.spoken))];
}

const times = new Map();

/// The clock and the day on a phone with a locale, and its word for now. Kept, because formatters are slow to make.
function timesOn(platform, tag) {
  const key = `${platform} ${tag}`;
  if (!times.has(key)) {
    const format = options => new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" }).formatToParts(new Date(Date.UTC(2026, 0, 1, 9, 41)))
      // The lock screen's large clock does not say whether it is morning.
      .filter(({ type }) => platform !== "ios" || type !== "dayPeriod").map(({ value }) => value).join("").trim();
    times.set(key, {
      clock: format({ timeStyle: "short" }), day: format({ weekday: "long", day: "numeric", month: "long" }),
      now: new Intl.RelativeTimeFormat(tag, { numeric: "auto", style: "narrow" }).format(0, "second"),
    });
  }
  return times.get(key);
}

function crashOf(preview) {
  return slots.map(slot => preview[slot]).find(slot => slot.outcome === "crash");
}

/// The notification of a preview, or the dialog of the app that crashes on it: `{card, spoken}`.
export function notice(preview, isExpanded) {
  const app = preview.app_name ?? appName() ?? t("yourApp");
  const crash = crashOf(preview);
  if (crash) {
    const title = t("keepsStopping", { app });
    return { card: crashDialog({ title, exception: crash.exception ?? "", close: t("closeApp") }),
      spoken: h("div", { class: "crash" }, h("p", {}, title), h("p", { dir: "ltr" }, crash.exception ?? "")) };
  }
  const isAndroid = preview.platform === "android";
  const shown = isAndroid ? ["title", "body"] : slots;
  const lines = Object.fromEntries(shown.map(slot => [slot, lineOf(slot, preview[slot], isAndroid)]));
  return { card: notificationCard({ app, icon: preview.app_icon, now: timesOn(preview.platform, tagOf(preview)).now, slots: lines, isExpanded }), spoken: shown.map(slot => spokenLine(slot, lines[slot])) };
}

/// What stands in a line of the notification; a dropped one leaves a gap.
function lineOf(slot, value, isAndroid) {
  if (value.outcome === "none") return null;
  if (value.outcome === "dropped") return { kind: "gap", text: t("droppedLine", { slot: t(slot) }) };
  if (isUnknown(value)) return { kind: "gap", text: "…" };
  const text = value.text ?? "";
  return { kind: value.outcome === "raw_key" ? "key" : !isAndroid && text.includes("<null>") ? "null" : "text", text };
}

function spokenLine(slot, line) {
  if (!line) return null;
  const parts = line.kind === "key" ? h("mark", {}, line.text)
    : line.kind === "null" ? line.text.split(/(<null>)/).map(part => (part === "<null>" ? h("mark", {}, part) : part)) : line.text;
  return h("p", { class: `line ${slot}`, dir: "auto" }, parts);
}

/// A Live Activity, as the values that its app draws it from.
export function activityNotice({ type, state }, icon) {
  const facts = Object.entries(state ?? {}).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  return { card: activityCard({ icon, head: `${t("liveActivity")} · ${type}`, facts }),
    spoken: h("div", { class: "activity" }, h("p", {}, t("liveActivity"), " ", type), facts.map(([name, value]) => h("p", { dir: "auto" }, `${name}: ${value}`))) };
}

/// What is wrong on a phone: outcomes that are no text, what differs from FCM's documentation, and findings; null if
/// nothing is.
export function problems(preview) {
  const items = [];
  const findings = new Set(own(preview));
  for (const slot of slots) {
    const value = preview[slot];
    const isCut = value.shown_characters !== undefined;
    const tooLong = isCut ? [...findings].find(finding => finding.rule === "TextTooLong" && finding.slot === slot) : null;
    findings.delete(tooLong);
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
    if (isCut) items.push(item("note", t("cutAfter", { slot: t(slot), n: number(value.shown_characters) }), [], value, tooLong));
  }
  items.push(...[...findings].map(finding => item(finding.severity, null, [], finding, finding)));
  return items.length ? h("ul", { class: "problems", dataset: { of: preview.platform }, "aria-label": platformNames[preview.platform] },
    h("li", { class: "soft" }, platformNames[preview.platform]), items) : null;
}

/// What is wrong, by which rule, and the string's place; without a title, the rule stands for it.
function item(severity, title, texts, at, finding) {
  const place = placeOf(at) || (finding ? placeOf(finding) : "");
  return h("li", {}, h("span", { class: "badges" }, severityBadge(severity, title ?? finding.rule), title && finding ? h("code", {}, finding.rule) : null),
    texts.filter(Boolean).map(text => h("span", { class: "why" }, h("bdi", {}, text))), finding ? explanation(finding) : null,
    place ? h("code", { class: "place", dir: "ltr" }, place) : null);
}
