// Templates by locale and by release: where a reader does not get what was meant. Each cell leads to the phone.
import { call } from "../app/api.js";
import { address, amend } from "../app/router.js";
import { namedApp, templates } from "../app/session.js";
import { fill, h } from "../parts/dom.js";
import { cellMark, matrix, rankOf, templateCell, verdicts } from "../parts/matrix.js";
import { tabList } from "../parts/tabs.js";
import { localeName, t } from "../texts/texts.js";
import { releaseMatrix } from "./releases.js";

export async function show(outlet, { query }) {
  const all = await templates();
  const table = h("table", { class: "matrix" });
  const legend = h("ul", { class: "legend" }, verdicts.map(verdict => h("li", {}, cellMark(rankOf[verdict]), " ", t(`verdict_${verdict}`))));
  const panes = { locales: [h("p", { class: "soft" }, t("matrixIntro")), legend, matrix(table)], releases: releaseMatrix(all) };
  const panel = h("div", { id: "panel", role: "tabpanel", "aria-label": t("matrix"), tabindex: "-1" });
  const tab = panes.releases && query.get("by") === "releases" ? "releases" : "locales";
  const tabs = panes.releases ? tabList([["locales", t("byLocale")], ["releases", t("byRelease")]], tab, name => {
    amend({ by: name === "releases" ? name : null });
    fill(panel, panes[name]);
  }, t("matrix"), "panel") : null;
  fill(panel, panes[tab]);
  outlet.append(h("h1", {}, t("matrix")), ...[tabs, panel].filter(Boolean));

  const refresh = async () => {
    const app = namedApp();
    const found = await call("GET", `/v1/matrix${app ? `?app=${encodeURIComponent(app)}` : ""}`);
    const locales = [...new Set(Object.values(found.locales).flat())];
    fill(table,
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("template")),
        locales.map(locale => h("th", { scope: "col", title: localeName(locale) }, locale)))),
      h("tbody", {}, Object.entries(found.verdicts).map(([name, row]) => h("tr", {}, templateCell(name), locales.map(locale => cell(name, locale, worst(row, locale)))))));
  };
  await refresh();
  return { refresh };
}

/// What readers with a locale get on the worse of both platforms.
function worst(row, locale) {
  return verdicts.find(verdict => Object.values(row).some(platform => platform[verdict]?.includes(locale))) ?? "ok";
}

function cell(name, locale, verdict) {
  return h("td", {}, h("a", {
    href: address(["templates", name], { locale }),
    "aria-label": `${name}, ${localeName(locale)}: ${t(`verdict_${verdict}`)}`,
  }, cellMark(rankOf[verdict])));
}
