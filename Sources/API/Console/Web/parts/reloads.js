// What the last reload of the catalog changed.
import { address } from "../app/router.js";
import { t, time } from "../texts/texts.js";
import { h } from "./dom.js";
import { severityBadge } from "./findings.js";

export function reloadSummary(reload) {
  if (!reload) return h("p", { class: "soft" }, t("noReload"));
  const findings = [reload.fresh ? severityBadge("error", t("newFindings", { n: reload.fresh })) : null,
    reload.fixed ? severityBadge("ok", t("fixedFindings", { n: reload.fixed })) : null];
  return [h("p", { class: "badges" }, h("span", { class: "soft" }, time(reload.at)), findings),
    reload.changes.length ? h("ul", { class: "checks" }, reload.changes.map(([kind, name]) => h("li", {}, h("span", { class: "badge info" }, t(kind)), " ",
      kind === "removed" ? h("bdi", {}, name) : h("a", { href: address(["templates", name]) }, name)))) : h("p", {}, t("nothingChanged"))];
}
