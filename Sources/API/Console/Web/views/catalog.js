// When the catalog was loaded, and what changed at the last reload that this tab has seen.
import { live, watch } from "../app/live.js";
import { total } from "../app/metrics.js";
import { address } from "../app/router.js";
import { currentApp, templates } from "../app/session.js";
import { fill, h } from "../parts/dom.js";
import { counts } from "../parts/findings.js";
import { number, t, time } from "../texts/texts.js";

/// What the tab knew of each app's catalog before: `{reloads, templates, changes, at}`.
const known = new Map();

/// The templates that differ between two states of a catalog.
function differences(before, after) {
  const old = new Map(before.map(template => [template.name, JSON.stringify(template)]));
  const changes = after.filter(template => old.has(template.name) && old.get(template.name) !== JSON.stringify(template))
    .map(template => ["changed", template.name]);
  const names = new Set(after.map(template => template.name));
  return [...changes, ...after.filter(template => !old.has(template.name)).map(template => ["added", template.name]),
    ...before.filter(template => !names.has(template.name)).map(template => ["removed", template.name])];
}

export async function show(outlet) {
  const app = currentApp();
  const facts = h("dl", { class: "facts" });
  const changes = h("div", {});
  outlet.append(h("h1", {}, t("catalog")), h("section", { class: "panel" }, facts),
    h("h2", {}, t("lastReload")), changes);
  const reloads = () => {
    const last = live.samples.at(-1);
    return last ? total(last.metrics, "dragoman_catalog_reloads_total", { app }, "result") : {};
  };
  let isBusy = false;
  const load = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const count = JSON.stringify(reloads());
      const now = await templates(true);
      const before = known.get(app);
      const entry = { reloads: count, templates: now, changes: before?.changes ?? null, at: before?.at ?? null };
      if (before && before.reloads !== "{}" && before.reloads !== count) Object.assign(entry, { changes: differences(before.templates, now), at: Date.now() });
      known.set(app, entry);
      draw(entry);
    } finally {
      isBusy = false;
    }
  };
  const draw = entry => {
    const check = live.readiness?.checks?.catalog;
    const results = reloads();
    const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    fill(facts, fact(t("app"), h("bdi", {}, app)), fact(t("templates"), number(entry.templates.length)),
      fact(t("findings"), h("span", { class: "badges" }, counts(entry.templates.flatMap(template => template.findings)))),
      check ? fact(t("catalogSince"), time(check.since)) : null,
      check?.detail ? fact(t("reload"), h("span", { class: "badge warn" }, check.detail)) : null,
      fact(t("reloads"), t("reloadCounts", { n: results.success ?? 0, failed: results.failure ?? 0 })));
    if (!entry.changes) return fill(changes, h("p", { class: "soft" }, t("noReload")));
    fill(changes, h("p", { class: "soft" }, time(entry.at)), entry.changes.length ? h("ul", { class: "rows" }, entry.changes.map(([kind, name]) =>
      h("li", {}, h("span", { class: "badge info" }, t(kind)), " ", h("a", { href: address(["templates", name]) }, name))))
      : h("p", {}, t("nothingChanged")));
  };
  await load();
  const close = watch(() => {
    if (live.isConnected && known.get(app)?.reloads !== JSON.stringify(reloads())) load();
  });
  return { refresh: load, close };
}
