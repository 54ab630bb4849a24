// Where a phone breaks and cuts a text: at the same character in every window, because widths.js measures it.
import { graphemeWidth } from "./widths.js";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });
/// Scripts without spaces between words; of the second, a line may break between any two characters.
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]/u;
const ideographs = /^[\u2e80-\u9fff\uf900-\ufaff]/u;
const opening = /[\p{Ps}\p{Pi}]$/u;
const closing = /^[\p{Pe}\p{Pf}\p{Po}ー]/u;
const ellipsis = "…";

/// Latin, Greek and Cyrillic texts without combining marks need no segmenter, which is slow.
const simple = /^[\n\u0020-\u024f\u0370-\u04ff\u2010-\u203a]*$/;
const simpleParts = /\n|[^\s–—-]*[–—-]*[^\S\n]*/g;

const split = text => (simple.test(text) ? [...text] : [...graphemes.segment(text)].map(({ segment }) => segment));

/// The width of a text that stays on one line, in the units of `size`.
export function textWidth(text, font, size) {
  return split(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme, font), 0) * size;
}

/// The parts of a text between which a line may break, with the spaces behind them; "\n" is a part of its own.
function parts(text) {
  if (simple.test(text)) return text.match(simpleParts).filter(Boolean);
  const found = [];
  for (const { segment } of words.segment(text)) {
    for (const piece of ideographs.test(segment) ? split(segment) : [segment]) {
      const last = found.at(-1);
      const breaks = last === undefined || last === "\n" || piece === "\n" || /[-–—]$/.test(last) || !/^\s/.test(piece) && /\s$/.test(last)
        || (unspaced.test(last.at(-1)) || unspaced.test(piece[0])) && !opening.test(last) && !closing.test(piece) && !/^\s/.test(piece);
      if (breaks) found.push(piece); else found[found.length - 1] += piece;
    }
  }
  return found;
}

/// As many of the graphemes as have room.
function fitting(all, room, font, size) {
  let used = 0;
  const over = all.findIndex(grapheme => (used += graphemeWidth(grapheme, font) * size) > room);
  return over < 0 ? all.length : over;
}

/// Lays a text out: `lines` of `{text, width}`, at most `max`, of which the first has room for `first`; and `shown`, the
/// number of characters that appear if not all do.
export function layOut(text, { font, size, width, first = width, max = Infinity }) {
  const waiting = parts(text.replace(/\r\n?/g, "\n"));
  const lines = [];
  let line = "";
  while (waiting.length && lines.length < max) {
    const room = lines.length ? width : first;
    let used = 0;
    line = "";
    while (waiting.length && waiting[0] !== "\n") {
      if (used + textWidth(waiting[0].trimEnd(), font, size) <= room) {
        used += textWidth(waiting[0], font, size);
        line += waiting.shift();
        continue;
      }
      if (line) break;
      // A word that is longer than a line.
      const all = split(waiting[0]);
      const count = Math.max(1, fitting(all, room, font, size));
      line = all.slice(0, count).join("");
      waiting[0] = all.slice(count).join("");
      break;
    }
    if (waiting[0] === "\n" && (lines.length + 1 < max || waiting.length === 1)) waiting.shift();
    lines.push(line);
  }
  let shown;
  if (waiting.length) {
    const behind = waiting.indexOf("\n");
    const all = split(line + waiting.slice(0, behind < 0 ? waiting.length : behind).join(""));
    const room = (lines.length > 1 ? width : first) - textWidth(ellipsis, font, size);
    const kept = all.slice(0, fitting(all, room, font, size)).join("").trimEnd();
    lines[lines.length - 1] = kept + ellipsis;
    shown = lines.reduce((sum, each) => sum + split(each).length, -1);
  }
  return { lines: lines.map(each => ({ text: each.trimEnd(), width: textWidth(each.trimEnd(), font, size) })), shown };
}
