// What the gateway has kept of a delivery: each attempt, the message as it was sent, and the phones that show it.
import { call } from "../app/api.js";
import { failureText } from "../app/shell.js";
import { amend, place } from "../app/router.js";
import { may } from "../app/session.js";
import { fill, h } from "../parts/dom.js";
import { highlighted } from "../parts/json.js";
import { firstLocales, localeChips } from "../parts/locales.js";
import { activityNotice, frame, phone, screenOf } from "../parts/phone.js";
import { previewsOf } from "../parts/previews.js";
import { duration, language, localeName, number, t, time } from "../texts/texts.js";

/// `element`, and `draw(id, delivery)` for a delivery of the notification with this id; undefined for none.
export function evidencePane() {
  const attempts = h("section", {});
  const chips = h("div", { class: "controls" });
  const stage = h("div", { class: "wall single" });
  const phones = h("section", { hidden: true }, h("h3", {}, t("phones")), chips, stage);
  const message = h("section", {});
  const element = h("div", { class: "evidence", hidden: true }, attempts, phones, message);
  let locales = place().query.get("locales")?.split(",").filter(Boolean) ?? null;
  let state = "";
  let shown = "";

  /// What the last answer has of each delivery.
  let known = new Map();

  /// Asks for the evidence, once for each state of the delivery.
  const draw = async (id, delivery) => {
    const now = nameOf(delivery);
    if (now === state) return;
    state = now;
    element.hidden = !delivery;
    if (!delivery) return;
    try {
      if (nameOf(known.get(delivery.id)) !== now) {
        const { deliveries } = await call("GET", `/v1/notifications/${id}?include=message,attempt_log`);
        known = new Map(deliveries.map(each => [each.id, each]));
      }
      if (state === now && known.has(delivery.id)) drawKept(known.get(delivery.id));
    } catch (error) {
      if (state === now) fill(attempts, h("p", { class: "empty", role: "alert" }, failureText(error)));
    }
  };
  const drawKept = kept => {
    fill(attempts, attemptTable(kept));
    fill(message, lifetime(kept), h("details", {}, h("summary", {}, t("messageAsSent")), highlighted(kept.message, t("messageAsSent"))));
    if (!may("preview")) return;
    phones.hidden = false;
    const text = JSON.stringify(kept.message);
    if (text !== shown) drawPhones(kept.message);
    shown = text;
  };
  const drawPhones = async sent => {
    const aps = sent.apns?.payload?.aps;
    const activity = aps?.["content-state"] && { type: aps.event, state: aps["content-state"] };
    try {
      const { previews, locales: all } = await previewsOf(sent, locales?.length ? locales : [language]);
      if (!locales) {
        locales = firstLocales(all);
        return drawPhones(sent);
      }
      fill(chips, localeChips(locales, all, names => {
        locales = names;
        amend({ locales: names.join(",") });
        drawPhones(sent);
      }));
      const drawn = locales.flatMap(locale => previews.filter(each => each.locale === locale));
      fill(stage, drawn.map(each => h("div", {}, h("p", { class: "soft" }, localeName(each.locale)), phone(each))),
        activity ? h("div", {}, fill(screenOf("ios", { locale: language }), frame("ios", language, [activityNotice(activity)]))) : null,
        drawn.length || activity || !locales.length ? null : h("p", { class: "empty" }, t("showsNothing")));
    } catch (error) {
      fill(stage, h("p", { class: "empty" }, failureText(error)));
    }
  };
  return { element, draw };
}

/// A state of a delivery; "" for none.
function nameOf(delivery) { return delivery ? `${delivery.id} ${delivery.status} ${delivery.attempts}` : ""; }

const columns = ["at", "durationOf", "phase", "peer", "answer", "words"];

/// The last attempts, oldest first; nothing before the first.
function attemptTable({ attempt_log: log }) {
  if (!log.length) return null;
  return [h("h3", {}, t("lastAttempts")), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("lastAttempts") },
    h("table", { class: "attempts" }, h("thead", {}, h("tr", {}, columns.map(name => h("th", { scope: "col" }, t(name))))),
      h("tbody", {}, log.map(each => h("tr", {}, [
        time(each.at), h("bdi", {}, duration(each.duration_ms / 1000)), h("code", {}, each.phase), h("code", {}, each.peer),
        [h("code", { class: each.code ? "error" : null }, [each.http_status, each.code].filter(Boolean).join(" ") || "—"),
          each.counted ? null : [" ", h("span", { class: "badge info" }, t("notCounted"))]],
        h("bdi", {}, each.detail ?? ""),
      ].map(cell => h("td", {}, cell)))))))];
}

/// How long FCM tries to reach the phone, as the message says it to each platform.
function lifetime({ message }) {
  const fact = (label, value) => h("div", {}, h("dt", {}, label), h("dd", {}, value));
  const ttl = [["Android", message.android?.ttl], ["Web", message.webpush?.headers?.TTL]].filter(([, value]) => value !== undefined);
  const expiration = message.apns?.headers?.["apns-expiration"];
  return h("dl", { class: "facts" },
    ttl.map(([name, value]) => fact(`${t("ttl")} (${name})`, h("bdi", {}, duration(Number.parseFloat(value))))),
    expiration === undefined ? null : fact(`${t("expires")} (iPhone)`, Number(expiration) ? time(Number(expiration) * 1000) : t("atOnce")),
    !ttl.length && expiration === undefined ? fact(t("ttl"), t("noTTL")) : null,
    fact(t("size"), h("bdi", {}, t("bytesOf", { n: number(new TextEncoder().encode(JSON.stringify(message)).length), max: number(4096) }))));
}
