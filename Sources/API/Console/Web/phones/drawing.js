// Draws a phone with what its lock screen shows, as SVG in the phone's own units. It is scaled as a whole, so that a text is cut
// at the same character in every window (docs/devices.md, "Length").
import { h } from "../parts/dom.js";
import { layOut, textWidth } from "./lines.js";
import { iconOf } from "./icons.js";
import { collapsed } from "./widths.js";

/// Widths of screens, cards and texts in dp (Android 12 and later, AOSP `dimens.xml`) and pt (iOS 17 and later), and where the
/// first card is.
const screens = {
  android: { width: 412, margin: 16, top: 50, radius: 28, text: 52, edge: 16 },
  ios: { width: 393, margin: 8, top: 142, radius: 24, text: 64, edge: 14 },
};
const bezel = 6;
const gap = 8;
/// A card with more lines scrolls.
const linesMax = 20;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
let drawings = 0;

/// Whether a text's first letter is written from right to left (Unicode Bidirectional Algorithm, P2).
function isReadLeftwards(text) {
  const [letter] = text.match(/\p{L}/u) ?? [];
  return letter !== undefined && rightToLeft.test(letter);
}

/// What draws on a screen: everything is placed from where reading begins.
class Pen {
  constructor(platform, isMirrored) {
    Object.assign(this, screens[platform], { platform, isMirrored });
    this.card = this.width - 2 * this.margin;
    this.room = collapsed[platform].body.room;
    this.start = this.margin + this.text;
  }

  left(x, width) { return this.isMirrored ? this.width - x - width : x; }

  rect(x, y, width, height, props) { return h("rect", { x: this.left(x, width), y, width, height, ...props }); }

  font(weight) { return `${this.platform}${weight}`; }

  /// One line at the start of a box, or at its end or in its middle; as wide as it was measured, in whatever font the viewer has.
  line({ text, width }, { x, room, y, height, size, weight = 400, name, align = "start", leftwards = isReadLeftwards(text), marks }) {
    const at = this.left(x, room) + ({ start: 0, middle: room / 2, end: room }[align === "middle" || !this.isMirrored ? align : align === "start" ? "end" : "start"]);
    const isLeft = align !== "middle" && (align === "start") !== this.isMirrored;
    return h("text", {
      x: at, y: y + height / 2 + size * .35, "font-size": size, "font-weight": weight, class: name, direction: leftwards ? "rtl" : "ltr",
      "text-anchor": align === "middle" ? "middle" : isLeft !== leftwards ? "start" : "end",
      textLength: width > 0 ? Math.round(width * 100) / 100 : null, lengthAdjust: "spacingAndGlyphs",
    }, marks ? text.split(marks).map(part => (marks.test(part) ? h("tspan", { class: "marked" }, part) : part)) : text);
  }

  /// The lines of a text below each other: `{nodes, height, width of the last line}`.
  block(text, { x = this.start, y, room = this.room, first = room, height, size, weight = 400, max, name, align, isMarked, marks }) {
    const lines = layOut(text, { font: this.font(weight), size, width: room, first, max });
    const leftwards = isReadLeftwards(text);
    const nodes = lines.flatMap((line, index) => {
      const top = y + index * height;
      return [isMarked ? this.rect(x - 3, top + 1, line.width + 6, height - 2, { rx: 4, class: "mark" }) : null,
        this.line(line, { x, room, y: top, height, size, weight, name: isMarked ? "marked" : name, align, leftwards, marks })];
    });
    return { nodes, height: lines.length * height, last: lines.at(-1)?.width ?? 0 };
  }

  /// A short text at the end of a box.
  aside(text, y, height, size, room = this.card - this.text - this.edge) {
    return this.line({ text, width: textWidth(text, this.font(400), size) }, { x: this.start, room, y, height, size, name: "dim", align: "end" });
  }

  /// The gap that a missing line leaves, with the console's words.
  ghost(text, { x = this.start, y, height, size }) {
    const width = textWidth(text, this.font(400), size - 2);
    return { nodes: [this.rect(x, y + 2, width + 12, height - 4, { rx: 5, class: "ghost" }),
      this.line({ text, width }, { x: x + 6, room: width, y, height, size: size - 2, name: "ghosttext" })], height, last: width + 12 };
  }

