// Sends a test and follows it: states, attempts and answers as they happen.
import { call, idempotencyKey } from "../app/api.js";
import { follow } from "../app/live.js";
import { say } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { may, namedApp, templates } from "../app/session.js";
import { confirmed } from "../parts/dialog.js";
import { choice, field, fill, h } from "../parts/dom.js";
import { highlighted } from "../parts/json.js";
import { argsOf, examples, paramForm } from "../parts/params.js";
import { t } from "../texts/texts.js";
import { notificationPane } from "./notification.js";

const kinds = ["token", "fid", "topic", "condition"];

/// The names of the request's further fields, and how their text becomes a value.
const options = { ttl: String, priority: String, collapse_key: String, analytics_label: String,
  send_at: text => new Date(text).toISOString(), data: JSON.parse };

export async function show(outlet, { query }) {
  const all = may("preview") ? await templates() : [];
  const result = h("section", { "aria-label": t("result"), "aria-live": "polite" });
  let stop = () => {};
  let form;
  let params = null;
  const values = {};
  const paramBox = h("div", {});
  const name = all.length
    ? choice(all.map(template => [template.name, template.name]), query.get("template") ?? all[0].name, () => choose(true))
    : h("input", { required: true, value: query.get("template") ?? "", dir: "ltr" });
  const kind = choice(kinds.map(each => [each, each]), query.get("kind") ?? "token");
  const to = h("input", { required: true, dir: "auto", value: query.get("to") ?? "", autocomplete: "off", spellcheck: "false" });
  const raw = h("textarea", { rows: 5, dir: "ltr", spellcheck: "false", value: "{}" });
  const validate = h("input", { type: "checkbox" });
  const controls = {
    ttl: h("input", { placeholder: "3600s", dir: "ltr" }), priority: choice([["", "—"], ["high", "high"], ["normal", "normal"]], ""),
    collapse_key: h("input", { dir: "ltr" }), analytics_label: h("input", { dir: "ltr" }),
    send_at: h("input", { type: "datetime-local" }), data: h("textarea", { rows: 3, dir: "ltr", placeholder: '{"thread": "42"}' }),
  };
  const boxes = {
    template: field(t("template"), name), to: field(t("target"), to),
    ...Object.fromEntries(Object.entries(controls).map(([key, control]) => [key, field(h("code", {}, key), control)])),
  };
  const rawBox = field(t("args"), raw, { wide: true });

  const choose = isNew => {
    const template = all.find(each => each.name === name.value);
    params = template?.params ?? null;
    for (const key of Object.keys(values)) delete values[key];
    Object.assign(values, params ? examples(params) : {});
    if (!isNew) for (const key of Object.keys(values)) if (query.has(`arg.${key}`)) values[key] = query.get(`arg.${key}`);
    if (isNew) amend({ template: name.value });
    form = params ? paramForm(params, values, () => {}) : null;
    fill(paramBox, form ?? rawBox);
  };

  /// The request; throws a SyntaxError or RangeError that names the field whose text is unusable.
  const request = () => {
    const app = namedApp();
    const body = { template: name.value, ...(app ? { app } : {}), to: { [kind.value]: to.value.trim() } };
    body.args = read(rawBox, () => (params ? argsOf(params, values) : JSON.parse(raw.value)));
    for (const [key, control] of Object.entries(controls)) {
      if (control.value) body[key] = read(boxes[key], () => options[key](control.value));
    }
    if (validate.checked) body.validate_only = true;
    return body;
  };

  const submit = async event => {
    event.preventDefault();
    stop();
    say("");
    report([]);
    let body;
    try { body = request(); } catch { return; }
    const reachesMany = !body.validate_only && (kind.value === "topic" || kind.value === "condition");
    if (reachesMany && !await confirmed(t("send"), t("sendToMany", { target: to.value }), t("send"))) return;
    try {
      const answer = await call("POST", "/v1/notifications", body, { headers: { "Idempotency-Key": idempotencyKey() } });
      if (body.validate_only) return showValidation(answer);
      showNotification(answer);
    } catch (error) {
      report(error.errors ?? []);
      say(error.message);
    }
  };
  const report = errors => {
    form?.report(errors);
    for (const [key, box] of Object.entries(boxes)) box.report(errors.find(each => each.pointer.split("/")[1] === key)?.detail);
    if (!form) rawBox.report(errors.find(each => each.pointer.startsWith("/args"))?.detail);
  };
  const showValidation = answer => fill(result, h("h2", {}, t(answer.valid ? "valid" : "invalid")), answer.deliveries.map(delivery =>
    h("div", {}, delivery.error ? h("p", { class: "badge bad" }, `${delivery.error.code}: ${delivery.error.message}`) : null,
      highlighted(delivery.message, t("message")))));
  const showNotification = notification => {
    const pane = notificationPane({ hasLink: may("read") });
    fill(result, pane.element);
    pane.draw(notification);
    result.scrollIntoView({ block: "nearest" });
    stop = may("read") ? follow(notification.id, pane.draw, pane.attempt) : () => {};
  };

  choose(false);
  outlet.append(h("h1", {}, t("sendTest")), h("form", { class: "panel", onsubmit: submit },
    h("div", { class: "fields" }, boxes.template, field(t("targetKind"), kind), boxes.to),
    paramBox,
    h("details", {}, h("summary", {}, t("options")), h("div", { class: "fields" }, Object.keys(controls).map(key => boxes[key]))),
    h("div", { class: "buttons" }, h("button", { class: "primary" }, t("send")), h("label", { class: "check" }, validate, t("validateOnly")),
      all.length ? h("a", { href: address(["templates", name.value]) }, t("phones")) : null)), result);
  return { title: t("sendTest"), close: () => stop() };
}

/// The value of a field, or its mistake shown at it.
function read(box, make) {
  try {
    return make();
  } catch (error) {
    box.report(error.message);
    throw error;
  }
}
