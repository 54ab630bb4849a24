// Templates by locale and by release: where a reader does not get what was meant. Each cell says what is read.
import { call } from "../app/api.js";
import { amend, place } from "../app/router.js";
import { namedApp, templates } from "../app/session.js";
import { sayFailure } from "../app/shell.js";
import { choice, debounced, fill, h } from "../parts/dom.js";
import { cellMark, rankOf, templateCell, verdicts } from "../parts/matrix.js";
import { platformNames } from "../parts/phone.js";
import { tabList } from "../parts/tabs.js";
import { gridKeys } from "../phones/grid.js";
import { readingPane } from "../phones/reading.js";
import { findsLocale, localeName, number, t } from "../texts/texts.js";
import { releaseMatrix } from "./releases.js";

const typingMs = 120;
const faults = verdicts.filter(verdict => verdict !== "ok");

export async function show(outlet, { query }) {
  const locales = localeMatrix(query);
  const panel = h("div", { id: "panel" }, locales.elements);
  const tabs = h("div", {});
  outlet.append(h("h1", {}, t("matrix")), tabs, panel);
  const isByRelease = query.get("by") === "releases";
  if (!isByRelease) await locales.refresh();
  // The releases come with the templates, which are more to load.
  const showReleases = async () => {
    const panes = { locales: locales.elements, releases: releaseMatrix(await templates()) };
    if (!panes.releases) return;
    for (const [name, value] of Object.entries({ role: "tabpanel", "aria-label": t("matrix"), tabindex: "-1" })) panel.setAttribute(name, value);
    fill(tabs, tabList([["locales", t("byLocale")], ["releases", t("byRelease")]], isByRelease ? "releases" : "locales", name => {
      amend({ by: name === "releases" ? name : null });
      fill(panel, panes[name]);
    }, t("matrix"), "panel"));
    if (isByRelease) fill(panel, panes.releases);
  };
  if (isByRelease) await Promise.all([showReleases(), locales.refresh()]); else showReleases().catch(sayFailure);
  return { refresh: locales.refresh, close: locales.close };
}

/// What the platforms' verdicts say about a template, by locale, the worse of both: `Map(locale → verdict)`, without `ok`.
function worstByLocale(row, platform) {
  const worst = new Map();
  for (const verdict of faults) {
    for (const [name, lists] of Object.entries(row)) {
      if (platform && name !== platform) continue;
      for (const locale of lists[verdict] ?? []) if (!worst.has(locale)) worst.set(locale, verdict);
    }
  }
  return worst;
}

/// Puts first what has the most of the worst verdict; `found(item)` are its verdicts.
function worstFirst(items, found) {
  const counts = new Map(items.map(item => [item, faults.map(verdict => found(item).filter(each => each === verdict).length)]));
  const order = (a, b) => faults.map((_, index) => counts.get(b)[index] - counts.get(a)[index]).find(Boolean) ?? 0;
  return items.toSorted(order);
}

