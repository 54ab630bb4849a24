// What the list of notifications is narrowed to, as the page's address keeps it and as the API asks for it.
import { may, templates } from "../app/session.js";
import { choice, debounced, field, h } from "../parts/dom.js";
import { codes, states } from "../parts/status.js";
import { t } from "../texts/texts.js";

const hoursOf = { "1h": 1, "24h": 24, "7d": 168 };
const typingMs = 250;

/// `element`; `changed()` is called when a filter has changed. `inAddress()` are the filters by their names there, and `asked()`
/// those of the API, where a span ends now.
export function filterBar(query, changed) {
  const soon = debounced(changed, typingMs);
  const text = placeholder => h("input", { dir: "ltr", autocomplete: "off", spellcheck: "false", placeholder, oninput: soon });
  const when = () => h("input", { type: "datetime-local", step: 1, onchange: changed });
  const pick = (none, options) => choice([["", t(none)], ...options], "", changed);
  const controls = {
    status: pick("allStates", [...states, "partial"].map(name => [name, t(name)])),
    span: pick("anyTime", [...Object.keys(hoursOf).map(name => [name, t(`last_${name}`)]), ["custom", t("customTime")]]),
    code: pick("allCodes", codes.map(code => [code, code])),
    template: text("new_message"), client: text("orders"), since: when(), until: when(),
  };
  const offerNames = async () => {
    const all = await templates();
    controls.template.setAttribute("list", "template-names");
    element.append(h("datalist", { id: "template-names" }, all.map(({ name }) => h("option", { value: name }))));
  };
  for (const [name, control] of Object.entries(controls)) control.value = query.get(name) ?? "";
  const label = { status: "state", span: "at", code: "errorCode", template: "template", client: "client", since: "from", until: "until" };
  const boxes = Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, field(t(label[name]), control)]));
  const inAddress = () => Object.fromEntries(Object.entries(controls).map(([name, { value }]) => [name, value.trim()]));
  const more = h("details", {}, h("summary", {}), h("div", { class: "fields" }, Object.entries(boxes).filter(([name]) => name !== "status").map(([, box]) => box)));
  const element = h("div", { class: "filters" }, boxes.status, more);
  const draw = () => {
    const isCustom = controls.span.value === "custom";
    for (const name of ["since", "until"]) {
      boxes[name].hidden = !isCustom;
      if (!isCustom) controls[name].value = "";
    }
    const count = ["span", "code", "template", "client"].filter(name => controls[name].value.trim()).length;
    more.firstChild.textContent = count ? `${t("filters")}: ${count}` : t("filters");
  };
  element.addEventListener("input", draw);
  draw();
  // Without the names, the field takes one all the same.
  if (may("preview")) offerNames().catch(() => {});
  more.open = ["span", "code", "template", "client"].some(name => query.get(name));
  return {
    element, inAddress,
    asked: () => {
      const { status, code, template, client, span, since, until } = inAddress();
      const hours = hoursOf[span];
      return { status, code, template, client, since: hours ? ago(hours) : moment(since), until: moment(until) };
    },
  };
}

/// A time some hours ago, as the API writes it.
export function ago(hours) { return new Date(Date.now() - hours * 3_600_000).toISOString(); }

/// What a field for a time holds, which is in the browser's time zone, as the API writes it; "" for none.
function moment(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
