// A line chart of the last minutes, drawn as SVG; each line is named and has its latest value beside it.
import { isolated, minutesAgo, t } from "../texts/texts.js";
import { fill, h } from "./dom.js";

const width = 600;
const height = 120;
/// The longest span, and the shorter ones for a page that was opened just now, in minutes.
const spans = [1, 2, 5, 15];
/// The gateway's own history has a point every 10 seconds, and one of them may be late.
const gapMs = 20_000;

/// A chart; `draw(lines)` takes `{name, points: [{at, value}]}`, and `format` turns values into texts.
export function chart(title, format) {
  const svg = h("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  const legend = h("ul", { class: "legend" });
  const top = h("span", { class: "soft" });
  const start = h("span", {});
  const box = h("section", { class: "chart panel" }, h("h2", {}, title, top), svg,
    h("p", { class: "axis soft", "aria-hidden": "true" }, start, h("span", {}, t("now"))), legend);
  box.draw = lines => {
    const end = Date.now();
    const shown = lines.filter(line => line.points.length);
    const max = Math.max(1e-9, ...shown.flatMap(line => line.points.map(point => point.value)));
    top.textContent = shown.length ? t("peak", { value: isolated(format(max)) }) : "";
    const oldest = end - Math.min(end, ...shown.map(line => line.points[0].at));
    const minutes = spans.find(span => oldest <= span * 60_000) ?? spans.at(-1);
    start.textContent = minutesAgo(minutes);
    const x = at => (width * (1 - (end - at) / (minutes * 60_000))).toFixed(1);
    const y = value => (height - 4 - (height - 10) * (value / max)).toFixed(1);
    fill(svg,
      [0.5, 1].map(part => h("line", { class: "grid", x1: 0, x2: width, y1: y(max * part), y2: y(max * part) })),
      shown.map((line, index) => h("path", { class: `series s${index % 6}`, d: path(line.points, x, y) })));
    const latest = shown.map(line => `${line.name} ${format(line.points.at(-1).value)}`);
    svg.setAttribute("aria-label", `${title}: ${latest.join(", ") || t("nothingYet")}`);
    fill(legend, shown.length ? shown.map((line, index) => h("li", { class: `s${index % 6}` },
      h("span", { class: "swatch" }), h("bdi", {}, line.name), " ", h("b", {}, h("bdi", {}, format(line.points.at(-1).value))))) : h("li", {}, t("nothingYet")));
  };
  return box;
}

/// A line with a gap where the page knew nothing for a while.
function path(points, x, y) {
  return points.map((point, index) => `${point.at - points[index - 1]?.at < gapMs ? "L" : "M"}${x(point.at)},${y(point.value)}`).join("");
}