  /// The app's icon, as soon as it is known; until then, and without one, a neutral one.
  appIcon(id, y, size, radius) {
    const x = this.left(this.margin + this.edge, size);
    const drawn = h("g", { class: "appicon" }, h("rect", { x, y, width: size, height: size, rx: radius, class: "app" }),
      h("path", { transform: `translate(${x + size * .2} ${y + size * .2}) scale(${size * .025})`, d: "M5 7h14v9H11l-4 4v-4H5z", class: "glyph" }));
    if (id) iconOf(id, radius / size).then(href => href && drawn.replaceChildren(h("image", { x, y, width: size, height: size, href })));
    return drawn;
  }

  box(y, height) { return this.rect(this.margin, y, this.card, height, { rx: this.radius, class: "card" }); }

  slot(slot, options) {
    return slot.kind === "gap" ? this.ghost(slot.text, options)
      : this.block(slot.text, { ...options, isMarked: slot.kind === "key", marks: slot.kind === "null" ? /(<null>)/ : null });
  }
}

/// A notification as its phone shows it: `{nodes, height}`. `slots` has the title, the subtitle and the body, each
/// `{kind: "text" | "key" | "null" | "gap", text}` or null; `icon` is the id of the app's, and `now` says when it came.
export function notificationCard({ app, icon, now, slots, isExpanded }) {
  return (pen, y) => (pen.platform === "ios" ? appleCard : isExpanded ? openAndroidCard : androidCard)(pen, y, { app, icon, now, slots, isExpanded });
}

/// Since Android 12, the title of a collapsed notification stands in the top line, in place of the app's name.
function androidCard(pen, y, { app, icon, now, slots: { title, body } }) {
  const when = `· ${now}`;
  const whenWidth = textWidth(when, pen.font(400), 12);
  const [top, height] = body ? [20, 88] : [16, 56];
  const line = { y: y + top, height: 24 };
  const first = title ? pen.slot(title, { ...line, ...collapsed.android.title })
    : pen.block(app, { ...line, ...collapsed.android.title, size: 12, weight: 400, name: "dim" });
  const second = body ? pen.slot(body, { ...line, y: y + top + 24, ...collapsed.android.body }) : null;
  const time = pen.line({ text: when, width: whenWidth }, { x: pen.start + first.last + 6, room: whenWidth, y: y + top, height: 24, size: 12, name: "dim" });
  return { height,
    nodes: [pen.box(y, height), pen.appIcon(icon, y + height / 2 - 12, 24, 12), first.nodes, time, second?.nodes, pill(pen, y + height / 2 - 12)] };
}

function openAndroidCard(pen, y, { app, icon, now, slots }) {
  const room = pen.card - pen.text - 16;
  const head = pen.block(`${app} · ${now}`, { y: y + 16, height: 24, size: 12, max: 1, name: "dim" });
  const nodes = [];
  let height = 46;
  for (const [slot, weight] of [[slots.title, 500], [slots.body, 400]]) {
    if (!slot) continue;
    const block = pen.slot(slot, { y: y + height, room, height: 20, size: 14, weight, max: linesMax });
    nodes.push(block.nodes);
    height += block.height;
  }
  height += 20;
  return { height, nodes: [pen.box(y, height), pen.appIcon(icon, y + 16, 24, 12), head.nodes, nodes, pill(pen, y + 16, true)] };
}

/// What expands an Android notification.
function pill(pen, y, isOpen) {
  const x = pen.left(pen.margin + pen.card - 40, 24);
  const d = isOpen ? "M7 14l5-5 5 5" : "M7 10l5 5 5-5";
  return h("g", { class: "pill" }, h("rect", { x, y, width: 24, height: 24, rx: 12 }), h("path", { d, transform: `translate(${x} ${y})` }));
}

/// A card without a title has the app's name in its place.
function appleCard(pen, y, { app, icon, now, slots, isExpanded }) {
  const rows = [["title", slots.title ?? { kind: "text", text: app }], ["subtitle", slots.subtitle], ["body", slots.body]].filter(([, slot]) => slot);
  const nodes = [];
  let height = 12;
  rows.forEach(([name, slot]) => {
    const { room, ...line } = collapsed.ios[name];
    const block = pen.slot(slot, { y: y + height, height: 20, ...line, first: room, ...(isExpanded ? { max: linesMax } : {}) });
    nodes.push(block.nodes);
    height += block.height;
  });
  height = Math.max(62, height + 12);
  return { height, nodes: [pen.box(y, height), pen.appIcon(icon, y + height / 2 - 19, 38, 9), pen.aside(now, y + 12, 20, 13), nodes] };
}

