// Starts the console: texts, the key's scopes, the frame, and the view that the address names.
import { h, fill } from "../parts/dom.js";
import { loadTexts, t } from "../texts/texts.js";
import { startEvents, startLive, watch, live } from "./live.js";
import { trackReloads } from "./reloads.js";
import { place, redirect } from "./router.js";
import { learnScopes, lockOut, may, session } from "./session.js";
import { frame, outlet, say, sayFailure, showConnection, showPlace } from "./shell.js";
import { listenForShortcuts } from "./shortcuts.js";
import { viewsAllowed } from "./views.js";

let shown = null;
let turn = 0;

/// Shows the view of the address; the last one is closed first, unless it can go there itself.
async function route() {
  const { segments: [name, ...rest], query: asked } = place();
  if (!session.isLocked && shown?.name === name && shown?.go?.({ segments: rest, query: asked })) return;
  const mine = ++turn;
  shown?.close?.();
  shown = null;
  const views = viewsAllowed();
  const { segments, query } = place();
  if (session.isLocked) {
    say("");
    const { unlock } = await import("../views/unlock.js");
    return unlock(outlet, start);
  }
  const view = views.find(each => each.name === segments[0]);
  if (!view) return views[0] ? redirect([views[0].name]) : fill(outlet, h("p", { class: "empty" }, t("noScope")));
  showPlace(view.name);
  say("");
  try {
    const { show } = await view.load();
    if (mine !== turn) return;
    // What a view draws after another has been opened stays out of sight.
    const stage = h("div", {});
    fill(outlet, stage);
    const result = await show(stage, { segments: segments.slice(1), query });
    if (mine !== turn) return result?.close?.();
    shown = { ...result, name: view.name };
    document.title = `${shown.title ?? t(view.label)} · Dragoman`;
  } catch (error) {
    if (mine !== turn) return;
    fill(outlet);
    sayFailure(error);
  }
}

/// Draws what is shown anew.
async function refresh() {
  try { await (shown?.refresh ?? route)(); } catch (error) { sayFailure(error); }
}

/// Learns what the key may do, then shows the view; waits for the gateway if it does not answer.
async function start() {
  try {
    await learnScopes();
  } catch {
    fill(outlet, h("p", { class: "empty" }, t("connecting")));
    needsStart = true;
    return;
  }
  needsStart = false;
  startEvents(!session.isLocked && may("read"));
  frame();
  await route();
}

let needsStart = false;
let wasConnected = true;

await loadTexts();
frame();
listenForShortcuts();
watch(() => {
  showConnection();
  const returned = live.isConnected && !wasConnected;
  wasConnected = live.isConnected;
  // What was shown may have changed while the gateway was away.
  if (live.isConnected && needsStart) start();
  else if (returned) refresh();
});
addEventListener("hashchange", route);
addEventListener("dragoman:restart", start);
addEventListener("dragoman:problem", event => sayFailure(event.detail));
addEventListener("dragoman:locked", () => {
  if (session.isLocked || session.isLearning) return;
  lockOut();
  startEvents(false);
  frame();
  route();
});
trackReloads(() => { if (shown?.refresh) refresh(); });
startLive();
await start();
