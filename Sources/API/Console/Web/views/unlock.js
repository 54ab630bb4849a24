// The screen that asks for an API key.
import { setKey } from "../app/api.js";
import { session } from "../app/session.js";
import { field, fill, h } from "../parts/dom.js";
import { t } from "../texts/texts.js";

/// Shows the form; `retry` tries the key.
export function unlock(outlet, retry) {
  const input = h("input", { type: "password", autocomplete: "off", required: true, dir: "ltr", spellcheck: "false" });
  const box = field(t("key"), input, { hint: t("keyHint") });
  if (session.isRefused) box.report(t("keyRefused"));
  const submit = event => {
    event.preventDefault();
    setKey(input.value.trim());
    retry();
  };
  fill(outlet, h("form", { class: "unlock panel", onsubmit: submit },
    h("h1", {}, t("unlock")), box, h("button", { class: "primary" }, t("unlock"))));
  document.title = `${t("unlock")} · Dragoman`;
  input.focus();
}
