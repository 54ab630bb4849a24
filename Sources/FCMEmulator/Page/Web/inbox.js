// The messages that have arrived, newest first. Those that are shown stay as they are while others come.
import { ask, byId, element, repeat, say } from "./parts.js";

const shownMax = 200;
const shown = new Map();
const list = byId("messages");
let isPaused = false;

/** A field in either of the spellings that FCM accepts: title_loc_key and titleLocKey. */
function field(object, name) {
  const camel = name.replace(/[_-]([a-z])/g, (_, letter) => letter.toUpperCase());
  return object?.[name] ?? object?.[camel];
}

function target(message) {
  for (const name of ["token", "fid", "topic", "condition"]) {
    if (message[name] !== undefined) return { name, value: String(message[name]) };
  }
  return { name: "target", value: "none" };
}

/** One line of text of a platform: a literal, or a key with its args. */
function line(literal, key, args) {
  if (literal !== undefined) return element("span", {}, String(literal));
  if (key === undefined) return null;
  const parts = Array.isArray(args) && args.length ? ` (${args.join(", ")})` : "";
  return element("span", {}, element("code", {}, String(key)), parts);
}

function texts(message) {
  const rows = [];
  const android = field(message, "android")?.notification
    ?? field(field(message, "android_v2"), "remote_notification")?.notification;
  const alert = message.apns?.payload?.aps?.alert;
  const add = (platform, ...lines) => {
    const filled = lines.filter((one) => one !== null);
    if (!filled.length) return;
    rows.push(element("dt", {}, platform), element("dd", {}, ...filled.flatMap((one) => [one, element("br")])));
  };
  add("All", line(message.notification?.title), line(message.notification?.body));
  add("Android",
    line(android?.title, field(android, "title_loc_key"), field(android, "title_loc_args")),
    line(android?.body, field(android, "body_loc_key"), field(android, "body_loc_args")));
  if (typeof alert === "string") add("iOS", line(alert));
  else {
    // The alert of a Live Activity has an object with a key where others have two members.
    const own = (name) => {
      const value = alert?.[name];
      return typeof value === "object" && value ? line(undefined, value["loc-key"], value["loc-args"]) : line(value);
    };
    add("iOS",
      line(undefined, alert?.["title-loc-key"], alert?.["title-loc-args"]) ?? own("title"),
      line(undefined, alert?.["subtitle-loc-key"], alert?.["subtitle-loc-args"]) ?? own("subtitle"),
      line(undefined, alert?.["loc-key"], alert?.["loc-args"]) ?? own("body"));
  }
  const web = message.webpush?.notification;
  add("Web", line(web?.title), line(web?.body));
  return rows.length ? element("dl", {}, ...rows) : element("p", { className: "soft" }, "No texts: a data message.");
}

function item(entry) {
  const to = target(entry.message);
  const at = new Date(entry.received_at);
  const code = JSON.stringify(entry.message, null, 2);
  const copy = element("button", { type: "button", onclick: () => copied(code) }, "Copy");
  return element("li", {},
    element("div", { className: "head" },
      element("span", { className: "to" }, element("span", { className: "soft" }, `${to.name} `), to.value),
      element("time", { dateTime: entry.received_at, title: entry.received_at }, at.toLocaleTimeString())),
    texts(entry.message),
    element("details", {},
      element("summary", {}, "Message as JSON"),
      element("p", { className: "soft" }, entry.name, " ", copy),
      element("pre", { tabIndex: 0, "aria-label": "The message" }, code)));
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow copying here.", true);
  }
}

async function refresh() {
  if (isPaused) return;
  const query = new URLSearchParams({ limit: String(shownMax) });
  for (const name of ["token", "topic"]) if (byId(name).value) query.set(name, byId(name).value);
  const { count, messages } = await ask(`/inbox?${query}`);
  byId("count").textContent = String(count);
  byId("nothing").hidden = messages.length > 0;
  const names = new Set(messages.map((entry) => entry.name));
  for (const [name, one] of shown) {
    if (!names.has(name)) { one.remove(); shown.delete(name); }
  }
  // Oldest first, so that each new one is put before those that are there.
  for (const entry of messages.toReversed()) {
    if (shown.has(entry.name)) continue;
    const made = item(entry);
    shown.set(entry.name, made);
    list.prepend(made);
  }
}

const now = repeat(refresh);
for (const name of ["token", "topic"]) {
  byId(name).addEventListener("input", () => {
    for (const one of shown.values()) one.remove();
    shown.clear();
    now();
  });
}
byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  byId("pause").textContent = isPaused ? "Go on" : "Pause";
  now();
});
byId("empty").addEventListener("click", async () => {
  try {
    await ask("/inbox", { method: "DELETE" });
    say("The inbox is empty.");
    await refresh();
  } catch (error) { say(error.message, true); }
});
