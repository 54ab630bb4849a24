// Where a phone breaks and cuts a text: at the same character in every window, because widths.js measures it. The gateway counts
// in the same way (CollapsedSlot.swift).
import { graphemeWidth, units } from "./widths.js";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });
/// Scripts without spaces between words; of the second, a line may break between any two characters.
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]/u;
const ideographs = /^[\u2e80-\u9fff\uf900-\ufaff]/u;
const opening = /[\p{Ps}\p{Pi}]$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}ー]/u;
const ellipsis = "…";

/// Latin, Greek and Cyrillic texts without combining marks need no segmenter, which is slow.
const simple = /^[\n\u0020-\u007e\u00a0-\u024f\u0370-\u0482\u048a-\u04ff\u2010-\u2027\u202f-\u203a]*$/;
const simpleParts = /\n|[^ \n–—-]*[–—-]* */g;
/// No line breaks at the others, which keep words together.
const space = "[^\\S\\u00a0\\u2007\\u202f]";
const [afterSpace, beforeSpace] = [new RegExp(`${space}$`), new RegExp(`^${space}`)];

const split = text => (simple.test(text) ? [...text] : [...graphemes.segment(text)].map(({ segment }) => segment));

const measure = (text, font) => split(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme, font), 0);

/// The width of a text that stays on one line, in dp or pt, as `size` is.
export function textWidth(text, font, size) { return measure(text, font) * size / units; }

/// The parts of a text between which a line may break, with the spaces behind them; "\n" is a part of its own.
function parts(text) {
  if (simple.test(text)) return text.match(simpleParts).filter(Boolean);
  const found = [];
  for (const { segment } of words.segment(text)) {
    for (const piece of ideographs.test(segment) ? split(segment) : [segment]) {
      const last = found.at(-1);
      const breaks = last === undefined || last === "\n" || piece === "\n" || !beforeSpace.test(piece) && (afterSpace.test(last)
        || /[-–—]$/.test(last) && !/^[-–—]/.test(piece)
        || (unspaced.test(last.at(-1)) || unspaced.test(piece[0])) && !opening.test(last) && !closing.test(piece));
      if (breaks) found.push(piece); else found[found.length - 1] += piece;
    }
  }
  return found;
}

/// As many of the graphemes as have room.
function fitting(all, room, font) {
  let used = 0;
  const over = all.findIndex(grapheme => (used += graphemeWidth(grapheme, font)) > room);
  return over < 0 ? all.length : over;
}

/// Lays a text out in lines of `{text, width}`: at most `max`, of which the first has room for `first`.
export function layOut(text, { font, size, width, first = width, max = Infinity }) {
  const waiting = parts(text.replace(/\r\n?/g, "\n"));
  const roomOf = length => Math.floor(length * units / size);
  const lines = [];
  let line = "";
  while (waiting.length && lines.length < max) {
    const room = roomOf(lines.length ? width : first);
    let used = 0;
    line = "";
    while (waiting.length && waiting[0] !== "\n") {
      if (used + measure(waiting[0].trimEnd(), font) <= room) {
        used += measure(waiting[0], font);
        line += waiting.shift();
        continue;
      }
      if (line) break;
      // A word that is longer than a line.
      const all = split(waiting[0]);
      const count = Math.max(1, fitting(all, room, font));
      line = all.slice(0, count).join("");
      waiting[0] = all.slice(count).join("");
      break;
    }
    if (waiting[0] === "\n" && (lines.length + 1 < max || waiting.length === 1)) waiting.shift();
    lines.push(line);
  }
  if (waiting.length) {
    const behind = waiting.indexOf("\n");
    const all = split(line + waiting.slice(0, behind < 0 ? waiting.length : behind).join(""));
    const room = roomOf(lines.length > 1 ? width : first) - measure(ellipsis, font);
    const kept = all.slice(0, fitting(all, room, font)).join("").trimEnd();
    lines[lines.length - 1] = kept + ellipsis;
  }
  return lines.map(each => ({ text: each.trimEnd(), width: textWidth(each.trimEnd(), font, size) }));
}
