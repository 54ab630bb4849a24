// Findings as `dragoman check` ranks and groups them: errors first, one fault of several locales as one.
import { t } from "../texts/texts.js";
import { h } from "./dom.js";

export const severities = ["error", "warning", "note"];

/// `values-fr/strings.xml:6`: the end of the path says which file it is; "" without a file.
export function place({ file, line }) {
  if (!file) return "";
  const short = file.split("/").slice(-2).join("/");
  return line ? `${short}:${line}` : short;
}

export function severityBadge(severity, text) {
  const tone = { error: "bad", warning: "warn", note: "info", ok: "good" }[severity];
  return h("span", { class: `badge ${tone}` }, text);
}

/// How many findings there are of each severity, as badges; nothing without findings.
export function counts(findings) {
  return severities.map(severity => {
    const count = findings.filter(finding => finding.severity === severity).length;
    return count ? severityBadge(severity, t(`count_${severity}`, { n: count })) : null;
  });
}

/// Groups of findings that are the same fault in several locales, errors first.
export function grouped(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const { rule, severity, template, slot, platform, key, message } = finding;
    const identity = JSON.stringify([rule, severity, template, slot, platform, key, message]);
    if (!groups.has(identity)) groups.set(identity, []);
    groups.get(identity).push(finding);
  }
  return [...groups.values()].sort((a, b) => severities.indexOf(a[0].severity) - severities.indexOf(b[0].severity));
}

/// A group as a list item; `link(locale)` is the address of the phone of a locale.
export function groupItem(group, link) {
  const [first] = group;
  const locales = [...new Set(group.map(finding => finding.locale).filter(Boolean))];
  const places = [...new Set(group.map(place).filter(Boolean))];
  return h("li", { class: "finding panel" },
    h("div", { class: "finding-head" }, severityBadge(first.severity, first.rule),
      h("span", {}, [first.slot && t(first.slot), first.platform === "ios" ? "iOS" : first.platform && "Android"].filter(Boolean).join(" · ")),
      first.key ? h("code", {}, first.key) : null),
    h("p", { dir: "auto" }, first.message),
    h("p", { class: "help", dir: "auto" }, first.help),
    locales.length ? h("p", { class: "chips" }, locales.map(locale => h("a", { class: "chip", href: link(locale) }, locale))) : null,
    places.length ? h("p", { class: "places" }, places.slice(0, 3).map(text => h("code", { class: "place" }, text)),
      places.length > 3 ? t("morePlaces", { n: places.length - 3 }) : null) : null);
}
