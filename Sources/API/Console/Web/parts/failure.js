// What could not be loaded and why, with a button that tries again. It also tries by itself when the gateway asks for it.
import { failureText } from "../app/shell.js";
import { t } from "../texts/texts.js";
import { fill, h } from "./dom.js";

/// For an answer that does not say when to ask again, or no answer at all.
const retryMs = 5000;
const [retryMsMin, retryMsMax] = [1000, 3_600_000];

/// `element`; `show(text, error)`, which says what is missing and calls `retry` later, unless the request itself is wrong;
/// `hide(next)`, which gives `next` the focus if the button has it; and `isShown`.
export function failureNotice(retry) {
  let timer;
  const text = h("p", { role: "alert" });
  const element = h("div", { class: "failure", hidden: true }, text, h("button", { type: "button", onclick: retry }, t("tryAgain")));
  const later = delay => {
    // A hidden tab asks for nothing.
    timer = setTimeout(() => (document.hidden ? later(delay) : retry()), delay);
  };
  const notice = {
    element,
    isShown: false,
    show: (what, error) => {
      clearTimeout(timer);
      notice.isShown = true;
      element.hidden = false;
      const why = failureText(error);
      if (text.textContent !== `${what} ${why}`) fill(text, what, " ", h("bdi", {}, why));
      const asked = error.retryAfter * 1000;
      if (asked >= 0) later(Math.max(retryMsMin, Math.min(asked, retryMsMax)));
      else if (!error.status || error.status >= 500) later(retryMs);
    },
    hide: next => {
      clearTimeout(timer);
      notice.isShown = false;
      if (element.contains(document.activeElement)) next?.focus({ preventScroll: true });
      element.hidden = true;
      text.textContent = "";
    },
  };
  return notice;
}
