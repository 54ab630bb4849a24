// All findings of the app, ranked and grouped as `dragoman check` prints them.
import { address, amend } from "../app/router.js";
import { templates } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { counts, grouped, groupItem, severities } from "../parts/findings.js";
import { t } from "../texts/texts.js";

export async function show(outlet, { query }) {
  let all = [];
  const found = h("div", {});
  const badges = h("span", { class: "badges" });
  const search = h("input", { type: "search", value: query.get("q") ?? "", placeholder: t("search"), "aria-label": t("search") });
  const severity = choice([["", t("allSeverities")], ...severities.map(name => [name, t(`rank_${name}`)])], query.get("severity") ?? "",
    () => draw(), { "aria-label": t("severity") });

  const draw = () => {
    amend({ q: search.value, severity: severity.value });
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = all.filter(finding => (!severity.value || finding.severity === severity.value)
      && words.every(word => Object.values(finding).join(" ").toLowerCase().includes(word)));
    fill(badges, counts(all));
    const names = [...new Set(shown.map(finding => finding.template))];
    const worst = name => Math.min(...shown.filter(f => f.template === name).map(f => severities.indexOf(f.severity)));
    names.sort((a, b) => worst(a) - worst(b));
    fill(found, names.length ? names.map(name => section(name, shown.filter(finding => finding.template === name)))
      : h("p", { class: "empty" }, t("noFindings")));
  };
  const load = async () => {
    all = (await templates(true)).flatMap(template => template.findings.map(finding => ({ ...finding, template: template.name })));
    draw();
  };
  search.addEventListener("input", draw);
  outlet.append(h("header", { class: "head-row" }, h("h1", {}, t("findings")), badges),
    h("div", { class: "controls" }, search, severity), found);
  await load();
  return { refresh: load };
}

function section(name, findings) {
  return h("section", {}, h("h2", {}, h("a", { href: address(["templates", name]) }, h("bdi", {}, name)), " ",
    h("span", { class: "badges" }, counts(findings))),
  h("ul", { class: "findings" }, grouped(findings).map(group => groupItem(group, locale => address(["templates", name], { locale })))));
}
