// What the last reload of an app's catalog changed, since this tab was opened.
import { live, watch } from "./live.js";
import { total } from "./metrics.js";
import { currentApp, may, templates } from "./session.js";

/// What the tab knows of each app's catalog: `{loads, templates}`, and once it was reloaded `{changes, fresh, fixed, at}`.
const known = new Map();

/// How many reloads of the current app succeeded and failed; null before the first metrics.
export function reloadCounts() {
  const last = live.samples.at(-1);
  return last ? total(last.metrics, "dragoman_catalog_reloads_total", { app: currentApp() }, "result") : null;
}

/// The last reload of the current app's catalog that this tab has seen; undefined before the first.
export function lastReload() {
  const entry = known.get(currentApp());
  return entry?.changes && entry;
}

/// Calls `reloaded` whenever the current app's catalog was loaded again.
export function trackReloads(reloaded) {
  let isBusy = false;
  watch(async () => {
    const app = currentApp();
    const before = known.get(app);
    const counts = reloadCounts();
    // A reload that failed changed nothing.
    const loads = counts?.success ?? 0;
    if (isBusy || !counts || loads === before?.loads || !live.isConnected || !may("preview")) return;
    isBusy = true;
    try {
      const now = await templates(Boolean(before));
      known.set(app, { ...before, loads, templates: now, ...(before ? { ...differences(before.templates, now), at: Date.now() } : {}) });
      if (before) reloaded();
    } catch {
      // The next beat tries again, and shows whether the gateway answers.
    }
    isBusy = false;
  });
}

/// The templates that differ, and how many findings are new and fixed.
function differences(before, after) {
  const old = new Map(before.map(template => [template.name, JSON.stringify(template)]));
  const names = new Set(after.map(template => template.name));
  const [had, has] = [before, after].map(all => new Set(all.flatMap(({ findings }) => findings.map(({ line, ...finding }) => JSON.stringify(finding)))));
  return {
    changes: [
      ...after.filter(({ name }) => !old.has(name)).map(({ name }) => ["added", name]),
      ...after.filter(template => old.has(template.name) && old.get(template.name) !== JSON.stringify(template)).map(({ name }) => ["changed", name]),
      ...before.filter(({ name }) => !names.has(name)).map(({ name }) => ["removed", name]),
    ],
    fresh: [...has].filter(finding => !had.has(finding)).length,
    fixed: [...had].filter(finding => !has.has(finding)).length,
  };
}