/// The dialog of an app that crashes on the message, and with which exception it does.
export function crashDialog({ title, exception, close }) {
  return (pen, y) => {
    const x = pen.margin + 24;
    const room = pen.card - 48;
    const head = pen.block(title, { x, room, y: y + 20, height: 26, size: 19, weight: 500 });
    const cause = pen.block(exception, { x, room, y: y + 28 + head.height, height: 19, size: 13, name: "cause" });
    const height = 76 + head.height + cause.height;
    const choice = pen.block(close, { x, room, y: y + height - 40, height: 24, size: 14, weight: 500, max: 1 });
    return { height, nodes: [pen.box(y, height), head.nodes, cause.nodes, choice.nodes] };
  };
}

/// What the console says on a phone.
export function note(text) {
  return (pen, y) => {
    const block = pen.block(text, { x: pen.margin + 16, room: pen.card - 32, y: y + 12, height: 22, size: 15, name: "dim", align: "middle" });
    return { height: block.height + 24, nodes: block.nodes };
  };
}

/// What an app draws a Live Activity from: only the app knows how.
export function activityCard({ icon, head, facts }) {
  return (pen, y) => {
    const first = pen.block(head, { y: y + 12, height: 20, size: 13, max: 1, name: "dim" });
    let height = 12 + first.height;
    const nodes = facts.map(([name, value]) => {
      const label = pen.block(name, { y: y + height, room: 100, height: 22, size: 13, max: 1, name: "dim" });
      const block = pen.block(value, { x: pen.start + 108, y: y + height, room: pen.room - 108, height: 22, size: 15, weight: 600, max: 3 });
      height += Math.max(label.height, block.height);
      return [label.nodes, block.nodes];
    });
    height = Math.max(62, height + 12);
    return { height, nodes: [pen.box(y, height), pen.appIcon(icon, y + 12, 38, 9), first.nodes, nodes] };
  };
}

/// The status bar, and on an iPhone the clock of the lock screen.
function statusBar(pen, clock, day) {
  const battery = x => h("g", { class: "battery" }, pen.rect(x, 17, 24, 12, { rx: 3, class: "rim" }), pen.rect(x + 2, 19, 15, 8, { rx: 1.5 }));
  if (pen.platform === "android") {
    return [pen.block(clock, { x: 24, room: 150, y: 11, height: 24, size: 14, weight: 500 }).nodes, battery(pen.width - 48)];
  }
  const middle = (text, y, height, size, weight) => pen.block(text, { x: 0, room: pen.width, y, height, size, weight, max: 1, align: "middle" }).nodes;
  return [pen.rect(pen.width / 2 - 60, 8, 120, 32, { rx: 16, class: "island" }), battery(pen.width - 52), middle(day, 46, 22, 16, 600), middle(clock, 68, 62, 58, 600)];
}

/// A phone's screen with the cards below each other; `arrived` are the cards that have just come.
export function drawing({ platform, isMirrored, clock, day, cards, arrived = [], least = 220 }) {
  const pen = new Pen(platform, isMirrored);
  let y = pen.top;
  const drawn = cards.map((card, index) => {
    const { nodes, height } = card(pen, y);
    y += height + gap;
    return h("g", { class: arrived[index] ? "notice arrived" : "notice", dataset: { index } }, nodes);
  });
  const height = Math.max(least, y + 16);
  const id = `wallpaper-${drawings += 1}`;
  const outline = `M0 ${height}V36a36 36 0 0 1 36-36H${pen.width - 36}a36 36 0 0 1 36 36V${height}`;
  const [x1, x2] = platform === "ios" ? [1, 0] : [0, 1];
  const svg = h("svg", { class: "drawing", viewBox: `${-bezel} ${-bezel} ${pen.width + 2 * bezel} ${height + bezel}`, "aria-hidden": "true" },
    h("defs", {}, h("linearGradient", { id, x1, x2, y1: 0, y2: 1 }, h("stop", { class: "sky1" }), h("stop", { class: "sky2", offset: 1 }))),
    h("path", { d: outline, fill: `url(#${id})`, class: "outline" }), statusBar(pen, clock, day), drawn);
  return svg;
}
