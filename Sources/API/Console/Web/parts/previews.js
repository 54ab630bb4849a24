// Asks what phones show of a template; a newer question ends an older one.
import { call } from "../app/api.js";
import { namedApp } from "../app/session.js";

/// `ask(name, question)` resolves to null if a newer question has been asked; `stop()` ends the last one.
export function previews() {
  let request = null;
  const stop = () => request?.abort();
  const ask = async (name, question) => {
    stop();
    request = new AbortController();
    const { signal } = request;
    const app = namedApp();
    try {
      const answer = await call("POST", `/v1/templates/${encodeURIComponent(name)}/preview`, { ...question, ...(app ? { app } : {}) }, { signal });
      return signal.aborted ? null : answer;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  };
  return { ask, stop };
}

/// What phones with these locales show of a message, whoever made it: `{previews, locales}`.
export function previewsOf(message, locales) {
  const app = namedApp();
  return call("POST", "/v1/messages/preview", { message, locales, ...(app ? { app } : {}) });
}

/// What the Live Activity of a previewed message shows; undefined if its template is for notifications.
export function activityOf(template, { message }) {
  return template.live_activity && { type: template.live_activity.attributes_type, state: message?.apns?.payload?.aps?.["content-state"] };
}

/// The same without the template: its type is not in the message, which says what happens to the activity instead.
export function activityIn({ message }) {
  const aps = message?.apns?.payload?.aps;
  return aps?.["content-state"] ? { type: aps.event, state: aps["content-state"] } : undefined;
}
