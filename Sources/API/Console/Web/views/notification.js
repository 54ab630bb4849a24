// One notification: its deliveries, what happened while the page looked, and what happens next.
import { call } from "../app/api.js";
import { isFinal } from "../app/live.js";
import { say } from "../app/shell.js";
import { address } from "../app/router.js";
import { may } from "../app/session.js";
import { confirmed } from "../parts/dialog.js";
import { choice, fill, h } from "../parts/dom.js";
import { nextStep, stateBadge, states, target } from "../parts/status.js";
import { duration, number, t, time } from "../texts/texts.js";

const shownAtOnce = 100;
const eventsMax = 200;

/// `element`, and `draw(notification)` for each new state; `changed()` is called after a cancel or retry.
export function notificationPane({ hasLink, changed }) {
  const head = h("div", {});
  const table = h("div", {});
  const events = h("ol", { class: "timeline" });
  const seen = h("section", { hidden: true }, h("h3", {}, t("seen")), events);
  const element = h("article", { class: "notification-pane panel" }, head, table, seen);
  let notification = null;
  let last = new Map();
  let state = "";
  let text = "";
  let limit = shownAtOnce;

  const act = async (method, suffix, title, question) => {
    if (!await confirmed(title, question, title)) return;
    try {
      draw(await call(method, `/v1/notifications/${notification.id}${suffix}`));
      changed?.();
    } catch (error) {
      say(error.message);
    }
  };
  const draw = now => {
    const isFirst = notification === null;
    notification = now;
    record(isFirst);
    drawHead();
    drawTable();
  };
  const record = isFirst => {
    for (const delivery of notification.deliveries) {
      const fact = `${delivery.status} ${delivery.attempts} ${delivery.error?.code ?? ""}`;
      if (last.get(delivery.id) === fact) continue;
      last.set(delivery.id, fact);
      if (isFirst && isFinal(notification)) continue;
      seen.hidden = false;
      events.append(h("li", {}, h("time", { class: "soft" }, time(isFirst ? notification.created_at : delivery.updated_at)), " ", stateBadge(delivery.status), " ",
        notification.deliveries.length > 1 ? target(delivery) : null, " ",
        delivery.attempts ? t("attempts", { n: delivery.attempts }) : "", " ", errorText(delivery)));
      while (events.children.length > eventsMax) events.firstChild.remove();
    }
  };
  const drawHead = () => {
    const { id, template, app, client, created_at: at, status, deliveries } = notification;
    const canRetry = deliveries.some(delivery => delivery.status === "failed" || delivery.status === "expired");
    const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    const { wait } = notification;
    fill(head,
      h("header", { class: "head-row" }, h("h2", {}, stateBadge(status), " ", h("code", { class: "id" }, hasLink ? h("a", { href: address(["deliveries", id]) }, id) : id)),
        may("send") ? h("div", { class: "buttons" },
          isFinal(notification) ? null : h("button", { type: "button", class: "danger", onclick: () => act("DELETE", "", t("cancel"), t("cancelQuestion")) }, t("cancel")),
          canRetry ? h("button", { type: "button", onclick: () => act("POST", "/retry", t("retry"), t("retryQuestion")) }, t("retry")) : null) : null),
      h("dl", { class: "facts" },
        fact(t("template"), may("preview") ? h("a", { href: address(["templates", template]) }, template) : template),
        fact(t("app"), h("bdi", {}, app)),
        wait && !isFinal(notification) ? fact(t("breaker"), h("span", { class: "badge bad" }, wait.reason === "outage" ? t("breakerOpen") : t("held")),
          " ", h("code", {}, wait.code ?? wait.reason), " ", t("since", { time: time(wait.since) }), ". ",
          t("next_in", { duration: duration(Math.max(0, (new Date(wait.until) - Date.now()) / 1000)) })) : null,
        client ? fact(t("client"), h("bdi", {}, client)) : null, fact(t("created"), time(at)),
        deliveries.length > 1 ? fact(t("deliveries"), h("span", { class: "badges" }, states.map(name => {
          const count = deliveries.filter(delivery => delivery.status === name).length;
          return count ? [stateBadge(name), number(count)] : null;
        }))) : null));
  };
  const stateChoice = choice([["", t("allStates")], ...states.map(name => [name, t(name)])], "",
    value => { state = value; limit = shownAtOnce; drawTable(); }, { "aria-label": t("state") });
  const find = h("input", { type: "search", placeholder: t("search"), "aria-label": t("searchTargets"),
    oninput: () => { text = find.value.toLowerCase(); limit = shownAtOnce; drawTable(); } });
  const controls = h("div", { class: "controls" }, find, stateChoice);
  const rows = h("ul", { class: "deliveries" });
  const more = h("button", { type: "button", onclick: () => { limit += shownAtOnce; drawTable(); } }, t("more"));
  fill(table, controls, rows, more);
  const drawTable = () => {
    const found = notification.deliveries.filter(delivery => (!state || delivery.status === state)
      && (!text || JSON.stringify([delivery.id, delivery.target, delivery.error]).toLowerCase().includes(text)));
    controls.hidden = notification.deliveries.length < 5;
    more.hidden = found.length <= limit;
    fill(rows, found.slice(0, limit).map(deliveryItem), found.length ? null : h("li", { class: "empty" }, t("nothingFound")));
  };
  return { element, draw };
}

function errorText(delivery) {
  if (!delivery.error) return null;
  const { code, http_status: status, apns_reason: reason } = delivery.error;
  return h("code", { class: "error" }, [code, status, reason].filter(Boolean).join(" "));
}

function deliveryItem(delivery) {
  return h("li", { class: "delivery" },
    h("div", { class: "delivery-head" }, stateBadge(delivery.status), " ", target(delivery),
      h("span", { class: "soft" }, t("attempts", { n: delivery.attempts })), h("time", { class: "soft" }, time(delivery.updated_at))),
    delivery.error ? h("p", {}, errorText(delivery), " ", h("span", { dir: "auto" }, delivery.error.message)) : null,
    h("p", { class: "next" }, nextStep(delivery)),
    delivery.message_name ? h("p", { class: "soft" }, h("code", {}, delivery.message_name)) : null);
}
