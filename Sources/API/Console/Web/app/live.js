// All that changes by itself reaches the page through this module. It polls; server-sent events can replace
// the polling here without a change elsewhere.
import { authorization, call } from "./api.js";
import { parseMetrics } from "./metrics.js";

const beatMs = 1000;
const answerMs = 1500;
const metricsEvery = 2;
const historyMs = 15 * 60_000;

/// `isConnected`, since when, the last readiness, and the metrics of the last 15 minutes.
export const live = { isConnected: true, lastAnswer: Date.now(), readiness: null, samples: [] };
const listeners = new Set();

/// Calls `listener` after each beat until the returned function is called.
export function watch(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function beat(count) {
  const signal = AbortSignal.timeout(answerMs);
  try {
    const answer = await fetch("/readyz", { signal, cache: "no-store", headers: authorization() });
    live.readiness = await answer.json();
    if (count % metricsEvery === 0) {
      const text = await (await fetch("/metrics", { signal, cache: "no-store" })).text();
      live.samples.push({ at: Date.now(), metrics: parseMetrics(text) });
      while (live.samples[0].at < Date.now() - historyMs) live.samples.shift();
    }
    live.lastAnswer = Date.now();
    live.isConnected = true;
  } catch {
    live.isConnected = false;
  }
  for (const listener of listeners) listener();
}

/// Starts the beat; a hidden tab asks for nothing, and asks at once when it is shown again.
export function startLive() {
  let count = 0;
  let timer;
  const next = async () => {
    clearTimeout(timer);
    if (document.hidden) return;
    const started = Date.now();
    await beat(count++);
    clearTimeout(timer);
    timer = setTimeout(next, Math.max(0, started + beatMs - Date.now()));
  };
  document.addEventListener("visibilitychange", next);
  next();
}

/// Repeats `work` every `interval` milliseconds while the gateway answers and the tab is visible, until the
/// returned function is called. `work` returns false to end it.
export function repeat(work, interval) {
  let isOver = false;
  const run = async () => {
    if (isOver) return;
    let goesOn = true;
    if (live.isConnected && !document.hidden) {
      goesOn = await work().catch(error => {
        // A gateway that does not answer is reported by the beat; a refusal stays one.
        if (!error.status || error.status >= 500) return true;
        dispatchEvent(new CustomEvent("dragoman:problem", { detail: error }));
        return false;
      });
    }
    if (!isOver && goesOn !== false) setTimeout(run, interval);
  };
  run();
  return () => { isOver = true; };
}

const finalStates = new Set(["sent", "failed", "expired", "cancelled"]);

/// Whether nothing happens to a notification any more by itself.
export function isFinal(notification) {
  return notification.deliveries.every(delivery => finalStates.has(delivery.status));
}

/// Reports a notification, now and after each change, until all is final or the returned function is called.
export function follow(id, report) {
  let last = "";
  return repeat(async () => {
    const notification = await call("GET", `/v1/notifications/${encodeURIComponent(id)}`);
    const text = JSON.stringify(notification);
    if (text !== last) report(notification);
    last = text;
    return !isFinal(notification);
  }, 700);
}
