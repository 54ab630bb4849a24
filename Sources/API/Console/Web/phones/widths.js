// How wide texts are on phones, whatever fonts the viewer has, by the table that scripts/font-widths makes and `check` uses too
// (docs/devices.md, "Length").
import table from "./widths.json" with { type: "json" };

/// The parts of an em in which widths are, and where the texts of collapsed notifications are cut.
export const { units, collapsed } = table;

/// By code point.
const fonts = Object.fromEntries(Object.entries(table.fonts).map(([font, digits]) => {
  const codes = table.ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
  return [font, new Map(codes.map((code, index) => [code, table.digits.indexOf(digits[index])]))];
}));

function codePointWidth(character, widths) {
  const code = character.codePointAt(0);
  // The mean of a script counts its marks.
  const own = widths.get(code) ?? table.scripts.find(([first, last]) => code >= first && code <= last)?.[2];
  if (own !== undefined) return own;
  if (/\s/.test(character)) return widths.get(0x20);
  return /[\p{M}\p{Cf}\p{Cc}]/u.test(character) ? 0 : table.unknown;
}

/// The width of a grapheme, in units, in a font such as `android400`.
export function graphemeWidth(grapheme, font) {
  const widths = fonts[font];
  if (grapheme.length === 1 && widths.has(grapheme.charCodeAt(0))) return widths.get(grapheme.charCodeAt(0));
  if (/\p{Emoji}/u.test(grapheme)) return table.emoji;
  return [...grapheme].reduce((sum, character) => sum + codePointWidth(character, widths), 0);
}
