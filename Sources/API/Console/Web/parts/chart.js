// A line chart of the last minutes, drawn as SVG; each line is named and has its latest value beside it.
import { t } from "../texts/texts.js";
import { fill, h } from "./dom.js";

const width = 600;
const height = 120;
const spanMs = 15 * 60_000;

/// A chart; `draw(lines)` takes `{name, points: [{at, value}]}`, and `format` makes texts of values.
export function chart(title, format) {
  const svg = h("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  const legend = h("ul", { class: "legend" });
  const top = h("span", { class: "soft" });
  const box = h("section", { class: "chart panel" }, h("h2", {}, title, top), svg,
    h("p", { class: "axis soft", "aria-hidden": "true" }, h("span", {}, t("minutesAgo", { n: 15 })), h("span", {}, t("now"))), legend);
  box.draw = lines => {
    const end = Date.now();
    const shown = lines.filter(line => line.points.length);
    const max = Math.max(1e-9, ...shown.flatMap(line => line.points.map(point => point.value)));
    top.textContent = shown.length ? format(max) : "";
    const x = at => (width * (1 - (end - at) / spanMs)).toFixed(1);
    const y = value => (height - 4 - (height - 10) * (value / max)).toFixed(1);
    fill(svg,
      [0.5, 1].map(part => h("line", { class: "grid", x1: 0, x2: width, y1: y(max * part), y2: y(max * part) })),
      shown.map((line, index) => h("polyline", { class: `series s${index % 6}`, points: path(line.points, x, y) })));
    const latest = shown.map(line => `${line.name} ${format(line.points.at(-1).value)}`);
    svg.setAttribute("aria-label", `${title}: ${latest.join(", ") || t("nothingYet")}`);
    fill(legend, shown.length ? shown.map((line, index) => h("li", { class: `s${index % 6}` },
      h("span", { class: "swatch" }), h("bdi", {}, line.name), " ", h("b", {}, format(line.points.at(-1).value)))) : h("li", {}, t("nothingYet")));
  };
  return box;
}

/// The points of a line; where the page knew nothing for a while, the line still connects what it knew.
function path(points, x, y) {
  return points.map(point => `${x(point.at)},${y(point.value)}`).join(" ");
}
