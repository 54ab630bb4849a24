// The fields of a request besides its template, target and args, by their names in the API.
import { choice, h } from "../parts/dom.js";

/// One tag, or the user's list in order.
const locales = text => {
  const tags = text.split(",").map(tag => tag.trim()).filter(Boolean);
  return tags.length > 1 ? tags : tags.join();
};
const at = text => new Date(text).toISOString();
const text = placeholder => ({ element: h("input", { dir: "ltr", autocomplete: "off", spellcheck: "false", placeholder }), value: String });
const time = () => ({ element: h("input", { type: "datetime-local" }), value: at });
const pick = names => ({ element: choice([["", "—"], ...names.map(name => [name, name])], ""), value: String });

/// `{element, value}` of each field: its control, and what its text becomes in the request.
export function controlsOf(query) {
  const controls = {
    ttl: text("3600s"), priority: pick(["high", "normal"]), collapse_key: text(), analytics_label: text(), send_at: time(),
    data: { element: h("textarea", { rows: 3, dir: "ltr", placeholder: '{"thread": "42"}' }), value: JSON.parse },
    "recipient.platform": pick(["android", "ios", "web"]), "recipient.app_version": text("4.1.0"),
    "recipient.locale": { ...text("fr-CA, fr"), value: locales }, "recipient.time_zone": text("Europe/Paris"), render: pick(["auto", "device", "gateway"]),
    "live_activity.token": text("80fd3e…"),
    "live_activity.event": { element: choice(["start", "update", "end"].map(name => [name, name]), "update"), value: String },
    "live_activity.stale_date": time(), "live_activity.dismissal_date": time(), "live_activity.relevance_score": { ...text("100"), value: Number },
  };
  for (const [key, { element }] of Object.entries(controls)) if (query.has(key)) element.value = query.get(key);
  return controls;
}

const before = new Set(["live_activity.stale_date", "live_activity.relevance_score"]);

/// The fields that a request for the template may have; all of them if it is not known.
export function namesFor(controls, template, event) {
  return Object.keys(controls).filter(key => {
    if (event === "end" ? before.has(key) : key === "live_activity.dismissal_date") return false;
    if (!template) return true;
    return template.live_activity ? key !== "collapse_key" && key !== "recipient.platform" : !key.startsWith("live_activity.");
  });
}
