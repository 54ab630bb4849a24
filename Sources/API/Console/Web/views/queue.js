// The queue: counts by state, live charts of the last minutes, rates and breakers, readiness with reasons.
import { call, isRateLimited } from "../app/api.js";
import { History } from "../app/history.js";
import { historyMs, live, repeat, watch } from "../app/live.js";
import { quantile, total } from "../app/metrics.js";
import { address, amend } from "../app/router.js";
import { sayFailure } from "../app/shell.js";
import { currentApp, session } from "../app/session.js";
import { chart } from "../parts/chart.js";
import { checkList } from "../parts/checks.js";
import { choice, h, redraw } from "../parts/dom.js";
import { codes, states } from "../parts/status.js";
import { duration, isolated, number, t, time } from "../texts/texts.js";

const statsMs = 2000;
/// The span over which a rate or a quantile is taken.
const windowMs = 10_000;

const dayMs = 86_400_000;
const outlookMs = 60_000;
/// The gateway has a new coarse sample every few minutes at most.
const reloadMs = 60_000;

const waitingStates = ["queued", "sending", "scheduled"];

/// The lines of each chart for an app, from two samples of the metrics, and from a sample of the gateway's history. A line's
/// name is its text, if it has one.
const charts = [
  { title: "depth", format: number, lines: (now, app) => pick(total(now, "dragoman_queue_deliveries", { app }, "state"), waitingStates),
    past: sample => pick(sample.deliveries, waitingStates) },
  { title: "oldest", format: duration, lines: (now, app) => ({ "": total(now, "dragoman_queue_oldest_age_seconds", { app }) }),
    past: sample => ({ "": sample.oldest_queued_seconds }) },
  { title: "throughput", format: value => `${number(value, 1)}/s`, lines: (now, app, before, seconds) => ({
    accepted: rate(now, before, "dragoman_notifications_accepted_total", { app }, seconds),
    sent: rate(now, before, "dragoman_deliveries_total", { app, outcome: "sent" }, seconds),
    failed: rate(now, before, "dragoman_deliveries_total", { app, outcome: "failed" }, seconds),
  }), past: sample => Object.fromEntries(["accepted", "sent", "failed"].map(name => [name, sample[name] / sample.seconds])) },
  { title: "errorsByCode", format: value => `${number(value, 1)}/s`, lines: (now, app, before, seconds) => {
    const counts = total(now, "dragoman_delivery_errors_total", { app }, "code");
    return Object.fromEntries(Object.keys(counts).map(code => [code, rate(now, before, "dragoman_delivery_errors_total", { app, code }, seconds)]));
  }, past: (sample, seen) => Object.fromEntries(seen.map(code => [code, (sample.errors[code] ?? 0) / sample.seconds])), isSparse: true,
  href: code => address(["deliveries"], { q: code }) },
  { title: "latency", format: duration, lines: (now, app, before) => {
    const name = "dragoman_fcm_request_duration_seconds_bucket";
    const [a, b] = [before, now].map(metrics => total(metrics, name, { app }, "le"));
    return { p50: quantile(a, b, 0.5), p95: quantile(a, b, 0.95) };
  }, past: sample => sample.fcm_request_seconds },
];

/// One color means one thing in all charts.
const hues = { accepted: "s0", sent: "s1", failed: "s2", queued: "s3", sending: "s4", scheduled: "s5", "": "s6", p50: "s6", p95: "s7" };

function hueOf(name) { return hues[name] ?? `by-code k${codes.indexOf(name) + 1}`; }

/// How far back the charts go: the interval of the gateway's samples in seconds, and the minutes that are shown; what the tab
/// sees itself is in the shortest alone.
const reaches = { "15m": { interval: 10 }, "24h": { interval: 300, minutes: 1440, withDayBefore: true }, "14d": { interval: 3600, minutes: 14 * 1440 } };

function pick(values, names) {
  return Object.fromEntries(names.map(name => [name, values[name] ?? 0]));
}

function rate(now, before, name, labels, seconds) {
  return Math.max(0, total(now, name, labels) - total(before, name, labels)) / seconds;
}

/// The points of a chart's lines over all samples, after those of the history.
function linesOf(spec, app, history, span) {
  const { minutes, withDayBefore } = reaches[span];
  const begin = Date.now() - (minutes ? minutes * 60_000 : historyMs);
  const lines = new Map();
  const add = (at, values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null || !Number.isFinite(value)) continue;
      if (!lines.has(name)) lines.set(name, { name: t(name), hue: hueOf(name), href: spec.href?.(name), points: [], before: [] });
      const line = lines.get(name);
      if (at >= begin) line.points.push({ at, value });
      else if (withDayBefore && at >= begin - dayMs) line.before.push({ at: at + dayMs, value });
    }
  };
  for (const { at, sample } of history.samples) add(at, spec.past(sample, history.codes));
  let first = 0;
  if (history.isLive) live.samples.forEach((sample, index) => {
    while (live.samples[first].at < sample.at - windowMs) first += 1;
    const before = live.samples[Math.min(first, Math.max(0, index - 1))];
    const seconds = (sample.at - before.at) / 1000;
    if (seconds > 0) add(sample.at, spec.lines(sample.metrics, app, before.metrics, seconds));
  });
  for (const line of lines.values()) line.points.sort((a, b) => a.at - b.at);
  return [...lines.values()].filter(line => !spec.isSparse || line.points.some(point => point.value > 0));
}

