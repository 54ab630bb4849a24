// One template: its params as a form, and what they lead to, as phones, as a message, as findings.
import { failureText, say } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { may } from "../app/session.js";
import { choice, debounced, field, fill, h } from "../parts/dom.js";
import { grouped, groupItem } from "../parts/explanation.js";
import { counts } from "../parts/findings.js";
import { argsOf, exampleArgs, examples, paramForm } from "../parts/params.js";
import { activityOf, previews } from "../parts/previews.js";
import { tabList } from "../parts/tabs.js";
import { t } from "../texts/texts.js";
import { messagePane } from "./message.js";
import { phoneWall } from "./wall.js";

const typingMs = 120;
const renders = ["auto", "device", "gateway"];

/// Draws the template into `outlet`; `refresh` previews again, `close` ends what is under way.
export function templatePane(outlet, template, query) {
  const values = examples(template.params);
  for (const name of Object.keys(values)) if (query.has(`arg.${name}`)) values[name] = query.get(`arg.${name}`);
  const recipient = { app_version: query.get("app_version") ?? "", render: query.get("render") ?? "" };
  const questions = previews();
  const wall = phoneWall(query, template.name, () => preview());
  const message = messagePane(template, () => argsOf(template.params, values), () => recipient);
  const panes = { phones: wall.element, message: message.element, findings: findingsPane(template) };
  let tab = panes[query.get("tab")] ? query.get("tab") : "phones";
  let answer = null;
  /// Draws the tab in sight; the others are drawn once they are shown.
  const paint = () => {
    if (!answer) return;
    if (tab === "phones") wall.draw(answer.previews, activityOf(template, answer));
    if (tab === "message") message.draw(answer);
  };
  const panel = h("div", { id: "panel", role: "tabpanel", "aria-label": t("result"), tabindex: "-1" });

  const preview = async () => {
    try {
      const chosen = Object.entries(recipient).filter(([, text]) => text);
      const args = argsOf(template.params, values);
      // Of the gateway's own example, a phone's verdict is that of the matrix: the worst of all args.
      const question = JSON.stringify(args) === JSON.stringify(exampleArgs(template.params)) ? {} : { args };
      const fresh = await questions.ask(template.name, { ...question, ...Object.fromEntries(chosen), ...wall.question() });
      if (!fresh) return;
      answer = fresh;
      say("");
      report([]);
      panel.classList.remove("outdated");
      paint();
    } catch (error) {
      // What is on show belongs to other args.
      panel.classList.add("outdated");
      const errors = error.errors ?? [];
      report(errors);
      if (!answer) for (const pane of [wall, message]) pane.fail(failureText(error));
      const others = errors.filter(each => !each.pointer.startsWith("/args/") && !boxes[each.pointer.slice(1)]);
      if (!errors.length || others.length) say(failureText(error));
    }
  };
  const previewSoon = debounced(preview, typingMs);
  const argsInAddress = () => Object.fromEntries(Object.entries(values).map(([name, value]) => [`arg.${name}`, value]));
  const changed = () => {
    amend({ ...argsInAddress(), ...recipient });
    previewSoon();
    sendLink?.setAttribute("href", sendAddress());
  };
  const form = paramForm(template.params, values, changed);
  const take = (name, control) => {
    control.addEventListener("input", () => { recipient[name] = control.value.trim(); changed(); });
    return field(h("code", {}, name), control);
  };
  const boxes = {
    app_version: take("app_version", h("input", { value: recipient.app_version, dir: "ltr", autocomplete: "off", placeholder: Object.keys(template.releases?.android?.releases ?? {})[0] ?? "" })),
    render: take("render", choice([["", "—"], ...renders.map(name => [name, name])], recipient.render)),
  };
  const report = errors => {
    form.report(errors);
    for (const [name, box] of Object.entries(boxes)) box.report(errors.find(each => each.pointer === `/${name}`)?.detail);
  };
  const sendAddress = () => address(["send"], { template: template.name, ...argsInAddress() });
  const sendLink = may("send") ? h("a", { class: "button primary", href: sendAddress() }, t("sendTest")) : null;
  const fillIn = kind => h("button", { type: "button", onclick: () => form.set(examples(template.params, kind)) }, t(`example_${kind}`));
  const choose = name => {
    tab = name;
    amend({ tab: name === "phones" ? null : name });
    fill(panel, panes[name]);
    paint();
  };
  const tabs = tabList([["phones", t("phones")], ["message", t("message")],
    ["findings", `${t("findings")} (${template.findings.length})`]], tab, choose, t("result"), "panel");

  outlet.append(
    h("header", { class: "head-row" },
      h("div", {}, h("a", { class: "back narrow-only", href: address(["templates"]) }, t("templates")),
        h("h1", {}, h("bdi", {}, template.name)), h("p", { class: "soft", dir: "auto" }, template.description ?? "")),
      h("div", { class: "badges" }, marks(template), counts(template.findings), sendLink)),
    h("section", { class: "panel", "aria-label": t("params") }, form,
      h("div", { class: "buttons" }, Object.keys(values).length ? [h("span", { class: "soft" }, t("examples")), ["typical", "one", "longest", "rtl"].map(fillIn)]
        : h("span", { class: "soft" }, t("noParams"))),
      h("details", { open: Boolean(recipient.app_version || recipient.render) }, h("summary", {}, t("recipient")), h("div", { class: "fields" }, Object.values(boxes)))),
    tabs, panel);
  fill(panel, panes[tab]);
  preview();
  return { refresh: preview, close: questions.stop };
}

/// What sets a template apart: who makes its texts, and that it is for Live Activities.
export function marks(template) {
  return [template.live_activity ? h("span", { class: "badge info" }, t("liveActivity")) : null,
    template.render ? h("code", { class: "badge info" }, `render: ${template.render}`) : null];
}

function findingsPane(template) {
  const groups = grouped(template.findings);
  if (!groups.length) return h("p", { class: "empty" }, t("noFindings"));
  return h("ul", { class: "findings" }, groups.map(group => groupItem(group,
    locale => address(["templates", template.name], { locale }), [])));
}
