// What this tab's key may do, and which app is shown.
import { at, call, hasKey, ProblemError, setKey } from "./api.js";
import { place } from "./router.js";

/// Whether a key is needed, whether the last one was refused, what the key may do in which apps, and the address of the
/// emulator in `dragoman dev`.
export const session = { isLocked: false, isRefused: false, isLearning: false, scopes: new Set(), apps: [], defaultApp: null, emulator: null };
const catalogs = new Map();

async function statusOf(method, path) {
  try {
    return { status: 200, value: await call(method, path) };
  } catch (error) {
    if (error instanceof ProblemError) return { status: error.status, value: null };
    throw error;
  }
}

/// Asks the gateway what the key may do, without changing anything. The notification "-" does not exist, so
/// the attempt to cancel it only shows whether the scope allows that.
export async function learnScopes() {
  session.isLearning = true;
  try {
    await learn();
  } finally {
    session.isLearning = false;
  }
}

async function learn() {
  forget();
  // Of what the scope `preview` allows, this is the least.
  const matrix = await statusOf("GET", "/v1/matrix");
  if (matrix.status === 401) return lockOut();
  const [readiness, stats, cancel] = await Promise.all([
    fetch(at("/readyz"), { cache: "no-store" }).then(answer => answer.json()),
    statusOf("GET", "/v1/stats"),
    // Without keys, everybody may do everything.
    hasKey() ? statusOf("DELETE", "/v1/notifications/-") : { status: 404 },
  ]);
  if (stats.status !== 403) session.scopes.add("read");
  if (cancel.status !== 403) session.scopes.add("send");
  if (readiness.emulator) session.scopes.add("emulator");
  session.emulator = readiness.emulator ?? null;
  session.apps = stats.value ? Object.keys(stats.value.apps) : await describedApps();
  // Which app a request without a name means.
  session.defaultApp = session.apps.length === 1 ? session.apps[0] : session.apps.includes("default") ? "default" : null;
  if (await mayPreview(matrix.status)) session.scopes.add("preview");
}

/// Whether the key has the scope; the default app may be refused although another one is not.
async function mayPreview(status) {
  if (status !== 403) return true;
  const [app] = session.apps;
  return app !== undefined && (await statusOf("GET", `/v1/matrix?app=${encodeURIComponent(app)}`)).status !== 403;
}

/// Asks for another key, and forgets this one and what it allowed to see: every further request with it would count as an
/// attempt to guess a key.
export function lockOut() {
  forget();
  Object.assign(session, { isLocked: true, isRefused: hasKey() });
  setKey("");
}

function forget() {
  catalogs.clear();
  Object.assign(session, { isLocked: false, isRefused: false, scopes: new Set(), apps: [], defaultApp: null });
}

/// The apps that the API's description names to the holder of this key.
async function describedApps() {
  const { value } = await statusOf("GET", "/openapi.json");
  const names = new Set();
  const visit = node => {
    if (!node || typeof node !== "object") return;
    if (typeof node.properties?.app?.const === "string") names.add(node.properties.app.const);
    Object.values(node).forEach(visit);
  };
  visit(value?.components?.schemas);
  return [...names].sort();
}

export function may(scope) { return session.scopes.has(scope); }

/// The app that the address names, otherwise the default one, otherwise the first.
export function currentApp() {
  return place().query.get("app") ?? session.defaultApp ?? session.apps[0] ?? null;
}

/// The app's name as its users could know it; null for the only or default one.
export function appName() {
  return currentApp() === "default" ? null : currentApp();
}

/// The app as a request names it: the default one needs no name.
export function namedApp() {
  const app = currentApp();
  return app && app !== session.defaultApp ? app : undefined;
}

/// The current app's templates; `fresh` asks the gateway again.
export async function templates(fresh) {
  const app = namedApp();
  if (fresh || !catalogs.has(app)) {
    const query = app ? `?app=${encodeURIComponent(app)}` : "";
    catalogs.set(app, await call("GET", `/v1/templates${query}`));
  }
  return catalogs.get(app).templates;
}

/// The current app's topics by language, once its templates are known: `{news: {en: "news.en"}}`.
export function languageTopics() {
  return catalogs.get(namedApp())?.topics ?? {};
}

/// The current app's findings by cause, worst first, as the gateway has them now.
export async function currentFindings() {
  await templates(true);
  return catalogs.get(namedApp()).finding_groups;
}

/// What is wrong with the current app's messages, by cause, worst first, and the shapes of these messages.
export function messageFindings() {
  const app = namedApp();
  return call("GET", `/v1/messages/findings?shapes=1${app ? `&app=${encodeURIComponent(app)}` : ""}`);
}