/// Whether what waits becomes less, and when nothing is left at the rate of the last minute; "" if nothing waits.
function outlook(app) {
  const depth = ({ metrics }) => {
    const byState = total(metrics, "dragoman_queue_deliveries", { app }, "state");
    return (byState.queued ?? 0) + (byState.sending ?? 0);
  };
  const now = live.samples.at(-1);
  const then = live.samples.find(({ at }) => now && at >= now.at - outlookMs);
  if (!now || now === then || !depth(now)) return "";
  const perSecond = (depth(now) - depth(then)) / ((now.at - then.at) / 1000);
  if (perSecond < 0) return t("drains", { duration: isolated(duration(depth(now) / -perSecond)) });
  return perSecond > 0 ? t("grows", { rate: isolated(`${number(perSecond, 1)}/s`) }) : t("stands");
}

/// Why an app sends nothing, and when it tries again.
function waiting({ wait }) {
  if (!wait) return h("span", { class: "badge good" }, t("breakerClosed"));
  const seconds = Math.max(0, Math.ceil((Date.parse(wait.until) - Date.now()) / 1000));
  return [h("span", { class: "badge bad" }, t(wait.reason === "outage" ? "breakerOpen" : "held")), " ", h("code", {}, wait.code ?? wait.reason), " ",
    t("since", { time: time(wait.since) }), ". ", t("next_in", { duration: duration(seconds) })];
}

export async function show(outlet, { query }) {
  const app = currentApp();
  let span = reaches[query.get("span")] ? query.get("span") : "15m";
  const table = h("table", {});
  const apps = h("table", {});
  const checks = h("ul", { class: "checks" });
  let history = new History(app, reaches[span].interval);
  const expected = h("p", { class: "next", role: "status" });
  const reach = choice(Object.keys(reaches).map(name => [name, t(`last_${name}`)]), span, name => {
    span = name;
    amend({ span: name === "15m" ? null : name });
    history = new History(app, reaches[name].interval);
    history.load().then(drawCharts, sayFailure);
  }, { "aria-label": t("at") });
  const boxes = charts.map(spec => ({ spec, box: chart(t(spec.title), spec.format) }));
  outlet.append(h("h1", {}, t("queue"), session.apps.length > 1 ? h("span", { class: "soft" }, " · ", h("bdi", {}, app)) : null), checks,
    h("div", { class: "scroll panel", tabindex: "0", role: "region", "aria-label": t("byState") }, table),
    h("h2", {}, t("ratesAndBreakers")),
    h("div", { class: "scroll panel", tabindex: "0", role: "region", "aria-label": t("ratesAndBreakers") }, apps),
    h("div", { class: "controls" }, reach, expected), h("div", { class: "charts" }, boxes.map(each => each.box)));

  const drawStats = stats => {
    const line = (name, row, app) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), states.map(state => {
      const count = number(row.deliveries[state]);
      return h("td", {}, app ? h("a", { href: address(["deliveries"], { app, status: state }) }, count) : count);
    }), h("td", {}, h("bdi", {}, duration(row.oldest_queued_seconds))));
    redraw(table, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("app")), states.map(state => h("th", { scope: "col" }, t(state))), h("th", { scope: "col" }, t("oldest")))),
      h("tbody", {}, Object.entries(stats.apps).map(([name, row]) => line(name, row, name)),
        Object.keys(stats.apps).length > 1 ? line(t("all"), stats) : null)));
  };
  const drawChecks = () => redraw(checks, checkList());
  const drawApps = () => redraw(apps, h("table", {}, h("thead", {}, h("tr", {}, ["app", "breaker", "rateNow", "inFlight", "heldTargets"].map(name => h("th", { scope: "col" }, t(name))))),
    h("tbody", {}, session.apps.map(name => {
      const sending = live.queue?.apps[name]?.sending;
      const allowed = sending?.messages_per_second;
      return h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), (sending ? [
        waiting(sending), sending.wait && !sending.wait.probing ? t("held") : allowed === null ? t("unlimited") : h("bdi", {}, `${number(allowed, 1)}/s`),
        number(sending.in_flight), number(sending.held_targets)] : ["—", "—", "—", "—"]).map(cell => h("td", {}, cell)));
    }))));
  const drawCharts = () => {
    const { minutes, interval } = reaches[span];
    for (const { spec, box } of boxes) box.draw(linesOf(spec, app, history, span), { minutes, intervalMs: interval * 1000 });
  };
  let drawnAt = null;
  let drawnQueue = null;
  const draw = () => {
    drawChecks();
    drawApps();
    if (live.queue && live.queue !== drawnQueue) drawStats(drawnQueue = live.queue);
    if (live.samples.at(-1)?.at === drawnAt) return;
    drawnAt = live.samples.at(-1)?.at;
    const text = outlook(app);
    if (expected.textContent !== text) expected.textContent = text;
    if (history.isLive) drawCharts();
  };
  const load = async () => drawStats(await call("GET", "/v1/stats"));
  const loadAll = async () => {
    await Promise.all([load(), history.load()]);
    drawCharts();
  };
  // Nothing was asked while the tab was hidden; the gateway knows what happened.
  const shown = () => document.hidden || loadAll().catch(() => {});
  document.addEventListener("visibilitychange", shown);
  await loadAll();
  draw();
  const stops = [watch(draw), repeat(async () => { if (isRateLimited) return false; if (!live.queue) await load(); return true; }, statsMs), repeat(async () => {
    if (history.isLive) return;
    await history.load();
    drawCharts();
  }, reloadMs)];
  return { refresh: loadAll, close: () => {
    stops.forEach(stop => stop());
    document.removeEventListener("visibilitychange", shown);
  } };
}
