/**
 * A small Dragoman client for Node 18+, Deno, Bun and browsers: copy it into your service.
 *     const client = new Dragoman("http://127.0.0.1:8080");
 *     const sent = await client.send({ template: "welcome", to: { token: "alice-phone" }, args: { name: "Alice" } });
 *     console.log((await client.wait(sent.id)).status);
 */

export type Target = { token: string } | { fid: string } | { topic: string } | { condition: string };
export type Recipients = Target | { tokens: string[] } | { fids: string[] }; // A topic by language: a delivery for each.

export interface NotificationRequest {
  template: string;
  to: Recipients;
  args?: Record<string, string | number | boolean>;
  app?: string;
  data?: Record<string, string>;
  ttl?: string;
  priority?: "high" | "normal";
  collapse_key?: string;
  analytics_label?: string;
  send_at?: string;
  /** What you know about the devices of the targets; it decides who renders the texts. */
  recipient?: Recipient;
  render?: "device" | "gateway" | "auto";
  /** For a template of a Live Activity: its token, and what happens to it. Dates are RFC 3339. */
  live_activity?: {
    token: string; event: "start" | "update" | "end"; stale_date?: string; dismissal_date?: string; relevance_score?: number;
  };
}

export interface Recipient {
  platform?: "android" | "ios" | "web";
  app_version?: string;
  /** A BCP 47 tag, or all of the user's languages in order. */
  locale?: string | string[];
  /** An IANA name; "UTC" by default. */
  time_zone?: string;
}

export type DeliveryStatus = "scheduled" | "queued" | "sending" | "sent" | "failed" | "expired" | "cancelled";

export interface Delivery {
  id: string;
  target: Target;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at?: string;
  message_name?: string;
  error?: { code: string; http_status?: number; message: string; apns_reason?: string };
  attempt_log?: Record<string, string | number | boolean | null>[];
  message?: Record<string, unknown>;
  updated_at: string;
}

export interface Notification {
  id: string;
  app: string;
  template: string;
  status: DeliveryStatus | "partial";
  created_at: string;
  client?: string;
  deliveries: Delivery[];
}

/** An error that Dragoman returned (RFC 9457); `errors` lists every mistake. */
export class Problem extends Error {
  type!: string;
  title!: string;
  status!: number;
  detail!: string;
  errors?: { pointer: string; code: string; detail: string }[];
  constructor(body: { title: string; detail: string; status: number }) {
    super(`${body.title}: ${body.detail}`);
    Object.assign(this, body);
  }
}

/** Statuses that pass by themselves: of Dragoman, or of a proxy that does not reach it. */
const temporary = new Set([429, 502, 503, 504]);
/** Node 18 and pages without TLS have no `crypto.randomUUID`. */
const newKey = () => globalThis.crypto?.randomUUID?.() ?? [Date.now(), Math.random(), Math.random()].join("-");
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export class Dragoman {
  readonly url: string;
  readonly key: string | undefined;
  readonly tries: number;
  constructor(url: string, key?: string, tries = 5) { [this.url, this.key, this.tries] = [url, key, tries]; }

  /** Sends exactly one notification, even if it retries. */
  send(request: NotificationRequest, idempotencyKey = newKey()): Promise<Notification> {
    return this.ask("POST", "/v1/notifications", request, { "Idempotency-Key": idempotencyKey });
  }

  show = (id: string) => this.ask("GET", `/v1/notifications/${encodeURIComponent(id)}`);
  cancel = (id: string) => this.ask("DELETE", `/v1/notifications/${encodeURIComponent(id)}`);

  /** Returns the notification once all of its deliveries are final, or as it is after `seconds`. */
  async wait(id: string, seconds = 30): Promise<Notification> {
    for (const end = Date.now() + seconds * 1000; ; await pause(200)) {
      const found = await this.show(id);
      if (!["scheduled", "queued", "sending"].includes(found.status) || Date.now() > end) return found;
    }
  }

  private async ask(method: string, path: string, body?: unknown, extra = {}): Promise<Notification> {
    const headers: Record<string, string> = { "Content-Type": "application/json", ...extra };
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    for (let left = this.tries - 1; ; left--) {
      const answer = await fetch(this.url + path, { method, headers, body: body ? JSON.stringify(body) : null })
        .catch((error) => (left ? null : Promise.reject(error))); // The idempotency key makes a retry safe.
      const found = await answer?.json().catch(() => null); // Null for a proxy's page, or what was cut off.
      if (answer?.ok && found) return found;
      const passes = !answer || answer.ok || temporary.has(answer.status) || found?.type === "/problems/idempotency-conflict";
      if (answer && (!passes || !left)) throw new Problem({ title: "No JSON", detail: String(answer.status), status: answer.status, ...found });
      await pause((Number(answer?.headers.get("Retry-After")) || 1) * 1000);
    }
  }
}
