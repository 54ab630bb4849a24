// Notifications in lists.
import { address } from "../app/router.js";
import { number, time } from "../texts/texts.js";
import { h } from "./dom.js";
import { stateBadge, target } from "./status.js";

/// What the list shows of a notification; ten thousand with all their targets would fill the memory.
export function summary({ id, template, status, created_at: at, client, deliveries }) {
  const codes = [...new Set(deliveries.map(delivery => delivery.error?.code).filter(Boolean))];
  return { id, template, status, at, client, first: deliveries[0], others: deliveries.length - 1, codes: codes.slice(0, 2).join(", ") };
}

/// A row of the list, as a link.
export function entry({ id, template, status, at, client, first, others, codes }, isChosen, query) {
  return h("a", { href: address(["deliveries", id], { ...query, target: null }), "aria-current": isChosen ? "true" : null },
    h("span", { class: "row-line" }, first ? target(first) : null, others > 0 ? h("bdi", { class: "soft" }, `+${number(others)}`) : null, stateBadge(status)),
    h("span", { class: "row-line small" }, h("bdi", {}, template), client ? h("bdi", { class: "soft" }, client) : null,
      codes ? h("code", { class: "error" }, codes) : null, h("time", { class: "soft" }, time(at))));
}
