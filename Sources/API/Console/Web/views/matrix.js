// Templates by locale and by release: where a phone would not show what was meant. Each cell leads to the phone.
import { call } from "../app/api.js";
import { live } from "../app/live.js";
import { address, amend } from "../app/router.js";
import { namedApp, templates } from "../app/session.js";
import { fill, h } from "../parts/dom.js";
import { cellMark, matrix, ranks, templateCell } from "../parts/matrix.js";
import { argsOf, examples } from "../parts/params.js";
import { verdict } from "../parts/phone.js";
import { tabList } from "../parts/tabs.js";
import { localeName, t } from "../texts/texts.js";
import { releaseMatrix } from "./releases.js";

const atOnce = 2;

export async function show(outlet, { query }) {
  const all = await templates();
  const request = new AbortController();
  const locales = [];
  const cells = new Map();
  const table = h("table", { class: "matrix" });
  const progress = h("p", { class: "soft", role: "status" });
  const legend = h("ul", { class: "legend" }, ranks.map(rank => h("li", {}, cellMark(rank), " ", t(`rank_${rank}`))));
  const panes = { locales: [h("p", { class: "soft" }, t("matrixIntro")), progress, legend, matrix(table)], releases: releaseMatrix(all) };
  const panel = h("div", { id: "panel", role: "tabpanel", "aria-label": t("matrix"), tabindex: "-1" });
  const tab = panes.releases && query.get("by") === "releases" ? "releases" : "locales";
  const tabs = panes.releases ? tabList([["locales", t("byLocale")], ["releases", t("byRelease")]], tab, name => {
    amend({ by: name === "releases" ? name : null });
    fill(panel, panes[name]);
  }, t("matrix"), "panel") : null;
  fill(panel, panes[tab]);
  outlet.append(h("h1", {}, t("matrix")), ...[tabs, panel].filter(Boolean));

  const draw = () => fill(table,
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("template")),
      locales.map(locale => h("th", { scope: "col", title: localeName(locale) }, locale)))),
    h("tbody", {}, all.map(template => row(template, locales, cells.get(template.name)))));

  const load = async template => {
    const app = namedApp();
    const body = { args: argsOf(template.params, examples(template.params)), ...(app ? { app } : {}) };
    const found = {};
    try {
      const { previews } = await call("POST", `/v1/templates/${encodeURIComponent(template.name)}/preview`, body, { signal: request.signal });
      for (const preview of previews) {
        if (!locales.includes(preview.locale)) locales.push(preview.locale);
        const rank = Math.max(ranks.indexOf(found[preview.locale] ?? "ok"), ranks.indexOf(verdict(preview)));
        found[preview.locale] = ranks[rank];
      }
      cells.set(template.name, found);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      cells.set(template.name, { failure: error.message });
    }
    progress.textContent = cells.size < all.length ? t("progress", { n: cells.size, all: all.length }) : "";
    draw();
  };
  const work = async () => {
    const waiting = [...all];
    const worker = async () => { while (waiting.length && live.isConnected) await load(waiting.shift()); };
    await Promise.all(Array.from({ length: atOnce }, worker)).catch(error => {
      if (error.name !== "AbortError") throw error;
    });
  };
  draw();
  work();
  return { refresh: work, close: () => request.abort() };
}

function row(template, locales, found) {
  return h("tr", {}, templateCell(template),
    found?.failure ? h("td", { colspan: Math.max(1, locales.length), class: "soft" }, found.failure)
      : locales.map(locale => h("td", {}, found?.[locale] ? h("a", {
        href: address(["templates", template.name], { locale }),
        "aria-label": `${template.name}, ${localeName(locale)}: ${t(`rank_${found[locale]}`)}`,
      }, cellMark(found[locale])) : null)));
}
