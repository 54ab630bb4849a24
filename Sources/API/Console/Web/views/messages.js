// What is wrong with the messages that FCM's own API took: the causes, worst first, each on a phone that meets it.
import { isRateLimited } from "../app/api.js";
import { repeat } from "../app/live.js";
import { failureText } from "../app/shell.js";
import { amend } from "../app/router.js";
import { may, messageFindings } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { explanation } from "../parts/explanation.js";
import { counts, severities, severityBadge } from "../parts/findings.js";
import { phone, platformNames } from "../parts/phone.js";
import { previewsOf } from "../parts/previews.js";
import { language, localeName, number, t, time } from "../texts/texts.js";

const everyMs = 5000;
const argSigns = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳";
/// Causes of which no phone is drawn: nobody has kept the literal text that readers see.
const literalRules = new Set(["LiteralText", "LiteralOverridesLocKey"]);

export async function show(outlet, { query }) {
  let found = { findings: [], shapes: [] };
  let asked = "";
  const cards = new Map();
  const list = h("ul", { class: "findings" });
  const nothing = h("p", { class: "empty", hidden: true });
  const badges = h("span", { class: "badges" });
  const search = h("input", { type: "search", value: query.get("q") ?? "", placeholder: t("search"), "aria-label": t("search") });
  const severity = choice([["", t("allSeverities")], ...severities.map(name => [name, t(`rank_${name}`)])], query.get("severity") ?? "",
    () => draw(), { "aria-label": t("severity") });
  // A phone is asked for once its cause is in sight.
  const watcher = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) target.drawPhone();
  });

  const draw = () => {
    amend({ q: search.value, severity: severity.value });
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    fill(badges, counts(found.findings));
    const shown = found.findings.filter(cause => (!severity.value || cause.severity === severity.value)
      && words.every(word => textOf(cause).includes(word)));
    nothing.hidden = shown.length > 0;
    nothing.textContent = t(found.findings.length ? "nothingFound" : "noMessageFindings");
    const items = shown.map(cause => {
      const identity = JSON.stringify([cause.rule, cause.platform, cause.key, cause.message]);
      if (!cards.has(identity)) {
        const card = causeCard(cause, messageOf(cause, found.shapes));
        cards.set(identity, card);
        watcher.observe(card);
      }
      cards.get(identity).count(cause);
      return cards.get(identity);
    });
    if (items.length !== list.childElementCount || items.some((item, index) => list.children[index] !== item)) fill(list, items);
  };
  const load = async () => {
    found = await messageFindings();
    const now = JSON.stringify(found);
    if (now !== asked) draw();
    asked = now;
    return !isRateLimited;
  };
  search.addEventListener("input", draw);
  outlet.append(h("header", { class: "head-row" }, h("div", {}, h("h1", {}, t("messages")), h("p", { class: "soft" }, t("messagesIntro"))), badges),
    h("div", { class: "controls" }, search, severity), nothing, list);
  await load();
  const stop = repeat(load, everyMs);
  return { refresh: load, close: () => { stop(); watcher.disconnect(); } };
}

function textOf(cause) {
  return [cause.rule, cause.key, cause.message, cause.platform, ...cause.locales].join(" ").toLowerCase();
}

/// A message with the cause's key as it was sent, with signs for args; null if no phone can be drawn of it.
function messageOf({ rule, platform, key }, shapes) {
  if (!key || literalRules.has(rule)) return null;
  const shape = shapes.find(each => Object.values(each.shape.texts).some(text => text[platform]?.key === key));
  const texts = shape ? Object.entries(shape.shape.texts).filter(([, text]) => text[platform]) : [["body", { [platform]: { key, args: 0 } }]];
  const isAndroid = platform === "android";
  const fields = texts.flatMap(([slot, { [platform]: text }]) => {
    const name = isAndroid ? `${slot}_loc` : `${slot === "body" ? "" : `${slot}-`}loc`;
    const [keyName, argsName] = isAndroid ? [`${name}_key`, `${name}_args`] : [`${name}-key`, `${name}-args`];
    return [[keyName, text.key], [argsName, Array.from({ length: text.args }, (_, index) => argSigns[index] ?? `(${index + 1})`)]];
  });
  const given = Object.fromEntries(fields);
  return isAndroid ? { android: { notification: given } } : { apns: { payload: { aps: { alert: given } } } };
}

/// A cause; `count(cause)` brings its numbers up to date, and `drawPhone()` draws its phone, once.
function causeCard(cause, message) {
  const numbers = h("p", { class: "soft" });
  const stage = h("div", { class: "wall single" });
  const isDrawable = message !== null && may("preview");
  let chosen = cause.locales[0] ?? language;
  const drawIn = async locale => {
    chosen = locale;
    for (const chip of card.querySelectorAll("button.chip")) chip.setAttribute("aria-pressed", chip.dataset.locale === locale);
    try {
      const { previews } = await previewsOf(message, [locale]);
      if (chosen === locale) fill(stage, previews.map(each => phone(each)));
    } catch (error) {
      fill(stage, h("p", { class: "empty" }, failureText(error)));
    }
  };
  const { rule, severity, platform, key, locales, verdict } = cause;
  const card = h("li", { class: "finding panel cause" },
    h("div", { class: "finding" },
      h("div", { class: "finding-head" }, severityBadge(severity, rule), platform ? h("span", {}, platformNames[platform]) : null,
        key ? h("code", {}, key) : null, verdict ? h("span", { class: "soft" }, t(`verdict_${verdict}`)) : null),
      numbers, explanation(cause),
      locales.length ? h("p", { class: "chips" }, locales.map(locale => (isDrawable
        ? h("button", { type: "button", class: "chip", "aria-pressed": String(locale === chosen), title: localeName(locale), dataset: { locale }, onclick: () => drawIn(locale) }, h("bdi", {}, locale))
        : h("bdi", { class: "chip" }, locale)))) : null),
    isDrawable ? stage : null);
  let isDrawn = false;
  card.drawPhone = () => {
    if (!isDrawn && isDrawable) drawIn(chosen);
    isDrawn = true;
  };
  card.count = ({ count, first_seen: first, last_seen: last }) => {
    const text = [t("arrived", { n: number(count) }), t("since", { time: time(first) }), t("lastAt", { time: time(last) })].join(" · ");
    if (numbers.textContent !== text) numbers.textContent = text;
  };
  return card;
}
