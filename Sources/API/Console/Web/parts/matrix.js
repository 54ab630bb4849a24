// What the tables of templates by locale and by release share.
import { address } from "../app/router.js";
import { t } from "../texts/texts.js";
import { h } from "./dom.js";

const marks = { ok: "✓", warning: "!", error: "✕" };
/// How bad each verdict is, worst first.
export const rankOf = { crash: "error", raw_key: "error", dropped: "error", garbled: "error", other_language: "warning", fallback: "warning", ok: "ok" };
export const verdicts = Object.keys(rankOf);

/// A table that scrolls beside its first column.
export function matrix(table) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("matrix") }, table);
}

export function templateCell(name) {
  return h("th", { scope: "row" }, h("a", { href: address(["templates", name]) }, name));
}

export function cellMark(rank) {
  return h("span", { class: `cell ${rank}`, "aria-hidden": "true" }, marks[rank]);
}
