// One template: its params as a form, and what they lead to, as phones, as a message, as findings.
import { call } from "../app/api.js";
import { say } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { may, namedApp } from "../app/session.js";
import { debounced, fill, h } from "../parts/dom.js";
import { counts, grouped, groupItem } from "../parts/findings.js";
import { argsOf, examples, paramForm } from "../parts/params.js";
import { tabList } from "../parts/tabs.js";
import { t } from "../texts/texts.js";
import { messagePane } from "./message.js";
import { phoneWall } from "./wall.js";

const typingMs = 120;

/// Draws the template into `outlet`; `refresh` previews again, `close` ends what is under way.
export function templatePane(outlet, template, query) {
  const values = examples(template.params);
  for (const name of Object.keys(values)) if (query.has(`arg.${name}`)) values[name] = query.get(`arg.${name}`);
  let request = null;
  let answer = null;
  const wall = phoneWall(query);
  const message = messagePane(template, () => argsOf(template.params, values));
  const panes = { phones: wall.element, message: message.element, findings: findingsPane(template) };
  const panel = h("div", { id: "panel", role: "tabpanel", "aria-label": t("result"), tabindex: "-1" });

  const preview = async () => {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    const app = namedApp();
    const path = `/v1/templates/${encodeURIComponent(template.name)}/preview`;
    const body = { args: argsOf(template.params, values), ...(app ? { app } : {}) };
    try {
      answer = await call("POST", path, body, { signal });
      if (signal.aborted) return;
      say("");
      form.report([]);
      panel.classList.remove("outdated");
      wall.draw(answer.previews);
      message.draw(answer);
    } catch (error) {
      if (signal.aborted) return;
      // What is on show belongs to other args.
      panel.classList.add("outdated");
      form.report(error.errors ?? []);
      const others = (error.errors ?? []).filter(each => !each.pointer.startsWith("/args/"));
      if (!error.errors?.length || others.length) say(error.status ? error.message : t("notLoaded"));
    }
  };
  const previewSoon = debounced(preview, typingMs);
  const changed = () => {
    amend(Object.fromEntries(Object.entries(values).map(([name, value]) => [`arg.${name}`, value])));
    previewSoon();
    sendLink?.setAttribute("href", sendAddress());
  };
  const form = paramForm(template.params, values, changed);
  const sendAddress = () => address(["send"], {
    template: template.name, ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`arg.${name}`, value])),
  });
  const sendLink = may("send") ? h("a", { class: "button primary", href: sendAddress() }, t("sendTest")) : null;
  const fillIn = kind => h("button", { type: "button", onclick: () => form.set(examples(template.params, kind)) }, t(`example_${kind}`));
  const tab = panes[query.get("tab")] ? query.get("tab") : "phones";
  const choose = name => { amend({ tab: name === "phones" ? null : name }); fill(panel, panes[name]); };
  const tabs = tabList([["phones", t("phones")], ["message", t("message")],
    ["findings", `${t("findings")} (${template.findings.length})`]], tab, choose, t("result"), "panel");

  outlet.append(
    h("header", { class: "head-row" },
      h("div", {}, h("a", { class: "back narrow-only", href: address(["templates"]) }, t("templates")),
        h("h1", {}, h("bdi", {}, template.name)), h("p", { class: "soft", dir: "auto" }, template.description ?? "")),
      h("div", { class: "badges" }, counts(template.findings), sendLink)),
    h("section", { class: "panel", "aria-label": t("params") }, form,
      Object.keys(values).length ? h("div", { class: "buttons" }, h("span", { class: "soft" }, t("examples")),
        ["typical", "one", "longest", "rtl"].map(fillIn)) : h("p", { class: "soft" }, t("noParams"))),
    tabs, panel);
  fill(panel, panes[tab]);
  preview();
  return { refresh: preview, close: () => request?.abort() };
}

function findingsPane(template) {
  const groups = grouped(template.findings);
  if (!groups.length) return h("p", { class: "empty" }, t("noFindings"));
  return h("ul", { class: "findings" }, groups.map(group => groupItem(group,
    locale => address(["templates", template.name], { locale }), [])));
}
