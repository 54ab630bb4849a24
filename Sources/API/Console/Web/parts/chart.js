// A line chart over time, drawn as SVG, with both axes; each line is named and has its value beside it: the latest or, while
// one points at the chart, that of the time under the pointer.
import { isolated, minutesAgo, t, time, when } from "../texts/texts.js";
import { fill, h, redraw } from "./dom.js";

const width = 600;
const height = 120;
/// The longest span of what a page sees itself, and the shorter ones for one that was opened just now, in minutes.
const spans = [1, 2, 5, 15];
/// How many intervals of samples a line may leave out before it has a gap.
const gapIntervals = 2;
const keySteps = 60;

/// A chart, and `format` turns values into texts. `draw(lines, {minutes, intervalMs})` takes `{name, hue, href, points: [{at,
/// value}], before}`, where `before` are the points of the day before, a day later; without `minutes`, the span fits the points.
export function chart(title, format) {
  const svg = h("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", tabindex: 0 });
  const legend = h("ul", { class: "legend" });
  const top = h("span", { class: "soft" });
  const high = h("span", {});
  const middle = h("span", {});
  const axis = h("p", { class: "axis soft", "aria-hidden": "true" });
  const box = h("section", { class: "chart panel" }, h("h2", {}, title, top),
    h("div", { class: "plot" }, svg, h("p", { class: "levels soft", "aria-hidden": "true" }, high, middle)), axis, legend);
  const pointer = h("line", { class: "pointer", y1: 0, y2: height });
  let lines = [];
  let start = 0;
  let end = 0;
  /// The time that one points at; null for none.
  let pointed = null;

  const x = at => (width * (at - start) / (end - start)).toFixed(1);
  box.draw = (given, { minutes, intervalMs = 10_000 } = {}) => {
    lines = given.filter(line => line.points.length);
    end = Date.now();
    const oldest = end - Math.min(end, ...lines.map(line => line.points[0].at));
    const span = minutes ?? spans.find(each => oldest <= each * 60_000) ?? spans.at(-1);
    start = end - span * 60_000;
    const peak = Math.max(0, ...lines.flatMap(line => line.points.map(point => point.value)));
    const max = rounded(Math.max(peak, ...lines.flatMap(line => (line.before ?? []).map(point => point.value))));
    const y = value => (height - 1 - (height - 2) * (value / max)).toFixed(1);
    top.dataset.peak = lines.length ? t("peak", { value: isolated(format(peak)) }) : "";
    fill(high, lines.length ? format(max) : "");
    fill(middle, lines.length ? format(max / 2) : "");
    fill(axis, ticks(span, end).map(text => h("span", {}, text)));
    fill(svg, [0, 0.5, 1].map(part => h("line", { class: "grid", x1: 0, x2: width, y1: y(max * part), y2: y(max * part) })),
      lines.map(line => [line.before?.length ? h("path", { class: `series before ${line.hue}`, d: path(line.before, x, y, intervalMs) }) : null,
        h("path", { class: `series ${line.hue}`, d: path(line.points, x, y, intervalMs) })]), pointer);
    const latest = lines.map(line => `${line.name} ${format(line.points.at(-1).value)}`);
    svg.setAttribute("aria-label", `${title}: ${latest.join(", ") || t("nothingYet")}`);
    point();
  };
  /// Shows the values of the time that one points at, or the latest.
  const point = () => {
    pointer.setAttribute("x1", pointed === null ? -9 : x(pointed));
    pointer.setAttribute("x2", pointed === null ? -9 : x(pointed));
    top.textContent = pointed === null ? top.dataset.peak : time(pointed);
    // A click on a link of the legend ends the pointing, and still finds the link.
    redraw(legend, h("ul", { class: "legend" }, lines.length ? lines.map(line => {
      const value = valueAt(line.points, pointed);
      const before = line.before?.length ? valueAt(line.before, pointed) : null;
      const name = [h("span", { class: "swatch" }), h("bdi", {}, line.name)];
      return h("li", { class: line.hue }, line.href ? h("a", { href: line.href }, name) : name, " ", h("b", {}, h("bdi", {}, format(value))),
        before === null ? null : h("span", { class: "soft" }, " ", t("dayBefore", { n: isolated(format(before)) })));
    }) : h("li", {}, t("nothingYet"))));
  };
  const pointAt = at => {
    pointed = at === null || !lines.length ? null : Math.max(start, Math.min(end, at));
    if (lines.length) point();
  };
  svg.addEventListener("pointermove", event => {
    const { left, width: wide } = svg.getBoundingClientRect();
    pointAt(start + (end - start) * (event.clientX - left) / wide);
  });
  svg.addEventListener("pointerleave", () => pointAt(null));
  svg.addEventListener("blur", () => pointAt(null));
  svg.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pointAt((pointed ?? end) + step * (end - start) / keySteps);
  });
  return box;
}

/// The next value above with one digit, so that half of it is a round value, too.
function rounded(value) {
  if (value <= 0) return 2;
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].find(digit => value <= digit * unit * 1.000_001) * unit;
}

/// The texts below a chart, from its start to now.
function ticks(minutes, end) {
  const starts = minutes < 15 ? [minutes] : [minutes, minutes * 2 / 3, minutes / 3];
  return [...starts.map(each => (minutes > 60 ? when(end - each * 60_000, minutes > 2 * 1440) : minutesAgo(Math.round(each)))), t("now")];
}

function valueAt(points, at) {
  if (at === null) return points.at(-1).value;
  return points.reduce((best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best)).value;
}

/// A line with a gap where nothing is known for a while.
function path(points, x, y, intervalMs) {
  return points.map((point, index) => `${point.at - points[index - 1]?.at < gapIntervals * intervalMs ? "L" : "M"}${x(point.at)},${y(point.value)}`).join("");
}
