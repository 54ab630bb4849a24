// The emulator's faults in `dragoman dev`, as a form, and how often it gave which answer.
import { call } from "../app/api.js";
import { repeat } from "../app/live.js";
import { failureText, say } from "../app/shell.js";
import { choice, field, fill, h, redraw } from "../parts/dom.js";
import { number, t } from "../texts/texts.js";

const everyMs = 2000;
const codes = ["UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "THIRD_PARTY_AUTH_ERROR"];

function controlsOf() {
  const text = placeholder => h("input", { dir: "ltr", autocomplete: "off", spellcheck: "false", placeholder });
  const count = (placeholder, step) => h("input", { type: "number", min: 0, step, dir: "ltr", placeholder });
  return {
    token: text("bad-*"), topic: text("news"), error_code: choice([["", "—"], ...codes.map(code => [code, code])], ""),
    status: count("503"), retry_after: text("2"), latency: text("200ms"), times: count("∞"), probability: count("1", "any"),
    close: choice([["", "—"], ["true", "true"]], ""), body: text("{}"),
  };
}

const numbers = new Set(["status", "times", "probability"]);

/// `element`, and `close()`.
export function faultsPane() {
  let rules = [];
  const controls = controlsOf();
  const boxes = Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, field(h("code", {}, name), control)]));
  const list = h("ol", { class: "faults" });
  const answers = h("p", { class: "badges" });

  const draw = () => fill(list, rules.map((rule, index) => h("li", {},
    h("code", {}, Object.entries(rule).map(([name, value]) => `${name}: ${value}`).join(" · ")),
    h("button", { type: "button", class: "plain", "aria-label": `${t("remove")}: ${JSON.stringify(rule)}`, onclick: () => replace(rules.filter((_, other) => other !== index)) }, "×"))),
  rules.length ? null : h("li", { class: "soft" }, t("noFaults")));
  const replace = async fresh => {
    report([]);
    say("");
    try {
      ({ rules } = await call("PUT", "/dev/faults", { rules: fresh }));
      draw();
      return true;
    } catch (error) {
      const problems = (error.answer?.error?.details ?? []).flatMap(detail => detail.fieldViolations ?? []);
      if (!report(problems)) say(error.answer?.error?.message ?? failureText(error));
      return false;
    }
  };
  /// Shows what is wrong with the added rule at its fields; whether any is.
  const report = problems => {
    const found = Object.fromEntries(problems.map(({ field: place, description }) => [place.split(".").at(-1), description]));
    for (const [name, box] of Object.entries(boxes)) box.report(found[name]);
    return Object.keys(found).some(name => boxes[name]);
  };
  const add = async event => {
    event.preventDefault();
    const rule = {};
    for (const [name, { value }] of Object.entries(controls)) {
      if (value !== "") rule[name] = numbers.has(name) ? Number(value) : name === "close" ? true : value;
    }
    if (await replace([...rules, rule])) for (const control of Object.values(controls)) control.value = "";
  };
  const load = async () => {
    const [now, stats] = await Promise.all([call("GET", "/dev/faults"), call("GET", "/dev/stats")]);
    if (JSON.stringify(now.rules) !== JSON.stringify(rules) || !list.childElementCount) {
      ({ rules } = now);
      draw();
    }
    redraw(answers, h("p", { class: "badges" }, Object.entries(stats.answers ?? {}).map(([name, n]) =>
      h("span", { class: `badge ${name.startsWith("200") ? "good" : "bad"}` }, h("bdi", { dir: "ltr" }, `${name} × ${number(n)}`)))));
    return true;
  };
  const stop = repeat(load, everyMs);
  const element = h("aside", { class: "panel faults-pane", "aria-label": t("faults") }, h("h2", {}, t("faults")),
    h("p", { class: "soft" }, t("faultsIntro")), list,
    h("form", { onsubmit: add }, h("div", { class: "fields" }, Object.values(boxes)), h("div", { class: "buttons" }, h("button", { class: "primary" }, t("addFault")))),
    h("h2", {}, t("answers")), answers);
  return { element, close: stop };
}
