// The parts of the gateway's readiness, with the reason for each.
import { live } from "../app/live.js";
import { t, time } from "../texts/texts.js";
import { h } from "./dom.js";

export function checkList() {
  return h("ul", { class: "checks" }, Object.entries(live.readiness?.checks ?? {}).map(([name, check]) => h("li", {},
    h("span", { class: `badge ${{ ok: "good", warning: "warn", failed: "bad" }[check.status]}` }, `${t(`check_${name}`)}: ${t(`check_${check.status}`)}`),
    h("span", { class: "soft" }, ` ${t("since", { time: time(check.since) })} `), check.detail ? h("bdi", {}, check.detail) : null)));
}
