// For translators: what readers of one language get of all templates, with another language beside it.
import { call } from "../app/api.js";
import { failureText } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { namedApp, templates } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { explanation } from "../parts/explanation.js";
import { place, severityBadge } from "../parts/findings.js";
import { rankOf } from "../parts/matrix.js";
import { platformNames, tagOf } from "../parts/phone.js";
import { isRightToLeft, language, localeName, number, t } from "../texts/texts.js";

const slots = ["title", "subtitle", "body"];
const atOnce = 4;

export async function show(outlet, { query }) {
  const app = namedApp();
  const [all, { locales }] = await Promise.all([templates(), call("GET", `/v1/matrix${app ? `?app=${encodeURIComponent(app)}` : ""}`)]);
  const names = [...new Set(Object.values(locales).flat())].filter(name => name !== "default").sort((a, b) => localeName(a).localeCompare(localeName(b), language));
  const source = query.get("source") ?? ["en", ...names].find(name => names.includes(name)) ?? "en";
  const chosen = { source, locale: query.get("locale") ?? names.find(name => name !== source && name.split("-")[0] === language) ?? names.find(name => name !== source) ?? source };
  const rows = new Map();
  let turn = 0;
  const body = h("div", {});
  const said = h("p", { class: "soft", role: "status" });
  const only = h("input", { type: "checkbox", checked: query.has("only"), onchange: () => { amend({ only: only.checked ? "1" : null }); draw(); } });
  const pick = (name, label) => {
    const select = choice(names.map(each => [each, `${localeName(each)} (${each})`]), chosen[name], value => {
      chosen[name] = value;
      amend({ [name]: value });
      load();
    });
    return h("label", { class: "check" }, t(label), select);
  };

  const draw = () => {
    const shown = all.flatMap(({ name }) => (rows.get(name) ?? []).filter(row => !only.checked || row.verdict !== "ok"));
    said.textContent = rows.size < all.length ? t("loading") : t("textsShown", { n: number(shown.length) });
    const head = ["template", null, null, "state"];
    fill(body, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("translations") }, h("table", { class: "translations" },
      h("thead", {}, h("tr", {}, head.map((key, index) => h("th", { scope: "col" }, key ? t(key) : localeName([chosen.source, chosen.locale][index - 1]))))),
      h("tbody", {}, shown.map(rowOf)))));
  };
  /// Asks for all templates, a few at a time; a newer question ends an older one.
  const load = async () => {
    const mine = ++turn;
    rows.clear();
    draw();
    const waiting = all.values();
    const work = async () => {
      for (const { name } of waiting) {
        const answer = await call("POST", `/v1/templates/${encodeURIComponent(name)}/preview`, { locales: [...new Set(Object.values(chosen))], ...(app ? { app } : {}) });
        if (mine !== turn) return;
        rows.set(name, rowsOf(name, answer.previews, chosen));
      }
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, work));
      if (mine === turn) draw();
    } catch (error) {
      if (mine === turn) said.textContent = failureText(error);
    }
  };
  outlet.append(h("h1", {}, t("translations")), h("p", { class: "soft" }, t("translationsIntro")),
    h("div", { class: "controls" }, pick("source", "sourceLanguage"), pick("locale", "translation"), h("label", { class: "check" }, only, t("onlyFindings"))), said, body);
  await load();
  return { refresh: load, close: () => { turn += 1; } };
}

/// The lines of a template; what both platforms show alike is one.
function rowsOf(name, previews, { source, locale }) {
  const found = new Map();
  for (const platform of Object.keys(platformNames)) {
    const [from, to] = [source, locale].map(tag => previews.find(each => each.platform === platform && each.locale === tag));
    for (const slot of slots) {
      if (!to || to[slot].outcome === "none") continue;
      const findings = to.findings.filter(finding => finding.slot === slot && finding.locale && !finding.release);
      const row = { name, slot, source: from?.[slot], text: to[slot], verdict: verdictOf(to, to[slot], findings), findings,
        tags: [from, to].map(each => each && tagOf(each)), locale, platforms: [platform] };
      const same = JSON.stringify([slot, row.source?.text, row.text.text, row.text.outcome, row.verdict]);
      if (found.has(same)) found.get(same).platforms.push(platform); else found.set(same, row);
    }
  }
  return [...found.values()];
}

/// The verdict on one line: that of the phone, if the line has a part in it.
function verdictOf({ verdict, resolved_locale: resolved, locale }, { outcome }, findings) {
  if (outcome !== "text") return outcome;
  if (findings.some(finding => finding.verdict === verdict)) return verdict;
  return verdict === "fallback" || verdict === "other_language" ? (resolved === locale ? "ok" : verdict) : "ok";
}

function rowOf({ name, slot, source, text, verdict, findings, tags, locale, platforms }) {
  return h("tr", {}, h("th", { scope: "row" }, h("a", { href: address(["templates", name], { locale }) }, h("bdi", {}, name)),
    h("span", { class: "soft" }, ` ${t(slot)} · ${platforms.map(each => platformNames[each]).join(", ")}`)),
  textCell(source, tags[0]), textCell(text, tags[1], findings), h("td", {}, severityBadge(rankOf[verdict], t(`verdict_${verdict}`))));
}

function textCell(value, tag, findings = []) {
  if (!value || value.outcome === "none") return h("td", {}, "—");
  return h("td", {}, h("p", { lang: tag, dir: isRightToLeft(tag) ? "rtl" : "ltr" }, value.outcome === "text" || value.outcome === "raw_key" ? value.text ?? "…" : "—"),
    h("p", { class: "places" }, h("code", {}, value.key ?? ""), " ", h("code", { dir: "ltr" }, place(value))),
    findings.map(({ severity, rule, message, texts }) => h("p", { class: "help" }, severityBadge(severity, rule), " ", explanation({ rule, message, texts }))));
}
