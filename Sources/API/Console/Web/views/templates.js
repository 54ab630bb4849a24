// The templates of the app: a list to search, and the chosen one beside it.
import { address } from "../app/router.js";
import { templates } from "../app/session.js";
import { leadInto } from "../parts/arrows.js";
import { fill, h } from "../parts/dom.js";
import { counts, severityBadge } from "../parts/findings.js";
import { t } from "../texts/texts.js";
import { marks, templatePane } from "./template.js";

export async function show(outlet, { segments: [name], query }) {
  const all = await templates();
  const chosen = all.find(template => template.name === name);
  const list = h("ul", { class: "rows" });
  const search = h("input", { type: "search", "aria-label": t("search"), placeholder: t("search"), value: query.get("q") ?? "" });
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter(template => {
      const text = `${template.name} ${template.description ?? ""} ${JSON.stringify([template.title, template.body])}`.toLowerCase();
      return words.every(word => text.includes(word));
    });
    fill(list, found.map(template => entry(template, template === chosen)),
      found.length ? null : h("li", { class: "empty" }, t("noTemplates")));
  };
  search.addEventListener("input", draw);
  leadInto(search, list, "li");
  draw();
  const detail = h("div", { class: "detail" });
  outlet.append(h("div", { class: chosen ? "split has-detail" : "split" },
    h("aside", { class: "list", "aria-label": t("templates") }, h("h1", { class: chosen ? "wide-only" : "" }, t("templates")), search, list),
    detail));
  if (name && !chosen) {
    detail.append(h("p", { class: "empty" }, t("noSuchTemplate", { name })));
    return {};
  }
  if (!chosen) {
    detail.append(h("p", { class: "empty wide-only" }, t("chooseTemplate")));
    return {};
  }
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  return { title: name, ...templatePane(detail, chosen, query) };
}

function entry(template, isChosen) {
  const badges = counts(template.findings);
  return h("li", {}, h("a", { href: address(["templates", template.name]), "aria-current": isChosen ? "true" : null },
    h("span", { class: "row-title" }, h("bdi", {}, template.name)),
    template.description ? h("span", { class: "row-text" }, h("bdi", {}, template.description)) : null,
    h("span", { class: "badges" }, marks(template), badges.some(Boolean) ? badges : severityBadge("ok", t("noFindings")))));
}
