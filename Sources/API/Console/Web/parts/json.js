// JSON with its parts in colors.
import { h } from "./dom.js";

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/g;

/// A value as indented, highlighted text; it can be scrolled with the keyboard.
export function highlighted(value, label) {
  const text = JSON.stringify(value, null, 2);
  const pre = h("pre", { class: "code", tabindex: "0", dir: "ltr", role: "region", "aria-label": label });
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, number] = match;
    const kind = string ? (colon ? "name" : "string") : number ? "number" : "word";
    const part = string ?? whole;
    pre.append(text.slice(end, match.index), h("span", { class: kind }, part));
    end = match.index + part.length;
  }
  pre.append(text.slice(end));
  return pre;
}
