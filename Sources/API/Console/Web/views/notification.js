// One notification: its deliveries, what happened while the page looked, and what happens next.
import { call } from "../app/api.js";
import { isFinal } from "../app/live.js";
import { sayFailure } from "../app/shell.js";
import { address } from "../app/router.js";
import { may } from "../app/session.js";
import { confirmed } from "../parts/dialog.js";
import { choice, fill, h, redraw } from "../parts/dom.js";
import { rowList } from "../parts/list.js";
import { canRetry, nextStep, stateBadge, states, target } from "../parts/status.js";
import { duration, number, t, time } from "../texts/texts.js";
import { evidencePane } from "./evidence.js";

const eventsMax = 100;
/// From so many targets on, they can be searched.
const searchedFrom = 5;

/// `element`, `draw(notification)` for each new state and `attempt(data)` for each attempt; `changed()` is called after a cancel
/// or retry, `choose(id)` after one of several deliveries was chosen; `chosen` is the first one shown.
export function notificationPane({ hasLink, changed, chosen, choose }) {
  const button = (label, kind, method, suffix, question) => h("button", { type: "button", class: kind, hidden: true, onclick: () => act(method, suffix, label, question) }, label);
  const cancel = button(t("cancel"), "danger", "DELETE", "", t("cancelQuestion"));
  const retry = button(t("retry"), null, "POST", "/retry", t("retryQuestion"));
  const name = h("h2", {});
  const facts = h("dl", {});
  const table = h("div", {});
  const events = h("ol", { class: "timeline" });
  const seen = h("section", { hidden: true }, h("h3", {}, t("seen")), events);
  const element = h("article", { class: "notification-pane panel" },
    h("header", { class: "head-row" }, name, h("div", { class: "buttons" }, cancel, retry)), facts, table, seen);
  let notification = null;
  const last = new Map();
  /// The last attempt at each delivery, `{n, at}`.
  const tried = new Map();
  let state = "";
  let text = "";
  let shown;

  const act = async (method, suffix, title, question) => {
    if (!await confirmed(title, question, title)) return;
    try {
      draw(await call(method, `/v1/notifications/${notification.id}${suffix}`));
      await changed?.();
    } catch (error) {
      sayFailure(error);
    }
  };
  const draw = now => {
    const isFirst = notification === null;
    notification = now;
    for (const delivery of notification.deliveries) {
      const { id, attempts, status, error, updated_at: at } = delivery;
      const known = tried.get(id) ?? { n: 0, at };
      // FCM has answered, and the outcome waits to be recorded. A retry counts from the beginning again.
      if (attempts < known.n && Date.parse(at) <= Date.parse(known.at)) continue;
      // Attempts that the page did not see are known only by their number and the last error.
      const missed = attempts > known.n ? attempted(attempts, status === "sent" ? null : error) : null;
      const isNews = missed || last.get(id) !== status;
      tried.set(id, { n: attempts, at });
      last.set(id, status);
      if (isNews && !(isFirst && isFinal(notification))) record(isFirst && !missed ? notification.created_at : at, status, delivery, missed);
    }
    drawHead();
    drawTable();
  };
  /// A line of what the page saw.
  const record = (at, word, delivery, ...more) => {
    seen.hidden = false;
    events.append(h("li", {}, h("time", { class: "soft" }, time(at)), " ", stateBadge(word), " ",
      delivery && notification.deliveries.length > 1 ? target(delivery) : null, more));
    while (events.children.length > eventsMax) events.firstChild.remove();
    events.scrollTop = events.scrollHeight;
  };
  const attempt = ({ at, outcome, attempt: n, error, delivery_id: id, duration_ms: ms }) => {
    tried.set(id, { n, at });
    record(at, outcome, notification.deliveries.find(each => each.id === id), attempted(n, error), ms === undefined ? null : ` ${duration(ms / 1000)}`);
  };
  const drawHead = () => {
    const { id, template, app, client, created_at: at, status, deliveries } = notification;
    const fact = (label, ...value) => h("div", {}, h("dt", {}, label), h("dd", {}, value));
    const { wait } = notification;
    redraw(name, h("h2", {}, stateBadge(status), " ", h("code", { class: "id" }, hasLink ? h("a", { href: address(["deliveries", id]) }, id) : id)));
    cancel.hidden = !may("send") || isFinal(notification);
    retry.hidden = !may("send") || !deliveries.some(canRetry);
    redraw(facts,
      h("dl", { class: "facts" },
        template && fact(t("template"), may("preview") ? h("a", { href: address(["templates", template]) }, template) : template),
        fact(t("app"), h("bdi", {}, app)),
        wait && !isFinal(notification) ? fact(t("breaker"), h("span", { class: "badge bad" }, wait.reason === "outage" ? t("breakerOpen") : t("held")),
          " ", h("code", {}, wait.code ?? wait.reason), " ", t("since", { time: time(wait.since) }), ". ",
          t("next_in", { duration: duration(Math.max(0, (new Date(wait.until) - Date.now()) / 1000)) })) : null,
        client ? fact(t("client"), h("bdi", {}, client)) : null, fact(t("created"), time(at)),
        deliveries.length > 1 ? fact(t("deliveries"), h("span", { class: "badges" }, states.map(each => {
          const count = deliveries.filter(delivery => delivery.status === each).length;
          return count ? [stateBadge(each), number(count)] : null;
        }))) : null));
  };
  const list = rowList({ label: t("deliveries"), name: "targets", row: delivery => targetRow(delivery, notification, delivery === shown),
    choose: delivery => {
      chosen = delivery.id;
      choose?.(chosen);
      drawTable();
    } });
  const stateChoice = choice([["", t("allStates")], ...states.map(name => [name, t(name)])], "",
    value => { state = value; drawTable(); }, { "aria-label": t("state") });
  const find = h("input", { type: "search", placeholder: t("search"), "aria-label": t("search"),
    oninput: () => { text = find.value.toLowerCase(); drawTable(); } });
  const controls = h("div", { class: "controls" }, find, stateChoice);
  const nothing = h("p", { class: "empty", hidden: true }, t("nothingFound"));
  const box = h("div", { class: "target-box" }, list.element);
  const one = h("div", { class: "one" });
  const evidence = evidencePane();
  fill(table, controls, nothing, h("div", { class: "targets-beside" }, box, h("div", {}, one, evidence.element)));
  const drawTable = () => {
    const found = notification.deliveries.filter(delivery => (!state || delivery.status === state)
      && (!text || JSON.stringify([delivery.id, delivery.target, delivery.error]).toLowerCase().includes(text)));
    controls.hidden = notification.deliveries.length < searchedFrom;
    nothing.hidden = found.length > 0;
    box.hidden = notification.deliveries.length < 2 || !found.length;
    shown = found.find(delivery => delivery.id === chosen) ?? found[0];
    list.show(found);
    if (shown) redraw(one, h("div", { class: "one" }, deliveryItem(shown))); else fill(one);
    evidence.draw(notification.id, shown);
  };
  return { element, draw, attempt };
}