/// The table of templates by locale with its filters, and beside it what the opened cell says.
function localeMatrix(query) {
  const choices = { verdict: query.get("verdict") ?? "", q: query.get("q") ?? "", find: query.get("find") ?? "", platform: query.get("platform") ?? "" };
  let answer = { locales: {}, verdicts: {} };
  const table = h("table", { class: "matrix", role: "grid", "aria-label": t("matrix"), "aria-describedby": "matrix-keys" });
  const legend = h("ul", { class: "legend" }, verdicts.map(verdict => h("li", {}, cellMark(rankOf[verdict]), " ", t(`verdict_${verdict}`))));
  const count = h("p", { class: "soft", role: "status" });
  const box = h("div", { class: "scroll grid-box" }, h("p", { class: "spoken", id: "matrix-keys" }, t("matrixKeys")), table);
  const reading = readingPane(() => { keys.focus(); layout.classList.remove("open"); amend({ template: null, locale: null }); });
  const layout = h("div", { class: "with-reading" }, box, reading.element);

  const open = cell => {
    const { template, locale } = cell.dataset;
    table.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    cell.setAttribute("aria-selected", "true");
    layout.classList.add("open");
    amend({ template, locale });
    reading.show(template, locale);
  };
  const openSoon = debounced(cell => { if (layout.classList.contains("open")) open(cell); }, typingMs);
  const keys = gridKeys(table, { open, moved: openSoon, close: () => layout.classList.contains("open") && reading.close() });

  const draw = () => {
    const names = Object.keys(answer.verdicts).filter(name => choices.q.toLowerCase().split(/\s+/).every(word => name.toLowerCase().includes(word)));
    const every = [...new Set(Object.entries(answer.locales).flatMap(([name, list]) => (choices.platform && name !== choices.platform ? [] : list)))];
    const found = every.filter(locale => findsLocale(choices.find, locale));
    const isFound = new Set(found);
    const asked = choices.verdict === "any" ? faults : choices.verdict ? [choices.verdict] : null;
    const worst = new Map(names.map(name => [name, new Map([...worstByLocale(answer.verdicts[name], choices.platform)]
      .filter(([locale, verdict]) => isFound.has(locale) && (!asked || asked.includes(verdict))))]));
    const byLocale = new Map(found.map(locale => [locale, []]));
    for (const row of worst.values()) for (const [locale, verdict] of row) byLocale.get(locale).push(verdict);
    const rows = worstFirst(names.filter(name => !asked || worst.get(name).size), name => [...worst.get(name).values()]);
    const columns = worstFirst(found.filter(locale => !asked || byLocale.get(locale).length), locale => byLocale.get(locale));
    count.textContent = t("matrixShown", { n: number(rows.length), all: number(Object.keys(answer.verdicts).length), locales: number(columns.length), every: number(every.length) });
    fill(table, rows.length && columns.length ? tableOf(rows, columns, worst, asked) : h("caption", { class: "empty" }, t("nothingFound")));
    table.style.setProperty("--names", `${table.querySelector("th")?.offsetWidth ?? 0}px`);
    const opened = place().query;
    keys.reset(opened.get("template"), opened.get("locale"));
  };
  const drawSoon = debounced(draw, typingMs);
  const choose = (name, value, now) => {
    choices[name] = value;
    amend({ [name]: value });
    (now ? draw : drawSoon)();
  };
  const search = (name, label) => h("input", { type: "search", value: choices[name], placeholder: t(label), "aria-label": t(label), oninput: event => choose(name, event.target.value) });
  const select = (name, label, options) => choice(options, choices[name], value => choose(name, value, true), { "aria-label": label });
  const controls = h("div", { class: "controls" }, search("q", "findTemplate"), search("find", "findLocale"),
    select("verdict", t("verdict"), [["", t("allVerdicts")], ["any", t("anyFault")], ...faults.map(name => [name, t(`verdict_${name}`)])]),
    select("platform", t("platform"), [["", t("bothPlatforms")], ...Object.entries(platformNames)]), count);

  const refresh = async () => {
    const app = namedApp();
    answer = await call("GET", `/v1/matrix${app ? `?app=${encodeURIComponent(app)}` : ""}`);
    draw();
    const opened = place().query;
    const cell = keys.find(opened.get("template"), opened.get("locale"));
    if (cell) open(cell);
  };
  return { elements: [h("p", { class: "soft" }, t("matrixIntro")), legend, controls, layout], refresh, close: reading.stop };
}

/// The head and the body of the table; a cell that was not asked for is empty.
function tableOf(rows, columns, worst, asked) {
  const names = new Map(columns.map(locale => [locale, localeName(locale)]));
  const cells = new Map(verdicts.map(verdict => [verdict, h("td", { class: `cell ${rankOf[verdict]}`, tabindex: -1, "aria-selected": "false" }, cellMark(rankOf[verdict]).textContent)]));
  const empty = h("td", { tabindex: -1, "aria-selected": "false" });
  const words = new Map(verdicts.map(verdict => [verdict, t(`verdict_${verdict}`)]));
  const cellOf = (name, locale) => {
    const verdict = worst.get(name).get(locale) ?? "ok";
    const cell = (asked && verdict === "ok" ? empty : cells.get(verdict)).cloneNode(true);
    Object.assign(cell.dataset, { template: name, locale });
    cell.setAttribute("aria-label", `${name}, ${names.get(locale)}: ${asked && verdict === "ok" ? "—" : words.get(verdict)}`);
    return cell;
  };
  return [h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("template")),
    columns.map(locale => h("th", { scope: "col", title: names.get(locale) }, h("bdi", {}, locale))))),
  h("tbody", {}, rows.map(name => {
    const head = templateCell(name);
    head.firstChild.tabIndex = -1;
    return h("tr", {}, head, columns.map(locale => cellOf(name, locale)));
  }))];
}
