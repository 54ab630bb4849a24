// A list of any length, of which the page has only the rows in sight. One stop for the Tab key; arrows, Home, End and the page
// keys move between the rows.
import { h, redraw } from "./dom.js";

/// Rows beyond those in sight, so that a key always finds the next one.
const spare = 12;
const pageRows = 10;

/// `row(item)` makes the link of an item, without listeners and as high as all others; `item.id` identifies it. `end()` is
/// called when the last row is near, `moved()` when others came into sight, `choose(item)` instead of following a link.
export function rowList({ label, name, row, choose, end, moved }) {
  const rows = new Map();
  let items = [];
  let active = null;
  let height = 0;
  let isAsked = false;
  let wasShown = false;
  const element = h("ul", { class: `rows ${name}`, "aria-label": label, tabindex: -1 });

  /// The indices of the rows that the window has room for, from the first to behind the last.
  const inSight = () => {
    const { top } = element.getBoundingClientRect();
    const bounded = index => Math.max(0, Math.min(items.length, index));
    return height ? [bounded(Math.floor(-top / height)), bounded(Math.ceil((innerHeight - top) / height))] : [0, bounded(1)];
  };
  /// Draws the rows in sight, or those around the index.
  const draw = index => {
    wasShown ||= element.isConnected;
    const [first, behind] = index === undefined ? inSight() : [index, index];
    const from = Math.max(0, first - spare);
    const shown = new Map(items.slice(from, behind + spare).map(item => [item.id, item]));
    for (const [id, node] of rows) {
      if (shown.has(id)) continue;
      // The keys still work when what had the focus was scrolled away.
      if (node.contains(document.activeElement)) element.focus({ preventScroll: true });
      node.remove();
      rows.delete(id);
    }
    const stop = shown.has(active) ? active : items[Math.min(first, items.length - 1)]?.id;
    [...shown].forEach(([id, item], at) => {
      const fresh = h("li", { "aria-setsize": items.length, "aria-posinset": from + at + 1, dataset: { id } }, row(item));
      fresh.firstChild.tabIndex = id === stop ? 0 : -1;
      if (rows.has(id)) redraw(rows.get(id), fresh); else rows.set(id, fresh);
      const node = rows.get(id);
      if (element.children[at] !== node) element.insertBefore(node, element.children[at] ?? null);
    });
    element.style.paddingTop = `${from * height}px`;
    element.style.paddingBottom = `${(items.length - from - shown.size) * height}px`;
    const now = element.firstElementChild?.getBoundingClientRect().height;
    if (now && now !== height) {
      height = now;
      draw(index);
    } else if (behind + spare >= items.length) end?.();
  };
  const move = index => {
    active = items[index].id;
    draw(index);
    const node = rows.get(active);
    node.firstChild.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
  };
  element.addEventListener("keydown", event => {
    const at = items.findIndex(item => item.id === active);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + pageRows, PageUp: at - pageRows, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || !items.length) return;
    event.preventDefault();
    move(Math.max(0, Math.min(items.length - 1, to)));
  });
  element.addEventListener("focusin", event => {
    const id = event.target.closest("li")?.dataset.id;
    if (!id || id === active) return;
    active = id;
    draw();
  });
  element.addEventListener("click", event => {
    const id = event.target.closest("li")?.dataset.id;
    if (!choose || !id || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(items.find(item => item.id === id));
  });
  // A list that was taken off the page stops listening.
  const over = new AbortController();
  const scrolled = () => {
    if (!isAsked) requestAnimationFrame(() => {
      isAsked = false;
      if (element.isConnected) {
        draw();
        moved?.();
      } else if (wasShown) over.abort();
    });
    isAsked = true;
  };
  document.addEventListener("scroll", scrolled, { capture: true, passive: true, signal: over.signal });
  addEventListener("resize", scrolled, { signal: over.signal });
  return {
    element, inSight,
    /// Shows these items; what is in sight stays where it is when others come in above it.
    show: fresh => {
      const [first] = inSight();
      const kept = first > 0 ? items[first]?.id : null;
      items = fresh;
      const added = kept ? items.findIndex(item => item.id === kept) - first : 0;
      if (added > 0) scroller(element).scrollTop += added * height;
      draw();
    },
    enter: () => items.length && move(inSight()[0]),
  };
}

/// What scrolls when the element's rows are scrolled.
function scroller(element) {
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (box.scrollHeight > box.clientHeight && getComputedStyle(box).overflowY === "auto") return box;
  }
  return document.scrollingElement;
}
