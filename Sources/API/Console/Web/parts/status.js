// States of deliveries, and what happens next to one, in a sentence.
import { duration, t, time } from "../texts/texts.js";
import { h } from "./dom.js";

export const states = ["scheduled", "queued", "sending", "sent", "failed", "expired", "cancelled"];
const tones = { sent: "good", failed: "bad", expired: "bad", partial: "warn", cancelled: "info", scheduled: "info", queued: "warn", sending: "warn" };

export function stateBadge(state) {
  return h("span", { class: `badge ${tones[state] ?? "info"}` }, t(state));
}

const advice = {
  UNREGISTERED: "next_dead", INVALID_ARGUMENT: "next_invalid", SENDER_ID_MISMATCH: "next_sender",
  THIRD_PARTY_AUTH_ERROR: "next_apns", AUTHENTICATION: "next_credentials", PERMISSION: "next_credentials",
};

/// All codes that a delivery's error can have.
export const codes = ["UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "THIRD_PARTY_AUTH_ERROR", "QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL",
  "AUTHENTICATION", "PERMISSION", "NOT_FOUND", "TIMEOUT", "NETWORK", "BAD_RESPONSE"];
/// With these codes, another attempt ends like the last one.
export const hopeless = new Set(["UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH"]);

/// Whether a retry of a failed or expired delivery can succeed.
export function canRetry({ status, error }) {
  return (status === "failed" || status === "expired") && !hopeless.has(error?.code);
}

const passing = new Set(["QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "TIMEOUT", "NETWORK", "BAD_RESPONSE"]);

/// What to do about an error code, whatever the states of its deliveries.
export function adviceOn(code) { return t(passing.has(code) ? "next_passing" : advice[code] ?? "next_failed", { code }); }

/// What happens next to a delivery, or why nothing does.
export function nextStep(delivery) {
  const code = delivery.error?.code ?? "";
  switch (delivery.status) {
    case "scheduled": return t("next_scheduled", { time: time(delivery.next_attempt_at) });
    case "sending": return t("next_sending");
    case "sent": return t("next_sent");
    case "expired": return t("next_expired");
    case "cancelled": return code === "SUPERSEDED" ? t("next_superseded") : t("next_cancelled");
    case "failed": return t(advice[code] ?? "next_failed", { code });
    default: {
      const wait = delivery.next_attempt_at ? (new Date(delivery.next_attempt_at) - Date.now()) / 1000 : 0;
      const when = wait > 0 ? t("next_in", { duration: duration(wait) }) : t("next_soon");
      return code ? `${t("next_retry", { code })} ${when}` : when;
    }
  }
}

/// `token` and its shortened text: the start and the end tell registrations apart.
export function target(delivery) {
  const [[kind, value]] = Object.entries(delivery.target);
  const characters = [...value];
  const isLong = characters.length > 28 && kind !== "topic" && kind !== "condition";
  const short = isLong ? `${characters.slice(0, 12).join("")}…${characters.slice(-8).join("")}` : value;
  return h("span", { class: "target" }, h("span", { class: "soft" }, kind), " ", h("bdi", { title: value }, short));
}
