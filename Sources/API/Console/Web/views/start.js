// Where to look first: health, failures by cause, the worst that readers get, the last reload, and what was sent last.
import { call, isRateLimited } from "../app/api.js";
import { changes, live, watch } from "../app/live.js";
import { lastReload } from "../app/reloads.js";
import { address } from "../app/router.js";
import { failureText } from "../app/shell.js";
import { currentApp, may, messageFindings, namedApp } from "../app/session.js";
import { checkList } from "../parts/checks.js";
import { h, redraw } from "../parts/dom.js";
import { severityBadge } from "../parts/findings.js";
import { rankOf, verdicts } from "../parts/matrix.js";
import { entry, summary } from "../parts/notifications.js";
import { reloadSummary } from "../parts/reloads.js";
import { nextStep } from "../parts/status.js";
import { isolated, number, t, time } from "../texts/texts.js";

const everyMs = 10_000;
const linesMax = 5;
const failuresMax = 250;

export async function show(outlet) {
  const app = currentApp();
  const parts = {
    health: { title: "health", draw: () => checkList() },
    failures: { title: "failuresToday", scope: "read", load: () => failures(app), link: ["deliveries", { status: "failed" }] },
    verdicts: { title: "worstVerdicts", scope: "preview", load: worstVerdicts, link: ["matrix"] },
    messages: { title: "messages", scope: "read", load: worstMessages, link: ["messages"] },
    reload: { title: "lastReload", scope: "preview", draw: lastLoad, link: ["catalog"] },
    sends: { title: "recentSends", scope: "read", load: () => recent(app), link: ["deliveries"] },
  };
  const shown = Object.values(parts).filter(({ scope }) => !scope || may(scope));
  for (const part of shown) part.body = h("div", {}, part.draw?.());
  outlet.append(h("h1", {}, t("start")), h("div", { class: "cards" }, shown.map(({ title, body, link }) => h("section", { class: "panel" },
    h("header", { class: "head-row" }, h("h2", {}, t(title)), link ? h("a", { href: address([link[0]], link[1]), "aria-label": `${t("showAll")}: ${t(title)}` }, t("showAll")) : null), body))));

  const fillIn = (part, content) => redraw(part.body, h("div", {}, content));
  const load = async which => {
    await Promise.all(which.map(async part => {
      try {
        fillIn(part, await part.load());
      } catch (error) {
        fillIn(part, h("p", { class: "empty" }, failureText(error)));
      }
    }));
  };
  const drawn = () => { for (const part of shown) if (part.draw) fillIn(part, part.draw()); };
  const loaded = shown.filter(part => part.load);
  await load(loaded);
  const ofDeliveries = loaded.filter(part => part !== parts.verdicts);
  const stops = [watch(drawn), changes(async () => {
    if (isRateLimited) return false;
    await load(ofDeliveries);
    return true;
  }, everyMs)];
  return { refresh: () => load(loaded), close: () => stops.forEach(stop => stop()) };
}

async function failures(app) {
  const [now, before] = await Promise.all([codesOf({ app, since: ago(24) }), codesOf({ app, since: ago(48), until: ago(24) })]);
  if (!now.size) return h("p", { class: "badges" }, severityBadge("ok", t("noFailures")));
  const rows = [...now].sort(([, a], [, b]) => b - a).slice(0, linesMax);
  return h("ul", { class: "causes" }, rows.map(([code, count]) => h("li", {},
    h("a", { href: address(["deliveries"], { status: "failed", q: code }) }, h("code", {}, code), " ", h("b", {}, number(count))), " ",
    h("span", { class: "soft" }, before.has(code) ? t("dayBefore", { n: number(before.get(code)) }) : h("span", { class: "badge bad" }, t("newCause"))),
    h("p", { class: "soft" }, nextStep({ status: "failed", error: { code } })))));
}

/// How many of the newest failed notifications in a span of time have each error code.
async function codesOf(span) {
  const counts = new Map();
  const { notifications } = await call("GET", `/v1/notifications?${queryOf({ ...span, status: "failed", limit: failuresMax })}`);
  for (const { deliveries } of notifications) {
    for (const code of new Set(deliveries.map(({ error }) => error?.code).filter(Boolean))) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

/// A time some hours ago, as the API writes it.
function ago(hours) { return new Date(Date.now() - hours * 3_600_000).toISOString(); }

function queryOf(filter) { return new URLSearchParams(Object.entries(filter)); }

/// The templates with the worst verdict for somebody, the worst first.
async function worstVerdicts() {
  const app = namedApp();
  const found = await call("GET", `/v1/matrix${app ? `?app=${encodeURIComponent(app)}` : ""}`);
  const rows = Object.entries(found.verdicts).flatMap(([name, row]) => verdicts.filter(verdict => verdict !== "ok").map(verdict => {
    const locales = new Set(Object.values(row).flatMap(platform => platform[verdict] ?? []));
    return { name, verdict, locales: [...locales] };
  })).filter(({ locales }) => locales.length);
  rows.sort((a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) || b.locales.length - a.locales.length);
  if (!rows.length) return h("p", { class: "badges" }, severityBadge("ok", t("allFine")));
  return h("ul", { class: "causes" }, rows.slice(0, linesMax).map(({ name, verdict, locales }) => h("li", {},
    h("a", { href: address(["templates", name], { locale: locales[0] }) }, h("bdi", {}, name)), " ",
    severityBadge(rankOf[verdict], t(`verdict_${verdict}`)), " ", h("span", { class: "soft" }, t("inLocales", { locales: isolated(listed(locales)) })))));
}

function listed(names) {
  return names.slice(0, linesMax).join(", ") + (names.length > linesMax ? ` +${number(names.length - linesMax)}` : "");
}

async function worstMessages() {
  const findings = (await messageFindings()).findings.filter(({ severity }) => severity !== "note");
  if (!findings.length) return h("p", { class: "soft" }, t("noMessageFindings"));
  return h("ul", { class: "causes" }, findings.slice(0, linesMax).map(({ rule, severity, key, count }) => h("li", {},
    severityBadge(severity, rule), " ", key ? h("a", { href: address(["messages"], { q: key }) }, h("code", {}, key)) : null, " ",
    h("span", { class: "soft" }, t("arrived", { n: number(count) })))));
}

function lastLoad() {
  const since = live.readiness?.checks?.catalog?.since;
  return [since ? h("p", {}, `${t("catalogSince")} ${time(since)}`) : null, reloadSummary(lastReload())];
}

async function recent(app) {
  const { notifications } = await call("GET", `/v1/notifications?${queryOf({ app, limit: linesMax + 1 })}`);
  if (!notifications.length) return h("p", { class: "soft" }, t("noDeliveries"));
  return h("ul", { class: "rows deliveries-list" }, notifications.map(each => h("li", {}, entry(summary(each), false, {}))));
}
