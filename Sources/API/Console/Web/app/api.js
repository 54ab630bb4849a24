// Requests to the gateway's API with the key of this tab.

/// Where the gateway is, which may be below a path of its host.
const root = new URL("../..", import.meta.url).href;
/// The address of one of its paths, which begins with a slash.
export function at(path) { return root + path.slice(1); }

const keyName = "dragoman.key";
let key = sessionStorage.getItem(keyName) ?? "";

/// Keeps the key for this tab only; "" forgets it.
export function setKey(text) {
  key = text;
  if (text) sessionStorage.setItem(keyName, text); else sessionStorage.removeItem(keyName);
}
/// The header fields that name the key's holder.
export function authorization() { return key ? { Authorization: `Bearer ${key}` } : {}; }
export function hasKey() { return key !== ""; }

/// An answer that is not a success: `status`, `title`, `detail`, `errors` by JSON Pointer, and `retryAfter` in seconds, NaN
/// if the answer does not say it.
export class ProblemError extends Error {
  constructor(status, problem, retryAfter = null) {
    super([problem?.title, problem?.detail].filter(Boolean).join(": ") || `HTTP ${status}`);
    this.status = status;
    this.type = problem?.type ?? "";
    this.errors = problem?.errors ?? [];
    this.answer = problem;
    this.retryAfter = retryAfter === null ? NaN : Number(retryAfter);
  }
}

/// The client's rate limits how often the page may ask by itself.
export let isRateLimited = false;

/// Calls the API; throws a ProblemError, or an error without `status` if the gateway does not answer.
export async function call(method, path, body, { signal, headers = {} } = {}) {
  const used = key;
  const all = { ...headers, ...authorization() };
  if (method === "POST") all["Content-Type"] = "application/json";
  const answer = await fetch(at(path), {
    method, headers: all, signal: signal ?? AbortSignal.timeout(30_000), cache: "no-store",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.headers.has("RateLimit-Policy")) isRateLimited = true;
  const value = await answer.json().catch(error => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  if (answer.status === 401 && used === key && path.startsWith("/v1/")) dispatchEvent(new Event("dragoman:locked"));
  if (!answer.ok) throw new ProblemError(answer.status, value, answer.headers.get("Retry-After"));
  return value;
}

/// A new random Idempotency-Key; `crypto.randomUUID` exists only on https and localhost.
export function idempotencyKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}
