// All findings of the app, ranked and grouped as `dragoman check` prints them.
import { address, amend } from "../app/router.js";
import { currentFindings } from "../app/session.js";
import { leadInto } from "../parts/arrows.js";
import { choice, fill, h } from "../parts/dom.js";
import { groupItem } from "../parts/explanation.js";
import { counts, impacts, severities } from "../parts/findings.js";
import { inOwnWords, ruleTexts } from "../rules/rules.js";
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
    const shown = all.filter(group => (!severity.value || group.severity === severity.value)
      && words.every(word => group.text.includes(word)));
    fill(badges, counts(all));
    const present = impacts.filter(impact => shown.some(group => group.impact === impact));
    fill(found, present.length ? present.map(impact => section(impact, shown.filter(group => group.impact === impact)))
      : h("p", { class: "empty" }, t("noFindings")));
  };
  const load = async () => {
    all = (await currentFindings()).map(group => ({ ...group,
      text: [...Object.values(group).flat(), ...ruleTexts(group.rule) ?? [], ...Object.values(group.texts).map(inOwnWords)].join(" ").toLowerCase() }));
    draw();
  };
  search.addEventListener("input", draw);
  leadInto(search, found, ".finding");
  outlet.append(h("header", { class: "head-row" }, h("h1", {}, t("findings")), badges),
    h("div", { class: "controls" }, search, severity), found);
  await load();
  return { refresh: load };
}

function section(impact, groups) {
  return h("section", {}, h("h2", {}, t(`impact_${impact}`), " ", h("span", { class: "badges" }, counts(groups))),
    h("ul", { class: "findings" }, groups.map(group => groupItem(group,
      (locale, template) => address(["templates", template], locale ? { locale } : {})))));
}
