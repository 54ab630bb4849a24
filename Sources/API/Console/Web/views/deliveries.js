// The deliveries, newest first, with the chosen notification beside them.
import { call, isRateLimited } from "../app/api.js";
import { changes, follow } from "../app/live.js";
import { say } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { namedApp } from "../app/session.js";
import { choice, debounced, fill, h } from "../parts/dom.js";
import { stateBadge, states, target } from "../parts/status.js";
import { number, t, time } from "../texts/texts.js";
import { notificationPane } from "./notification.js";

const pageSize = 50;
const searchPageSize = 250;
const searchPagesMax = 40;
const matchesMax = 50;
const refreshMs = 3000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function show(outlet, { segments: [id], query }) {
  const loaded = new Map();
  const drawn = new Map();
  let cursor = null;
  let turn = 0;
  const list = h("ul", { class: "rows deliveries-list" });
  const said = h("p", { class: "soft", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(false) }, t("more"));
  const search = h("input", { type: "search", value: query.get("q") ?? "", placeholder: t("searchDeliveries"), "aria-label": t("searchDeliveries") });
  const status = choice([["", t("allStates")], ...states, "partial"].map(name => (Array.isArray(name) ? name : [name, t(name)])),
    query.get("status") ?? "", () => restart(), { "aria-label": t("state") });
  const detail = h("div", { class: "detail" });

  const page = async (limit, after) => {
    const text = new URLSearchParams({ limit });
    const app = namedApp();
    if (app) text.set("app", app);
    if (status.value) text.set("status", status.value);
    if (after) text.set("cursor", after);
    const answer = await call("GET", `/v1/notifications?${text}`);
    for (const notification of answer.notifications) loaded.set(notification.id, notification);
    return answer;
  };
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...loaded.values()].filter(each => matches(each, words)).sort((a, b) => (a.id < b.id ? 1 : -1));
    const elements = found.map(notification => {
      const identity = JSON.stringify([notification, notification.id === id]);
      const known = drawn.get(notification.id);
      if (known?.identity === identity) return known.element;
      const element = entry(notification, notification.id === id, { q: search.value, status: status.value });
      drawn.set(notification.id, { identity, element });
      return element;
    });
    const isSame = elements.length && elements.length === list.children.length && elements.every((element, index) => list.children[index] === element);
    if (!isSame) fill(list, elements.length ? elements : h("li", { class: "empty" }, t(words.length ? "nothingFound" : "noDeliveries")));
    return found.length;
  };
  /// Loads a page; a search reads on until enough match or the limit of pages is reached.
  const load = async isNew => {
    const mine = ++turn;
    if (isNew) cursor = null;
    const isSearch = search.value.trim() !== "";
    try {
      if (isSearch) await find(search.value.trim());
      let left = isSearch ? searchPagesMax : 1;
      const enough = (isSearch ? draw() : 0) + matchesMax;
      do {
        const answer = await page(isSearch ? searchPageSize : pageSize, cursor);
        if (mine !== turn) return;
        cursor = answer.next_cursor;
        const count = draw();
        said.textContent = isSearch ? t("searched", { n: number(loaded.size) }) : "";
        if (isSearch && count >= enough) break;
      } while (cursor && --left > 0);
      more.hidden = !cursor;
    } catch (error) {
      if (mine === turn) say(error.status ? error.message : t("notLoaded"));
    }
  };
  /// What the gateway finds by its indexes, however long ago it was.
  const find = async text => {
    if (uuid.test(text)) {
      const found = await call("GET", `/v1/notifications/${text}`).catch(error => {
        if (error.status === 404) return null;
        throw error;
      });
      if (found) loaded.set(found.id, found);
      return;
    }
    const filters = { token: text, fid: text, topic: text, client: text, ...(/^\w+$/.test(text) ? { error: text.toUpperCase() } : {}) };
    await Promise.all(Object.entries(filters).map(async ([name, value]) => {
      const answer = await call("GET", `/v1/notifications?${new URLSearchParams({ limit: matchesMax, [name]: value })}`);
      for (const found of answer.notifications) loaded.set(found.id, found);
    }));
  };
  const restart = () => {
    amend({ q: search.value, status: status.value });
    loaded.clear();
    return load(true);
  };
  search.addEventListener("input", debounced(restart, 250));
  outlet.append(h("div", { class: id ? "split wide-list has-detail" : "split wide-list" },
    h("section", { class: "list", "aria-label": t("deliveries") }, h("h1", { class: id ? "wide-only" : "" }, t("deliveries")),
      h("div", { class: "controls" }, search, status), said, list, more), detail));

  let stopFollowing = () => {};
  const pane = notificationPane({ changed: () => { open(); poll(); } });
  const open = () => {
    stopFollowing();
    stopFollowing = follow(id, notification => {
      if (!pane.element.isConnected) {
        fill(detail, h("a", { class: "back narrow-only", href: address(["deliveries"], { q: search.value, status: status.value }) }, t("deliveries")), pane.element);
      }
      pane.draw(notification);
      if (loaded.has(id)) { loaded.set(id, notification); draw(); }
    });
  };
  const poll = async () => { await page(25, null); draw(); };
  if (id) open(); else detail.append(h("p", { class: "empty wide-only" }, t("chooseDelivery")));
  await load(true);
  const stopPolling = changes(async () => {
    if (isRateLimited) return false;
    if (!search.value.trim()) await poll();
    return true;
  }, refreshMs);
  return {
    refresh: () => { if (id) open(); return restart(); },
    close: () => { turn += 1; stopFollowing(); stopPolling(); },
  };
}

/// Whether each word is in the id, a target, an error, the template, the client or the state.
function matches(notification, words) {
  if (!words.length) return true;
  const text = JSON.stringify(notification).toLowerCase();
  return words.every(word => text.includes(word));
}

function entry(notification, isChosen, query) {
  const { id, template, status, created_at: at, client, deliveries } = notification;
  const [first] = deliveries;
  const codes = [...new Set(deliveries.map(delivery => delivery.error?.code).filter(Boolean))];
  return h("li", {}, h("a", { href: address(["deliveries", id], query), "aria-current": isChosen ? "true" : null },
    h("span", { class: "row-head" }, first ? target(first) : null, deliveries.length > 1 ? h("span", { class: "soft" }, `+${number(deliveries.length - 1)}`) : null, stateBadge(status)),
    h("span", { class: "row-foot" }, h("bdi", {}, template), client ? h("bdi", { class: "soft" }, client) : null,
      codes.length ? h("code", { class: "error" }, codes.slice(0, 2).join(", ")) : null, h("time", { class: "soft" }, time(at)))));
}
