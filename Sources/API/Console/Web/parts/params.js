// A template's params as a form, with examples to start from.
import { t } from "../texts/texts.js";
import { field, h } from "./dom.js";

const people = /name|sender|user|customer|friend|from|author|player|scorer|who/i;
const rightToLeftText = "דנה כהן";
const unit = "Wolfeschlegelsteinhausen ";

/// Example values of the params, as texts: "typical", "longest", "one" or "rtl".
export function examples(params, kind = "typical") {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, example(name, param, kind)]));
}

/// The args of a preview that is asked for without any.
export function exampleArgs(params) {
  return Object.fromEntries(Object.entries(params).filter(([, { example: value }]) => value !== undefined).map(([name, { example: value }]) => [name, value]));
}

function example(name, param, kind) {
  if (kind === "typical" && param.example !== undefined) return String(param.example);
  if (kind === "typical" && param.optional) return "";
  if (param.enum) return String(kind === "longest" ? longest(param.enum.map(String)) : param.enum[0]);
  switch (param.type) {
    case "integer": return String(within(param, { typical: 3, longest: param.max ?? 1_000_000, one: 1, rtl: 3 }[kind]));
    case "number": return String(within(param, { typical: 12.5, longest: param.max ?? 1_234_567.89, one: 1, rtl: 12.5 }[kind]));
    case "boolean": return "true";
    case "date": case "time": case "datetime": return String(param.example ?? "");
    default: return [...text(name, param, kind)].slice(0, param.max_length ?? Infinity).join("");
  }
}

function text(name, param, kind) {
  if (kind === "longest") return unit.repeat(40).slice(0, param.max_length ?? 120).trimEnd();
  if (kind === "rtl") return rightToLeftText;
  if (param.default) return String(param.default);
  if (people.test(name)) return name === "sender" ? "Bob" : "Alice";
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

function longest(texts) { return texts.reduce((a, b) => (b.length > a.length ? b : a)); }
function within({ min = -Infinity, max = Infinity }, value) { return Math.min(max, Math.max(min, value)); }

/// Numbers as JSON writes them. Another text, such as `0x10`, is sent as it is, and the gateway says what is wrong with it.
const digits = { integer: /^-?(0|[1-9]\d*)$/, number: /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i };

/// A number with all of its digits, which JavaScript's own do not hold; the text in a browser that cannot write them.
function exact(text) {
  return String(Number(text)) === text ? Number(text) : JSON.rawJSON?.(text) ?? text;
}

/// Args that are written as JSON.
export function parsedArgs(json) {
  return JSON.parse(json, (_, value, context) => (typeof value === "number" && context ? exact(context.source) : value));
}

/// What a request's `args` hold for the texts in the form; what is left empty is left out.
export function argsOf(params, values) {
  const args = {};
  for (const [name, param] of Object.entries(params)) {
    const text = values[name] ?? "";
    if (text === "" && (param.type !== "string" || param.default !== undefined || param.optional)) continue;
    args[name] = digits[param.type]?.test(text.trim()) ? exact(text.trim()) : param.type === "boolean" ? text === "true" : text;
  }
  return args;
}

function limits(param) {
  return [
    param.max_length ? t("lengthMax", { n: param.max_length }) : "",
    param.min !== undefined || param.max !== undefined ? `${param.min ?? "…"} – ${param.max ?? "…"}` : "",
    typeof param.format === "object" ? param.format.currency : param.format,
    param.default !== undefined && param.default !== "" ? t("defaultIs", { value: param.default }) : "",
  ].filter(Boolean).join(" · ");
}

/// The form; `values` holds the texts, and `changed()` is called after each change. Its `report(errors)` shows
/// the mistakes of an answer at the fields, by JSON Pointer.
export function paramForm(params, values, changed) {
  const fields = new Map();
  const form = h("div", { class: "fields" }, Object.entries(params).map(([name, param]) => {
    const control = input(param, values[name] ?? "");
    control.addEventListener("input", () => { values[name] = control.value; changed(); });
    const hint = [param.description, limits(param)].filter(Boolean).join(" · ");
    const box = field(h("span", {}, h("code", {}, name), " ", h("span", { class: "hint" }, param.type)), control,
      { hint, mark: param.required ? t("required") : null });
    fields.set(name, { box, control });
    return box;
  }));
  form.report = errors => {
    for (const [name, { box }] of fields) {
      box.report(errors.find(error => error.pointer === `/args/${name}` || error.pointer.startsWith(`/args/${name}/`))?.detail);
    }
  };
  form.set = all => {
    for (const [name, { control }] of fields) values[name] = control.value = all[name] ?? "";
    changed();
  };
  return form;
}

function input(param, value) {
  if (param.enum || param.type === "boolean") {
    const options = (param.enum ?? [true, false]).map(String);
    const select = h("select", {}, param.required ? null : h("option", { value: "" }, "—"), options.map(text => h("option", {}, text)));
    select.value = value;
    return select;
  }
  const isNumeric = param.type === "integer" || param.type === "number";
  return h("input", { value, dir: "auto", inputmode: isNumeric ? "decimal" : null, autocomplete: "off", required: param.required });
}
