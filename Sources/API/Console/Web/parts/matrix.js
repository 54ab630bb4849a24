// What the tables of templates by locale and by release share.
import { address } from "../app/router.js";
import { t } from "../texts/texts.js";
import { h } from "./dom.js";

const marks = { ok: "✓", note: "i", warning: "!", error: "✕" };
export const ranks = Object.keys(marks);

/// A table that scrolls beside its first column.
export function matrix(table) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("matrix") }, table);
}

export function templateCell(template) {
  return h("th", { scope: "row" }, h("a", { href: address(["templates", template.name]) }, template.name));
}

export function cellMark(rank) {
  return h("span", { class: `cell ${rank}`, "aria-hidden": "true" }, marks[rank]);
}
