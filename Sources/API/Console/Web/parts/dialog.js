// Questions before something is changed, and the sheet of keyboard shortcuts.
import { h } from "./dom.js";
import { t } from "../texts/texts.js";

function open(title, ...content) {
  const dialog = h("dialog", { "aria-label": title }, h("h2", {}, title), content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

/// Asks with a text or several paragraphs; resolves to whether the person chose `action`.
export function confirmed(title, texts, action) {
  return new Promise(resolve => {
    const answer = value => { resolve(value); dialog.close(); };
    const dialog = open(title, [texts].flat().map(text => h("p", {}, text)), h("div", { class: "buttons" },
      h("button", { type: "button", onclick: () => answer(false), autofocus: true }, t("keep")),
      h("button", { type: "button", class: "primary danger", onclick: () => answer(true) }, action)));
    dialog.addEventListener("close", () => resolve(false));
  });
}

/// The keyboard shortcuts: `[keys, meaning]`.
export function showHelp(shortcuts) {
  if (document.querySelector("dialog[open]")) return;
  const dialog = open(t("shortcuts"),
    h("dl", { class: "shortcuts" }, shortcuts.map(([keys, meaning]) => h("div", {},
      h("dt", {}, keys.split(" ").map(key => h("kbd", {}, key))), h("dd", {}, meaning)))),
    h("div", { class: "buttons" },
      h("button", { type: "button", onclick: () => dialog.close(), autofocus: true }, t("close"))));
}
