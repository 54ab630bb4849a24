// The rules that make the emulator answer with errors, and how often each answer was given.
import { ask, byId, element, repeat, say } from "./parts.js";

const answers = [
  ["Unregistered: the app was uninstalled", { error_code: "UNREGISTERED" }],
  ["Invalid argument", { error_code: "INVALID_ARGUMENT" }],
  ["Sender id mismatch", { error_code: "SENDER_ID_MISMATCH" }],
  ["Quota exceeded, try again after 5 s", { error_code: "QUOTA_EXCEEDED", retry_after: "5" }],
  ["Unavailable, try again after 2 s", { error_code: "UNAVAILABLE", retry_after: "2" }],
  ["Internal error", { error_code: "INTERNAL" }],
  ["APNs or web push credentials refused", { error_code: "THIRD_PARTY_AUTH_ERROR" }],
  ["Accepted, but only after 2 s", { latency: "2s" }],
  ["Connection closed without an answer", { close: true }],
];
byId("rule-answer").append(...answers.map(([name], index) => element("option", { value: String(index) }, name)));

let rules = [];
let drawn = "";

function describe(rule) {
  const scope = [rule.token && `token ${rule.token}`, rule.topic && `topic ${rule.topic}`].filter(Boolean);
  const answer = [
    rule.latency && `after ${rule.latency}`, rule.close && "the connection is closed", rule.status,
    rule.error_code, rule.retry_after && `Retry-After ${rule.retry_after}`, rule.body && "its own body",
    rule.probability !== undefined && `with probability ${rule.probability}`,
    rule.times !== undefined && `${rule.times} more ${rule.times === 1 ? "time" : "times"}`,
  ].filter(Boolean);
  return `${scope.join(" and ") || "every message"}: ${answer.join(", ") || "accepted"}`;
}

function draw() {
  const text = JSON.stringify({ rules }, null, 2);
  if (text === drawn) return;
  drawn = text;
  byId("no-rules").hidden = rules.length > 0;
  byId("rules").replaceChildren(...rules.map((rule, index) => {
    const words = describe(rule);
    const remove = () => replace(rules.filter((_, other) => other !== index), "The rule is removed.");
    return element("li", {}, element("span", {}, words),
      element("button", { type: "button", "aria-label": `Remove the rule for ${words}`, onclick: remove }, "Remove"));
  }));
  // What somebody is typing is left alone.
  if (document.activeElement !== byId("json")) byId("json").value = text;
}

/** Replaces all rules; returns whether the emulator took them. */
async function replace(fresh, done, onError = (message) => say(message, true)) {
  try {
    const body = typeof fresh === "string" ? fresh : JSON.stringify({ rules: fresh });
    const answer = await ask("/faults", { method: "PUT", headers: { "Content-Type": "application/json" }, body });
    rules = answer.rules;
    draw();
    say(done);
    return true;
  } catch (error) {
    onError(error.message);
    return false;
  }
}

byId("add").addEventListener("submit", async (event) => {
  event.preventDefault();
  const rule = {};
  if (byId("rule-token").value) rule.token = byId("rule-token").value;
  if (byId("rule-topic").value) rule.topic = byId("rule-topic").value;
  Object.assign(rule, answers[Number(byId("rule-answer").value)][1]);
  if (byId("rule-times").value) rule.times = Number(byId("rule-times").value);
  if (await replace([...rules, rule], "The rule is added.")) {
    for (const id of ["rule-token", "rule-topic", "rule-times"]) byId(id).value = "";
  }
});

byId("whole").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("json-error").textContent = "";
  const isTaken = await replace(byId("json").value, "The rules are replaced.", (message) => {
    byId("json-error").textContent = message;
  });
  byId("json").setAttribute("aria-invalid", String(!isTaken));
});

repeat(async () => {
  rules = (await ask("/faults")).rules;
  draw();
  const stats = await ask("/stats");
  const rows = Object.entries(stats.answers ?? {}).sort((one, other) => other[1] - one[1]);
  byId("stats").replaceChildren(...rows.map(([name, count]) => element("tr", {},
    element("th", { scope: "row" }, name), element("td", {}, String(count)))));
});
