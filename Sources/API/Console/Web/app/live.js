// All that changes by itself reaches the page through this module: by events, or by asking where there are none.
import { at, authorization, call } from "./api.js";
import { stream } from "./events.js";
import { parseMetrics } from "./metrics.js";

const beatMs = 1000;
const answerMs = 1500;
/// With events, readiness and metrics are asked for less often.
const metricsEvery = 2;
export const historyMs = 15 * 60_000;
/// The gateway sends a sign of life every second.
const silenceMs = 2500;
const changesMs = 1000;
const togetherMs = 50;

/// `isConnected`, since when, the last readiness, the queue as its last event says (null without events), and the metrics of
/// the last 15 minutes.
export const live = { isConnected: true, lastAnswer: Date.now(), readiness: null, queue: null, samples: [] };
const listeners = new Set();
const changeListeners = new Set();
let hasEvents = false;
let stopEvents = () => {};

/// Calls `listener` after each beat until the returned function is called.
export function watch(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell() { for (const listener of listeners) listener(); }

function connected(isConnected) {
  if (isConnected) live.lastAnswer = Date.now();
  if (live.isConnected === isConnected) return;
  live.isConnected = isConnected;
  tell();
}

/// Follows the gateway by events, if the key may read; otherwise the page asks.
export function startEvents(mayRead) {
  stopEvents();
  [stopEvents, hasEvents, live.queue] = [() => {}, false, null];
  if (!mayRead) return;
  stopEvents = stream("/v1/events", {
    silenceMs,
    alive: () => {
      hasEvents = true;
      connected(true);
    },
    broken: status => {
      // A refusal, such as too many streams, is an answer; asking goes on.
      hasEvents = false;
      live.queue = null;
      if (status === 0 || status === 200) connected(false);
    },
    take: (name, data) => {
      if (name === "queue") {
        // Many deliveries that change at once, or that expire, have no events of their own.
        const isSame = JSON.stringify(live.queue?.deliveries) === JSON.stringify(data.deliveries);
        live.queue = data;
        tell();
        if (isSame) return;
      }
      for (const listener of changeListeners) listener();
    },
  });
}

/// Calls `work` soon after something has happened to a notification, once in `pause` milliseconds at most, until the returned
/// function is called; without events, every `interval` milliseconds.
export function changes(work, interval, pause = changesMs) {
  let timer = null;
  const soon = () => {
    if (timer) return;
    timer = setTimeout(async () => {
      await work().catch(() => {});
      timer = null;
    }, pause);
  };
  changeListeners.add(soon);
  const stop = repeat(async () => hasEvents || work(), interval);
  return () => {
    stop();
    clearTimeout(timer);
    changeListeners.delete(soon);
  };
}

async function beat(count) {
  if (hasEvents && count % metricsEvery !== 0) return;
  const signal = AbortSignal.timeout(answerMs);
  try {
    const answer = await fetch(at("/readyz"), { signal, cache: "no-store", headers: authorization() });
    live.readiness = await answer.json();
    if (count % metricsEvery === 0) {
      const text = await (await fetch(at("/metrics"), { signal, cache: "no-store" })).text();
      live.samples.push({ at: Date.now(), metrics: parseMetrics(text) });
      while (live.samples[0].at < Date.now() - historyMs) live.samples.shift();
    }
    if (!hasEvents) connected(true);
  } catch {
    if (!hasEvents) connected(false);
  }
  tell();
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
        // A gateway that does not answer is reported by the beat; a refusal stays one, except of too many requests.
        if (!error.status || error.status >= 500 || error.status === 429) return true;
        announce(error);
        return false;
      });
    }
    if (!isOver && goesOn !== false) setTimeout(run, interval);
  };
  run();
  return () => { isOver = true; };
}

function announce(error) { dispatchEvent(new CustomEvent("dragoman:problem", { detail: error })); }

const finalStates = new Set(["sent", "failed", "expired", "cancelled"]);

/// Whether nothing happens to a notification any more by itself.
export function isFinal(notification) {
  return notification.deliveries.every(delivery => finalStates.has(delivery.status));
}

/// Reports a notification, now and after each change, until all is final or the returned function is called. While its app
/// sends nothing, it has `wait`. `attempted(data)` takes each attempt, and `refused(error)` why there is nothing to follow.
export function follow(id, report, attempted, refused = announce) {
  let shown = null;
  let timer = null;
  const attempts = [];
  // A thousand deliveries end in a thousand events, and are drawn together, each attempt before what came of it.
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      attempts.splice(0).forEach(attempted);
      report(shown);
    }, togetherMs);
  };
  // What happens next is shown as the time until then.
  const clock = setInterval(() => shown && live.isConnected && !isFinal(shown) && soon(), beatMs);
  const stop = stream(`/v1/notifications/${encodeURIComponent(id)}/events`, {
    silenceMs: 30_000,
    broken: status => {
      // Refused as one stream too many, or as unknown: the API says which.
      if (status >= 400) call("GET", `/v1/notifications/${encodeURIComponent(id)}`).then(report).catch(refused);
    },
    take: (name, data) => {
      if (name === "notification") {
        const isFirst = !shown;
        shown = { ...data, wait: shown?.wait };
        // What the attempts start from.
        if (isFirst) return report(shown);
      } else if (!shown) return;
      else if (name === "attempt") attempts.push(data);
      else if (name === "delivery") {
        shown = { ...shown, status: data.status, deliveries: shown.deliveries.map(each => (each.id === data.delivery.id ? data.delivery : each)) };
      } else if (name === "wait") shown = { ...shown, wait: data.wait };
      else return;
      soon();
    },
  });
  return () => {
    stop();
    clearTimeout(timer);
    clearInterval(clock);
  };
}
