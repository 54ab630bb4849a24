// Sends a test and follows it: states, attempts and answers as they happen. Beside the form: the phones that it reaches.
import { call, idempotencyKey } from "../app/api.js";
import { follow } from "../app/live.js";
import { say, sayFailure } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { languageTopics, may, namedApp, templates } from "../app/session.js";
import { confirmed } from "../parts/dialog.js";
import { choice, debounced, field, fill, h } from "../parts/dom.js";
import { highlighted } from "../parts/json.js";
import { argsOf, examples, paramForm, parsedArgs } from "../parts/params.js";
import { t } from "../texts/texts.js";
import { notificationPane } from "./notification.js";
import { phonesBeside } from "./phones.js";
import { controlsOf, namesFor } from "./request.js";

const typingMs = 120;
const kinds = ["token", "fid", "topic", "condition"];
/// A Live Activity is on one phone.
const activityKinds = ["token", "fid"];
/// The last request that got no answer, `{text, key}`: sent again with its key, it is accepted once.
let unanswered = null;

/// Sends the request, with the key of the last one if that was the same and got no answer.
async function post(body) {
  const text = JSON.stringify(body);
  if (unanswered?.text !== text) unanswered = { text, key: idempotencyKey() };
  try {
    const answer = await call("POST", "/v1/notifications", body, { headers: { "Idempotency-Key": unanswered.key } });
    unanswered = null;
    return answer;
  } catch (error) {
    const isRefused = error.status >= 400 && error.status < 500 && error.type !== "/problems/idempotency-conflict";
    if (isRefused) unanswered = null;
    throw error;
  }
}

