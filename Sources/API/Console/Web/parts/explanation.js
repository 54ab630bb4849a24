// What findings say, and findings as `dragoman check` ranks and groups them: those that affect users most come first.
import { inOwnWords, ruleTexts } from "../rules/rules.js";
import { t } from "../texts/texts.js";
import { h } from "./dom.js";
import { place, severityBadge } from "./findings.js";

/// Groups of one template's findings that are the same fault in several locales, in the order of the findings.
export function grouped(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const { rule, severity, slot, platform, key, message } = finding;
    const identity = JSON.stringify([rule, severity, slot, platform, key, message]);
    if (!groups.has(identity)) {
      groups.set(identity, { ...finding, templates: [finding.template], slots: slot ? [slot] : [], keys: key ? [key] : [], locales: [], places: [] });
    }
    const group = groups.get(identity);
    if (finding.locale && !group.locales.includes(finding.locale)) group.locales.push(finding.locale);
    if (finding.file) group.places.push(finding);
  }
  return [...groups.values()];
}

/// What a finding says, and what to do if it has `help`, in the page's language. Where only its English tells a part of it, what
/// its rule says stands above that.
export function explanation({ rule, message, help, texts }) {
  // In the page's direction, also if the text begins with a word in another one.
  const said = (text, advice) => [h("span", { class: "why" }, text), help ? h("span", { class: "help" }, advice) : null];
  const general = ruleTexts(rule);
  if (!general) return said(message, help);
  const own = [inOwnWords(texts?.message), help ? inOwnWords(texts?.help) : ""];
  const shown = said(...own.map((text, index) => marked(text ?? general[index])));
  return own.includes(null) ? [shown, h("span", { class: "in-english", lang: "en", dir: "ltr" }, said(message, help))] : shown;
}

/// A text whose code stands between backticks.
function marked(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? h("code", { dir: "ltr" }, part) : part));
}

/// A group as a list item, with the templates that the page does not name anyway; `link(locale, template)` is the
/// address of the phone of a locale.
export function groupItem(group, link, templates = group.templates) {
  const places = [...new Set(group.places.map(place))];
  const chips = (names, to) => names.length
    ? h("p", { class: "chips" }, names.map(name => h("a", { class: "chip", href: to(name) }, h("bdi", {}, name)))) : null;
  return h("li", { class: "finding panel" },
    h("div", { class: "finding-head" }, severityBadge(group.severity, group.rule),
      h("span", {}, [...group.slots.map(t), group.platform && (group.platform === "ios" ? "iOS" : "Android")].filter(Boolean).join(" · ")),
      group.keys.map(key => h("code", {}, key))),
    explanation(group),
    chips(templates, template => link(null, template)),
    group.templates.length === 1 ? chips(group.locales, locale => link(locale, group.templates[0]))
      : group.locales.length ? h("p", { class: "places" }, group.locales.join(", ")) : null,
    places.length ? h("p", { class: "places" }, places.slice(0, 3).map(text => h("code", { class: "place" }, text)),
      places.length > 3 ? t("morePlaces", { n: places.length - 3 }) : null) : null);
}