function attempted(n, error) { return [` ${t("attempts", { n })} `, errorText(error)]; }

function errorText(error) {
  if (!error) return null;
  const { code, http_status: status, apns_reason: reason } = error;
  return h("code", { class: "error" }, [code, status, reason].filter(Boolean).join(" "));
}

function targetRow(delivery, { id }, isChosen) {
  return h("a", { href: address(["deliveries", id], { target: delivery.id }), "aria-current": isChosen ? "true" : null },
    h("span", { class: "row-line small" }, target(delivery), delivery.error ? h("code", { class: "error" }, delivery.error.code) : null, stateBadge(delivery.status)));
}

function deliveryItem(delivery) {
  const isOver = delivery.status === "sent" || delivery.status === "cancelled";
  return h("div", { class: "delivery" },
    h("div", { class: "delivery-head" }, stateBadge(delivery.status), " ", target(delivery),
      h("span", { class: "soft" }, t("attempts", { n: delivery.attempts })), h("time", { class: "soft" }, time(delivery.updated_at))),
    delivery.error ? h("p", {}, errorText(delivery.error), " ", h("span", { dir: "auto" }, delivery.error.message)) : null,
    h("p", { class: isOver ? "soft" : "next" }, nextStep(delivery)),
    delivery.status === "sent" ? h("p", { class: "soft" }, t("sentProves")) : null,
    h("p", { class: "soft" }, h("code", { class: "id" }, delivery.message_name ?? delivery.id)));
}
