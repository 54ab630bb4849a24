// Tabs with one stop for the Tab key; arrow keys move between them (ARIA Authoring Practices, Tabs).
import { h } from "./dom.js";

/// `tabs`: `[name, label]`; `choose(name)` shows one in the panel with the id `panel`.
export function tabList(tabs, selected, choose, label, panel) {
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const select = (name, focus) => {
    for (const tab of list.children) {
      const isSelected = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", isSelected);
      tab.tabIndex = isSelected ? 0 : -1;
      if (isSelected && focus) tab.focus();
    }
    choose(name);
  };
  list.append(...tabs.map(([name, text]) => h("button", {
    type: "button", role: "tab", "aria-selected": String(name === selected), "aria-controls": panel,
    tabindex: name === selected ? 0 : -1, dataset: { tab: name }, onclick: () => select(name, false),
  }, text)));
  list.addEventListener("keydown", event => {
    const names = tabs.map(([name]) => name);
    const at = names.indexOf(event.target.dataset.tab);
    const forward = getComputedStyle(list).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowRight" ? "ArrowLeft" : "ArrowRight";
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(names[(to + names.length) % names.length], true);
  });
  return list;
}
