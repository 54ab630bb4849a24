// The deliveries, newest first, with the chosen notification beside them.
import { call, isRateLimited } from "../app/api.js";
import { queryOf } from "../app/counts.js";
import { changes, follow } from "../app/live.js";
import { failureText, say, sayFailure } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { currentApp } from "../app/session.js";
import { debounced, fill, h } from "../parts/dom.js";
import { failureNotice } from "../parts/failure.js";
import { rowList } from "../parts/list.js";
import { entry, summary } from "../parts/notifications.js";
import { number, t } from "../texts/texts.js";
import { filterBar } from "./filters.js";
import { notificationPane } from "./notification.js";
import { setPane } from "./sets.js";

const pageSize = 100;
const searchPageSize = 250;
const searchPagesMax = 40;
const matchesMax = 50;
const loadedMax = 50_000;
const refreshMs = 3000;
const countMs = 5000;
const movedMs = 250;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function show(outlet, { segments: [first], query }) {
  const loaded = new Map();
  const app = currentApp();
  let id = first;
  let cursor = null;
  let searched = 0;
  let turn = 0;
  let isLoading = false;
  const failed = failureNotice(() => again());
  const said = h("p", { class: "soft", role: "status" });
  const search = h("input", { type: "search", value: query.get("q") ?? "", placeholder: t("searchDeliveries"), "aria-label": t("searchDeliveries") });
  const bar = filterBar(query, () => restart());
  const detail = h("div", { class: "detail" });
  const title = h("h1", {}, t("deliveries"));
  const filters = () => ({ q: search.value, ...bar.inAddress() });
  const isNarrowed = () => Object.values(filters()).some(value => value.trim());
  const set = setPane({ app, filters: bar, changed: () => refresh() });
  const list = rowList({ label: t("deliveries"), name: "deliveries-list",
    row: item => entry(item, item.id === id, filters()), end: () => { if (cursor && !isLoading && !failed.isShown && loaded.size < loadedMax) load(false); },
    // What came into sight may have changed since it was loaded.
    moved: debounced(() => isLoading || refresh().catch(() => {}), movedMs) });

  const ask = async parameters => {
    // Without a name, the API lists all apps.
    const answer = await call("GET", `/v1/notifications?${queryOf({ app, ...bar.asked(), ...parameters })}`);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return { cursor: answer.next_cursor, count: answer.notifications.length, last: answer.notifications.at(-1)?.id,
      found: answer.notifications.filter(each => matches(each, words)).map(summary) };
  };
  const take = found => { for (const item of found) loaded.set(item.id, item); };
  const draw = () => {
    list.show([...loaded.values()].sort((a, b) => (a.id < b.id ? 1 : -1)));
    if (loaded.size) said.textContent = search.value.trim() ? t("searched", { n: number(searched) }) : "";
    else if (failed.isShown) said.textContent = "";
    else said.textContent = isLoading ? t("loading") : t(isNarrowed() ? "nothingFound" : "noDeliveries");
  };
  /// Loads a page; a search reads on until enough match or the limit of pages is reached. What failed is asked for again
  /// from the same page.
  const load = async isNew => {
    const mine = ++turn;
    isLoading = true;
    if (isNew) cursor = null;
    const text = search.value.trim();
    try {
      if (text && isNew) await find(text);
      const enough = loaded.size + matchesMax;
      for (let left = text ? searchPagesMax : 1; left > 0; left -= 1) {
        const answer = await ask({ limit: text ? searchPageSize : pageSize, cursor });
        if (mine !== turn) return;
        cursor = answer.cursor;
        searched += answer.count;
        take(answer.found);
        failed.hide(list.element);
        if (!cursor || (text && loaded.size >= enough)) break;
        if (text) draw();
      }
    } catch (error) {
      if (mine !== turn) return;
      failed.show(t(loaded.size ? "moreNotLoaded" : "deliveriesNotLoaded"), error);
    }
    isLoading = false;
    draw();
  };
  const again = () => isLoading || load(!cursor);
  /// What the gateway finds by its indexes, however long ago it was.
  const find = async text => {
    if (uuid.test(text)) {
      const found = await call("GET", `/v1/notifications/${text}`).catch(error => {
        if (error.status === 404) return null;
        throw error;
      });
      return take(found ? [summary(found)] : []);
    }
    await Promise.all(Object.entries({ token: text, fid: text, topic: text, client: text, code: text.toUpperCase() }).map(async ([name, value]) => {
      const { found } = await ask({ limit: matchesMax, [name]: value }).catch(error => {
        // A text that cannot be such a value, as most words are no error code, is found nowhere.
        if (error.status === 422) return { found: [] };
        throw error;
      });
      take(found);
    }));
  };
  /// Asks again for what is in sight, and at the top for what is new. Where some are gone, what moves into their place is asked
  /// for, too, as a whole page.
  const refresh = async (isPage = false) => {
    const items = [...loaded.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    const [from, to] = isPage ? [list.inSight()[0], items.length] : list.inSight();
    const { since, until } = bar.asked();
    const span = { since: (isPage ? null : items[to - 1]?.at) ?? since, until: from > 0 && items[from] ? later(items[from].at) : until };
    const answer = await ask({ ...span, limit: list.inSight()[1] - from + pageSize });
    if (isLoading) return;
    // More is new than fits on a page; what a search finds may lie far apart, and is only brought up to date.
    if (answer.cursor && from === 0 && !isPage && !search.value.trim()) return restart();
    const still = new Set(answer.found.map(item => item.id));
    const gone = items.slice(from, to).filter(({ id }) => !still.has(id) && (!answer.cursor || id > answer.last));
    for (const { id } of gone) loaded.delete(id);
    take(answer.found);
    draw();
    if (gone.length && !isPage) return refresh(true);
  };
  const restart = () => {
    amend(filters());
    loaded.clear();
    searched = 0;
    failed.hide();
    if (!id) set.draw();
    return load(true);
  };
  search.addEventListener("input", debounced(restart, 250));
  search.addEventListener("keydown", event => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.enter();
  });
  const box = h("div", { class: "split wide-list" }, h("section", { class: "list", "aria-label": t("deliveries") }, title,
    h("div", { class: "controls" }, search), bar.element, said, list.element, failed.element), detail);
  outlet.append(box);

  let stopFollowing = () => {};
  let left = 0;
  let pane = null;
  /// Fills the place beside the list, which a narrow screen shows instead of it.
  const fillDetail = element => fill(detail, h("h1", { class: "narrow-only" }, h("a", { class: "back",
    href: address(["deliveries"], { ...filters(), target: null }) }, t("deliveries"))), element);
  const followChosen = () => {
    const mine = id;
    stopFollowing();
    stopFollowing = follow(id, notification => {
      if (!pane.element.isConnected) fillDetail(pane.element);
      pane.draw(notification);
      if (loaded.has(mine)) {
        loaded.set(mine, summary(notification));
        draw();
      }
    }, pane.attempt, error => {
      if (pane.element.isConnected) sayFailure(error);
      else fillDetail(h("p", { class: "empty", role: "alert" }, failureText(error)));
    });
  };
  /// Shows the chosen notification beside the list, or on narrow screens instead of it.
  const open = chosen => {
    box.classList.toggle("has-detail", Boolean(id));
    title.className = id ? "wide-only" : "";
    stopFollowing();
    if (!id) {
      set.draw();
      return fill(detail, set.element, h("p", { class: "empty wide-only" }, t("chooseDelivery")));
    }
    pane = notificationPane({ chosen, choose: each => amend({ target: each }), changed: () => { followChosen(); return refresh(); } });
    fillDetail(h("p", { class: "empty" }, t("loading")));
    followChosen();
  };
  /// Another notification of the same list, so that the list stays as it is.
  const go = ({ segments: [next], query: now }) => {
    if (currentApp() !== app || Object.entries(filters()).some(([name, value]) => (now.get(name) ?? "") !== value)) return false;
    say("");
    if (!id) left = scrollY;
    id = next;
    open(now.get("target"));
    draw();
    // A narrow screen shows either the list or the notification.
    if (matchMedia("(max-width: 899px)").matches) scrollTo(0, id ? 0 : left);
    return true;
  };
  open(query.get("target"));
  await load(true);
  const stopRefreshing = changes(async () => {
    if (isRateLimited) return false;
    // Until the first page has come, there is nothing to bring up to date.
    if (!isLoading && (cursor || !failed.isShown)) await refresh();
    return true;
  }, refreshMs);
  const stopCounting = changes(async () => isRateLimited || id || set.draw(), countMs, countMs);
  return {
    go,
    refresh: async () => {
      if (id) followChosen();
      if (failed.isShown) await again();
      else if (!loaded.size) return restart();
      if (loaded.size) return refresh();
    },
    close: () => { turn += 1; failed.hide(); stopFollowing(); stopRefreshing(); stopCounting(); },
  };
}

function later(text) { return new Date(Date.parse(text) + 1).toISOString(); }

/// Whether each word is in the id, a target, an error, the template, the client or the state.
function matches(notification, words) {
  if (!words.length) return true;
  const text = JSON.stringify(notification).toLowerCase();
  return words.every(word => text.includes(word));
}
