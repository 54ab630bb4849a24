// When the catalog was loaded, and what the last reload changed.
import { live, watch } from "../app/live.js";
import { lastReload, reloadCounts } from "../app/reloads.js";
import { currentApp, templates } from "../app/session.js";
import { h, redraw } from "../parts/dom.js";
import { counts, severityBadge } from "../parts/findings.js";
import { reloadSummary } from "../parts/reloads.js";
import { number, t, time } from "../texts/texts.js";

export async function show(outlet) {
  const app = currentApp();
  const facts = h("dl", {});
  const changes = h("div", {});
  let all = await templates(true);
  outlet.append(h("h1", {}, t("catalog")), h("section", { class: "panel" }, facts), h("h2", {}, t("lastReload")), changes);
  const draw = () => {
    const check = live.readiness?.checks?.catalog;
    const reloads = reloadCounts() ?? {};
    const findings = counts(all.flatMap(template => template.findings));
    const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    redraw(facts, h("dl", { class: "facts" }, fact(t("app"), h("bdi", {}, app)), fact(t("templates"), number(all.length)),
      fact(t("findings"), h("span", { class: "badges" }, findings.some(Boolean) ? findings : severityBadge("ok", t("noFindings")))),
      check ? fact(t("catalogSince"), time(check.since)) : null,
      check?.detail ? fact(t("reload"), h("span", { class: "badge warn" }, h("bdi", {}, check.detail))) : null,
      fact(t("reloads"), t("reloadCounts", { n: reloads.success ?? 0, failed: reloads.failure ?? 0 }))));
    redraw(changes, h("div", {}, reloadSummary(lastReload())));
  };
  draw();
  const refresh = async () => {
    all = await templates(true);
    draw();
  };
  return { refresh, close: watch(draw) };
}
