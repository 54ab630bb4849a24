// What the gateway has kept of the past, for the times that this tab has not seen itself.
import { call } from "./api.js";
import { live } from "./live.js";

/// The history of an app with a sample each `intervalSeconds`: `samples` are `{at, sample}` by this page's clock, oldest first,
/// and `codes` all error codes in them.
export class History {
  samples = [];
  codes = [];

  constructor(app, intervalSeconds) { Object.assign(this, { app, intervalSeconds }); }

  get isLive() { return this.intervalSeconds <= 10; }

  /// Asks the gateway. What it no longer knows, since it was restarted, stays as it was.
  async load() {
    const answer = await call("GET", `/v1/stats/history?app=${encodeURIComponent(this.app)}&interval=${this.intervalSeconds}`).catch(error => {
      // Deliveries of an app outlive the app, which has no history then.
      if (error.status === 422) return null;
      throw error;
    });
    if (!answer) return;
    const offset = Date.now() - Date.parse(answer.now);
    const near = answer.interval_seconds * 1000;
    const fresh = answer.samples.map(sample => ({ at: Date.parse(sample.at) + offset, sample }));
    const start = fresh[0]?.at ?? Infinity;
    this.samples = [...this.samples.filter(({ at }) => at < start - near), ...fresh.filter(({ at }) => !this.isLive || !isSeen(at, near / 2))];
    this.codes = [...new Set(this.samples.flatMap(({ sample }) => Object.keys(sample.errors)))].sort();
  }
}

/// Whether the tab has its own points at about this time.
function isSeen(at, near) {
  return live.samples.some((sample, index) => index > 0 && Math.abs(sample.at - at) < near);
}
