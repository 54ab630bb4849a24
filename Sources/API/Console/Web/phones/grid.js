// The keys of a table whose cells can be opened: one stop for the Tab key; arrows, Home, End and the page keys move, Enter and
// Space open, Escape closes (WAI-ARIA Authoring Practices, "Grid Pattern").
import { isRightToLeft, language } from "../texts/texts.js";

const pageRows = 10;

/// `open(cell)`, `moved(cell)` and `close()` answer the keys; `focus()` returns to the cell that was last used.
export function gridKeys(table, { open, moved, close }) {
  let current = null;
  const rows = () => [...table.tBodies].flatMap(body => [...body.rows]);
  const focusable = cell => cell?.querySelector("a") ?? cell;
  const find = (template, locale) => template && locale ? rows().flatMap(row => [...row.cells])
    .find(cell => cell.dataset.template === template && cell.dataset.locale === locale) : null;
  const use = cell => {
    if (current) focusable(current).tabIndex = -1;
    current = cell;
    if (cell) focusable(cell).tabIndex = 0;
  };
  const go = (row, column) => {
    const all = rows();
    const to = all[Math.max(0, Math.min(all.length - 1, row))]?.cells;
    if (!to) return;
    use(to[Math.max(0, Math.min(to.length - 1, column))]);
    focusable(current).focus();
    if (current.dataset.template) moved(current);
  };
  table.addEventListener("keydown", event => {
    const cell = event.target.closest("td, th");
    if (!cell?.closest("tbody")) return;
    const row = cell.parentElement.rowIndex - 1;
    const column = cell.cellIndex;
    const next = isRightToLeft(language) ? -1 : 1;
    const last = Infinity;
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + next], ArrowLeft: [row, column - next],
      PageDown: [row + pageRows, column], PageUp: [row - pageRows, column],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? last : row, last],
    };
    if (moves[event.key]) go(...moves[event.key]);
    else if (event.key === "Escape") close();
    else if ((event.key === "Enter" || event.key === " ") && cell.dataset.template) open(cell);
    else return;
    event.preventDefault();
  });
  table.addEventListener("click", event => {
    const cell = event.target.closest("td");
    if (!cell) return;
    use(cell);
    open(cell);
  });
  table.addEventListener("focusin", event => use(event.target.closest("td, th")));
  return {
    find,
    focus: () => current && focusable(current).focus(),
    /// After the table was drawn anew: the stop is at a cell, or at the first one.
    reset: (template, locale) => {
      current = null;
      use(find(template, locale) ?? rows()[0]?.cells[1] ?? null);
    },
  };
}
