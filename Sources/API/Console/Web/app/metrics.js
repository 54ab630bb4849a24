// Reads the Prometheus text format, as far as the gateway writes it.

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)",?/g;

/// What the console draws; 15 minutes of all else would only take memory.
const drawn = /^dragoman_(queue|deliver|notifications|fcm_request_duration_seconds_bucket|send_rate|breaker|catalog|app_wait)/;

/// The samples by metric name: `[{labels, value}]`.
export function parseMetrics(text) {
  const metrics = new Map();
  for (const row of text.split("\n")) {
    const match = drawn.test(row) ? line.exec(row) : null;
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(label)) labels[name] = value.replace(/\\(.)/g, "$1");
    const samples = metrics.get(match[1]) ?? [];
    samples.push({ labels, value: Number(match[3]) });
    metrics.set(match[1], samples);
  }
  return metrics;
}

/// The sum of a metric's samples whose labels are as given; `by` groups them by one label.
export function total(metrics, name, labels = {}, by) {
  const samples = (metrics.get(name) ?? [])
    .filter(sample => Object.entries(labels).every(([key, value]) => sample.labels[key] === value));
  if (!by) return samples.reduce((sum, sample) => sum + sample.value, 0);
  const groups = {};
  for (const sample of samples) groups[sample.labels[by]] = (groups[sample.labels[by]] ?? 0) + sample.value;
  return groups;
}

/// The quantile of what a histogram gained between two states of it, by its buckets; null if nothing came.
export function quantile(before, after, q) {
  const bounds = Object.keys(after).map(Number).filter(bound => !Number.isNaN(bound)).sort((a, b) => a - b);
  const key = bound => Object.keys(after).find(text => Number(text) === bound);
  const gained = bounds.map(bound => after[key(bound)] - (before[key(bound)] ?? 0));
  const all = (after["+Inf"] ?? 0) - (before["+Inf"] ?? 0);
  if (!(all > 0)) return null;
  const at = gained.findIndex(count => count >= q * all);
  if (at < 0) return bounds.at(-1);
  const [low, under] = at > 0 ? [bounds[at - 1], gained[at - 1]] : [0, 0];
  return low + (bounds[at] - low) * ((q * all - under) / (gained[at] - under || 1));
}