export async function show(outlet, { query }) {
  const all = may("preview") ? await templates() : [];
  const result = h("section", { "aria-label": t("result"), "aria-live": "polite" });
  let stop = () => {};
  let form;
  let template;
  const values = {};
  const paramBox = h("div", {});
  const phonesLink = h("a", {}, t("phones"));
  const phones = all.length ? phonesBeside(query) : null;
  const name = all.length
    ? choice(all.map(each => [each.name, each.name]), query.get("template") ?? all[0].name, () => choose(true))
    : h("input", { required: true, value: query.get("template") ?? "", dir: "ltr" });
  const kind = h("select", {});
  const known = languageTopics();
  const to = h("input", { required: true, dir: "auto", value: query.get("to") ?? "", autocomplete: "off", spellcheck: "false" });
  const offered = h("datalist", { id: "topics" }, Object.keys(known).map(each => h("option", { value: each })));
  /// The target if it is a topic by language.
  const topic = () => (kind.value === "topic" && Object.hasOwn(known, to.value.trim()) ? to.value.trim() : null);
  const raw = h("textarea", { rows: 5, dir: "ltr", spellcheck: "false", value: "{}" });
  const validate = h("input", { type: "checkbox" });
  const controls = controlsOf(query);
  const boxes = { template: field(t("template"), name), to: field(t("target"), to),
    ...Object.fromEntries(Object.entries(controls).map(([key, { element }]) => [key, field(h("code", {}, key.split(".").at(-1)), element)])) };
  const rawBox = field(t("args"), raw, { wide: true });
  const fieldsOf = fits => h("div", { class: "fields" }, Object.keys(controls).filter(fits).map(key => boxes[key]));
  const isOfActivity = key => key.startsWith("live_activity.");
  const optionBox = fieldsOf(key => !isOfActivity(key));
  const activityType = h("code", {});
  const activityBox = h("fieldset", {}, h("legend", {}, t("liveActivity"), " ", activityType), fieldsOf(isOfActivity));
  const more = h("details", {}, h("summary", {}, t("options")), optionBox);

  const drawPhones = debounced(() => phones?.draw(template, argsOf(template.params, values), controls, topic()), typingMs);

  /// The fields that fit the template, and the event of its Live Activity.
  const arrange = () => {
    const isActivity = Boolean(template?.live_activity);
    const names = namesFor(controls, template, controls["live_activity.event"].element.value);
    const chosen = kind.value || query.get("kind") || "token";
    const allowed = isActivity ? activityKinds : kinds;
    fill(kind, allowed.map(each => h("option", {}, each)));
    kind.value = allowed.includes(chosen) ? chosen : "token";
    for (const [key, { element }] of Object.entries(controls)) {
      element.required = (isActivity && key === "live_activity.token") || (key === "recipient.locale" && template?.render === "gateway");
    }
    for (const key of Object.keys(controls)) boxes[key].hidden = !names.includes(key);
    if (kind.value === "topic") to.setAttribute("list", offered.id); else to.removeAttribute("list");
    activityBox.hidden = !names.some(isOfActivity);
    activityType.textContent = template?.live_activity?.attributes_type ?? "";
    if (names.some(key => !isOfActivity(key) && (controls[key].element.required || controls[key].element.value))) more.open = true;
    phonesLink.href = address(["templates", name.value]);
    phonesLink.hidden = !all.length;
  };

  const choose = isNew => {
    template = all.find(each => each.name === name.value);
    for (const key of Object.keys(values)) delete values[key];
    Object.assign(values, template ? examples(template.params) : {});
    if (!isNew) for (const key of Object.keys(values)) if (query.has(`arg.${key}`)) values[key] = query.get(`arg.${key}`);
    if (isNew) amend({ template: name.value });
    form = template ? paramForm(template.params, values, drawPhones) : null;
    fill(paramBox, form ?? rawBox);
    arrange();
    if (template) drawPhones();
  };

  /// The request; throws a SyntaxError or RangeError that names the field whose text is unusable.
  const request = () => {
    const app = namedApp();
    const body = { template: name.value, ...(app ? { app } : {}), to: { [kind.value]: to.value.trim() } };
    body.args = read(rawBox, () => (template ? argsOf(template.params, values) : parsedArgs(raw.value)));
    for (const key of namesFor(controls, template, controls["live_activity.event"].element.value)) {
      const { element, value } = controls[key];
      const [outer, inner] = key.split(".");
      if (!element.value) continue;
      const made = read(boxes[key], () => value(element.value.trim()));
      if (inner) body[outer] = { ...body[outer], [inner]: made }; else body[key] = made;
    }
    // Without a catalog to look at, a request is for a Live Activity if it names one.
    if (!template && !body.live_activity?.token) delete body.live_activity;
    if (validate.checked) body.validate_only = true;
    return body;
  };

  const button = h("button", { class: "primary", onclick: event => {
    // The second click of a double click, which may come after the answer to the first.
    if (event.detail > 1) event.preventDefault();
  } }, t("send"));
  const submit = async event => {
    event.preventDefault();
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    try { await send(); } finally { button.ariaDisabled = null; }
  };
  const send = async () => {
    stop();
    say("");
    report([]);
    let body;
    try { body = request(); } catch { return; }
    const reachesMany = !body.validate_only && (kind.value === "topic" || kind.value === "condition");
    if (reachesMany && !await confirmed(t("send"), t("sendToMany", { target: to.value }), t("send"))) return;
    try {
      const answer = await post(body);
      if (body.validate_only) return showValidation(answer);
      showNotification(answer);
    } catch (error) {
      report(error.errors ?? []);
      const isUnknown = !error.status || error.type === "/problems/outcome-unknown";
      if (isUnknown && !body.validate_only) say(t("noAnswer")); else sayFailure(error);
    }
  };
  const report = errors => {
    form?.report(errors);
    const keyOf = ({ pointer }) => {
      const key = pointer.slice(1).replaceAll("/", ".");
      return boxes[key] ? key : key.split(".")[0];
    };
    for (const [key, box] of Object.entries(boxes)) box.report(errors.find(each => keyOf(each) === key)?.detail);
    if (!form) rawBox.report(errors.find(each => each.pointer.startsWith("/args"))?.detail);
    if (errors.some(each => optionBox.contains(boxes[keyOf(each)]))) more.open = true;
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

  for (const each of [kind, to]) each.addEventListener("input", () => { arrange(); if (template) drawPhones(); });
  for (const key of ["live_activity.event", "recipient.locale", "recipient.app_version", "recipient.time_zone", "render"]) {
    controls[key].element.addEventListener("input", () => { arrange(); if (template) drawPhones(); });
  }
  choose(false);
  outlet.append(h("h1", {}, t("sendTest")), h("div", { class: phones ? "with-phones" : "" },
    h("div", {}, h("form", { class: "panel", onsubmit: submit },
      h("div", { class: "fields" }, boxes.template, field(t("targetKind"), kind), boxes.to, offered),
      paramBox, activityBox, more,
      h("div", { class: "buttons" }, button, h("label", { class: "check" }, validate, t("validateOnly")), phonesLink)), result),
    phones?.element));
  return { title: t("sendTest"), close: () => { stop(); phones?.close(); } };
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
