// The message that FCM gets: its JSON, its size, and the request for it as code.
import { copyButtons } from "../parts/code.js";
import { fill, h } from "../parts/dom.js";
import { highlighted } from "../parts/json.js";
import { number, t } from "../texts/texts.js";
import { namedApp } from "../app/session.js";

const bytesMax = 4096;

/// `element`, `draw(answer)` for a preview's answer, and `fail(text)` while there has been none; `asked()` is what the
/// preview was asked besides its args.
export function messagePane(template, args, asked) {
  const element = h("div", { class: "message" }, h("p", { class: "empty" }, t("loading")));
  let first;
  const request = () => {
    const app = namedApp();
    return { template: template.name, ...(app ? { app } : {}), to: { token: "REGISTRATION_TOKEN" }, args: args(),
      ...recipient(asked(), first), ...(template.live_activity ? { live_activity: { token: "ACTIVITY_TOKEN", event: "update" } } : {}) };
  };
  const draw = ({ message, message_bytes: bytes, previews: [shown] }) => {
    first = shown;
    const size = t("bytesOf", { n: number(bytes), max: number(bytesMax) });
    fill(element,
      h("div", { class: "size" }, h("meter", { min: 0, max: bytesMax, high: bytesMax * 0.8, value: bytes, "aria-label": size }), h("span", {}, size)),
      copyButtons(request), highlighted(message, t("message")));
  };
  return { element, draw, fail: text => fill(element, h("p", { class: "empty" }, text)) };
}

/// The members of a request that lead to the first phone of the wall, if more than the args was asked.
function recipient({ app_version, render }, phone) {
  if (!phone || (!app_version && !render)) return {};
  return { recipient: { platform: phone.platform, ...(app_version ? { app_version } : {}), locale: phone.locale }, ...(render ? { render } : {}) };
}
