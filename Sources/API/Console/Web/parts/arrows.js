// The arrow keys from a search into what it has found, and from one to the next. Lists that draw only the rows in sight have
// their own (list.js).

/// ArrowDown leads from `search` to the first of the rows in `list`, each of which has a link.
export function leadInto(search, list, rows) {
  const links = () => [...list.querySelectorAll(rows)].map(row => row.querySelector("a")).filter(Boolean);
  const go = (event, index) => {
    const all = links();
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, index))]?.focus();
  };
  search.addEventListener("keydown", event => { if (event.key === "ArrowDown") go(event, 0); });
  list.addEventListener("keydown", event => {
    const at = links().indexOf(event.target.closest(rows)?.querySelector("a"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: Infinity }[event.key];
    if (to !== undefined) go(event, to);
  });
}
