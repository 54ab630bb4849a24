// swift-format-ignore-file
// Written by scripts/embed-console from console.html; change that and run it again.

extension Console {
  /// What console.html holds.
  static let text = ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Dragoman</title>
<style>
:root {
  --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --field: #f6f8fa; --accent: #0a5bb5;
  --good: #1a7f37; --bad: #b3261e; --warn: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3; --soft: #9da7b1; --line: #3a424b; --paper: #0f1419; --field: #1a2129; --accent: #6cb1ff;
    --good: #56d364; --bad: #ff8a80; --warn: #e3b341;
  }
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding-block: .75rem;
  border-bottom: 1px solid var(--line); }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
nav { display: flex; gap: .25rem; flex: 1; }
nav button[aria-selected=true] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
button, input, select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line);
  border-radius: .375rem; padding: .3rem .6rem; min-width: 0; }
button { cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
label { display: block; font-size: .85rem; color: var(--soft); }
label input, label select, label textarea { display: block; width: 100%; color: var(--ink); font-size: 1rem; }
form { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .6rem 1rem; align-items: end; }
form .row { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: .35rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
th { font-size: .8rem; color: var(--soft); font-weight: 600; }
.scroll { overflow-x: auto; }
.phones { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .75rem; }
.phone { border: 1px solid var(--line); border-radius: .75rem; padding: .6rem .8rem; background: var(--field); }
.phone .where { display: flex; justify-content: space-between; font-size: .8rem; color: var(--soft); }
.phone p { margin: .25rem 0; overflow-wrap: anywhere; }
.phone .title { font-weight: 600; }
.documented { font-size: .85rem; color: var(--soft); }
.badge { font-size: .8rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .soft { color: var(--soft); }
pre { background: var(--field); border: 1px solid var(--line); border-radius: .375rem; padding: .6rem; overflow: auto;
  max-height: 30rem; font-size: .85rem; }
#said:empty { display: none; }
#said { margin: 1rem 0; padding: .5rem .75rem; border: 1px solid currentColor; border-radius: .375rem; color: var(--bad);
  white-space: pre-wrap; }
#key { width: 11rem; }
#shown, #sent { margin-top: 1rem; }
</style>
</head>
<body>
<header>
  <h1>Dragoman</h1>
  <nav role="tablist">
    <button role="tab" data-tab="templates">Templates</button>
    <button role="tab" data-tab="notifications">Notifications</button>
    <button role="tab" data-tab="queue">Queue</button>
  </nav>
  <span id="ready" class="badge" role="status"></span>
  <label>API key <input id="key" type="password" autocomplete="off" placeholder="none on dev"></label>
</header>
<main>
  <div id="said" role="alert"></div>
  <section id="templates" hidden>
    <h2>What each phone will show</h2>
    <form id="preview">
      <label>Template <select id="template"></select></label>
      <label>Locales, all when empty <input id="locales" placeholder="fr de pt-BR"></label>
      <div id="params" class="row"></div>
      <div class="row">
        <button class="main">Preview</button>
        <span id="findings"></span>
      </div>
    </form>
    <div id="shown"></div>
    <h2>Send it</h2>
    <form id="send">
      <label>To <select id="kind"><option>token</option><option>fid</option><option>topic</option><option>condition</option></select></label>
      <label>Which <input id="target" required dir="auto"></label>
      <div class="row"><button class="main">Send</button><label><input id="validate" type="checkbox"> ask FCM only</label></div>
    </form>
    <div id="sent"></div>
  </section>
  <section id="notifications" hidden>
    <h2>Notifications, newest first</h2>
    <form id="filter">
      <label>Status <select id="status"><option value="">all</option></select></label>
      <label>Template <input id="which"></label>
      <div class="row"><button class="main">Show</button></div>
    </form>
    <div class="scroll"><table><thead><tr><th>Created</th><th>Template</th><th>Status</th><th>Deliveries</th><th></th></tr></thead>
      <tbody id="list"></tbody></table></div>
    <p><button id="more" hidden>More</button></p>
    <div id="one"></div>
  </section>
  <section id="queue" hidden>
    <h2>Deliveries that are kept</h2>
    <div class="scroll"><table><thead><tr id="states"></tr></thead><tbody id="stats"></tbody></table></div>
    <h2>Checks</h2>
    <div class="scroll"><table><tbody id="checks"></tbody></table></div>
  </section>
</main>
<script>
"use strict";
const $ = id => document.getElementById(id);
const states = ["scheduled", "queued", "sending", "sent", "failed", "expired", "cancelled"];
let templates = [], cursor = null;

// Everything that comes from outside is set as text, never as markup.
function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (className) element.className = className;
  return element;
}
function row(...cells) {
  const tr = make("tr");
  for (const cell of cells) {
    const td = make("td");
    td.append(cell instanceof Node ? cell : String(cell ?? ""));
    tr.append(td);
  }
  return tr;
}
function json(value) { return make("pre", JSON.stringify(value, null, 2)); }
function say(text) { $("said").textContent = text; }

async function call(method, path, body) {
  const headers = {};
  const key = $("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const value = await answer.json().catch(() => null);
  if (answer.ok || path === "/readyz") return value;
  const mistakes = (value?.errors ?? []).map(e => `\n${e.pointer || "/"}: ${e.detail}`).join("");
  throw new Error(`${value?.title ?? answer.status}: ${value?.detail ?? ""}${mistakes}`);
}
async function act(work) {
  say("");
  try { await work(); } catch (error) { say(error.message || String(error)); }
}

function statusClass(status) {
  return { sent: "good", ready: "good", ok: "good", failed: "bad", unready: "bad", expired: "bad" }[status] ?? "warn";
}
function status(text) { return make("span", text, `badge ${statusClass(text)}`); }

// Templates
async function loadTemplates() {
  templates = (await call("GET", "/v1/templates")).templates;
  $("template").replaceChildren(...templates.map(t => make("option", t.name)));
  chooseTemplate();
}
function chosen() { return templates.find(t => t.name === $("template").value); }
function chooseTemplate() {
  const template = chosen();
  $("params").replaceChildren(...Object.entries(template?.params ?? {}).map(([name, param]) => {
    const label = make("label", `${name} (${param.type})`);
    let field;
    if (param.enum || param.type === "boolean") {
      field = make("select");
      field.append(...(param.enum ?? [true, false]).map(v => make("option", String(v))));
    } else {
      field = make("input");
      field.type = param.type === "integer" ? "number" : "text";
      field.dir = "auto";
    }
    field.name = name;
    if (param.default !== undefined) field.value = param.default;
    label.append(field);
    return label;
  }));
  const findings = template?.findings ?? [];
  $("findings").replaceChildren(findings.length ? make("span", `${findings.length} findings`, "warn") : "");
  $("shown").replaceChildren();
}
function args() {
  const params = chosen()?.params ?? {};
  const values = {};
  for (const field of $("params").querySelectorAll("input, select")) {
    const { type } = params[field.name];
    if (field.value === "" && type !== "string") continue;
    if (field.value === "" && params[field.name].default !== undefined) continue;
    values[field.name] =
      type === "integer" ? Number(field.value) : type === "boolean" ? field.value === "true" : field.value;
  }
  return values;
}
function slot(slot, name) {
  if (slot.outcome === "none") return null;
  const line = make("p", undefined, name);
  line.dir = "auto";
  if (slot.outcome === "text") line.textContent = slot.text;
  else {
    const what = { raw_key: "shows the raw key", dropped: "is dropped", crash: "the app crashes" }[slot.outcome];
    line.append(make("span", `${name} ${what}`, "badge bad"), ` ${slot.exception ?? slot.text ?? ""} `,
      make("span", slot.reason ?? "", "documented"));
  }
  if (!slot.documented) return [line];
  const documented = make("p", `documented: ${slot.documented}`, "documented");
  documented.dir = "auto";
  return [line, documented];
}
function phone(preview) {
  const card = make("div", undefined, "phone");
  const where = make("div", undefined, "where");
  const locale = preview.locale === preview.resolved_locale
    ? preview.locale : `${preview.locale} → ${preview.resolved_locale ?? "none"}`;
  where.append(make("span", preview.platform === "ios" ? "iOS" : "Android"), make("span", locale));
  card.append(where);
  for (const name of ["title", "subtitle", "body"]) card.append(...(slot(preview[name], name) ?? []));
  return card;
}
async function preview() {
  const locales = $("locales").value.split(/[\s,]+/).filter(Boolean);
  const body = { args: args() };
  if (locales.length) body.locales = locales;
  const name = encodeURIComponent($("template").value);
  const answer = await call("POST", `/v1/templates/${name}/preview`, body);
  const phones = make("div", undefined, "phones");
  phones.append(...answer.previews.map(phone));
  const parts = [phones];
  const findings = chosen()?.findings ?? [];
  if (findings.length) {
    const list = make("table");
    list.append(...findings.map(f => row(
      make("span", f.rule, `badge ${f.severity === "error" ? "bad" : "warn"}`),
      [f.slot, f.platform, f.locale, f.key].filter(Boolean).join(" "), f.message, f.help,
      f.file ? `${f.file}:${f.line ?? ""}` : "")));
    const scroll = make("div", undefined, "scroll");
    scroll.append(list);
    parts.push(make("h2", "Findings"), scroll);
  }
  parts.push(make("h2", `Message, ${answer.message_bytes} of 4096 bytes`), json(answer.message));
  $("shown").replaceChildren(...parts);
}
async function send() {
  const body = { template: $("template").value, to: { [$("kind").value]: $("target").value }, args: args() };
  if ($("validate").checked) body.validate_only = true;
  $("sent").replaceChildren(json(await call("POST", "/v1/notifications", body)));
}

// Notifications
async function list(more) {
  const query = new URLSearchParams({ limit: "25" });
  if ($("status").value) query.set("status", $("status").value);
  if ($("which").value) query.set("template", $("which").value);
  if (more && cursor) query.set("cursor", cursor);
  const page = await call("GET", `/v1/notifications?${query}`);
  const rows = page.notifications.map(n => {
    const open = make("button", "Open");
    open.onclick = () => act(() => show(n.id));
    return row(new Date(n.created_at).toLocaleString(), n.template, status(n.status), n.deliveries.length, open);
  });
  if (more) $("list").append(...rows); else $("list").replaceChildren(...rows);
  if (!$("list").children.length) $("list").append(row("nothing yet"));
  cursor = page.next_cursor;
  $("more").hidden = !cursor;
}
async function show(id, answer) {
  const notification = answer ?? await call("GET", `/v1/notifications/${id}`);
  const cancel = make("button", "Cancel"), retry = make("button", "Retry");
  const change = (method, path) => act(async () => { show(id, await call(method, path)); list(false); });
  cancel.onclick = () => change("DELETE", `/v1/notifications/${id}`);
  retry.onclick = () => change("POST", `/v1/notifications/${id}/retry`);
  const actions = make("p");
  if (["scheduled", "queued", "sending"].includes(notification.status)) actions.append(cancel);
  if (notification.deliveries.some(d => ["failed", "expired"].includes(d.status))) actions.append(retry);
  $("one").replaceChildren(make("h2", notification.id), actions, json(notification));
  $("one").scrollIntoView({ block: "nearest" });
}

// Queue
async function queue() {
  const stats = await call("GET", "/v1/stats");
  $("states").replaceChildren(make("th", "App"), ...states.map(s => make("th", s)), make("th", "oldest waits"));
  const line = (name, s) => row(name, ...states.map(state => s.deliveries[state]), `${s.oldest_queued_seconds.toFixed(1)} s`);
  $("stats").replaceChildren(...Object.entries(stats.apps).map(([name, s]) => line(name, s)), line("all", stats));
  const ready = await health();
  $("checks").replaceChildren(...Object.entries(ready.checks).map(([name, check]) =>
    row(name, status(check.status), check.detail ?? "", check.since ? `since ${new Date(check.since).toLocaleString()}` : "")));
}
async function health() {
  const ready = await call("GET", "/readyz");
  $("ready").textContent = ready.status;
  $("ready").className = `badge ${statusClass(ready.status)}`;
  return ready;
}

const tabs = { templates: loadTemplates, notifications: () => list(false), queue };
function open(tab) {
  for (const button of document.querySelectorAll("nav button")) {
    button.setAttribute("aria-selected", button.dataset.tab === tab);
    $(button.dataset.tab).hidden = button.dataset.tab !== tab;
  }
  history.replaceState(null, "", `#${tab}`);
  act(async () => { await health(); await tabs[tab](); });
}
for (const button of document.querySelectorAll("nav button")) button.onclick = () => open(button.dataset.tab);
function on(id, work) { $(id).onsubmit = event => { event.preventDefault(); act(work); }; }
on("preview", preview);
on("send", send);
on("filter", () => list(false));
$("more").onclick = () => act(() => list(true));
$("template").onchange = chooseTemplate;
$("status").append(...[...states, "partial"].map(s => make("option", s)));
// The key stays in this tab, and goes with it.
$("key").value = sessionStorage.getItem("key") ?? "";
$("key").onchange = () => { sessionStorage.setItem("key", $("key").value); open(location.hash.slice(1) || "templates"); };
open(Object.hasOwn(tabs, location.hash.slice(1)) ? location.hash.slice(1) : "templates");
</script>
</body>
</html>
"""##
}
