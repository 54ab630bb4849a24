// Keyboard shortcuts: `g` and a letter opens a view, `/` goes to the search, `?` shows the sheet.
import { showHelp } from "../parts/dialog.js";
import { t } from "../texts/texts.js";
import { open } from "./router.js";
import { viewsAllowed } from "./views.js";

const secondKeyMs = 1500;

export function helpSheet() {
  showHelp([
    ...viewsAllowed().map(view => [`g ${view.key}`, t(view.label)]),
    ["/", t("search")], ["?", t("shortcuts")], ["Esc", t("close")],
  ]);
}

/// Listens on the whole page; keys typed into a field stay text.
export function listenForShortcuts() {
  let wentAt = 0;
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const view = Date.now() - wentAt < secondKeyMs && viewsAllowed().find(each => each.key === event.key);
    wentAt = event.key === "g" ? Date.now() : 0;
    if (view) open([view.name]);
    else if (event.key === "/") document.querySelector("main input[type=search]")?.focus();
    else if (event.key === "?") helpSheet();
    else return;
    event.preventDefault();
  });
}
