// What is read in one cell of the matrix: its phones, and what is wrong on them.
import { failureText } from "../app/shell.js";
import { address } from "../app/router.js";
import { fill, h } from "../parts/dom.js";
import { severityBadge } from "../parts/findings.js";
import { rankOf } from "../parts/matrix.js";
import { isSilent, phone, platformNames, problems } from "../parts/phone.js";
import { activityIn, previews } from "../parts/previews.js";
import { localeName, t } from "../texts/texts.js";

/// `element`, `show(template, locale)`, `close()`, which calls `closed`, and `stop()`.
export function readingPane(closed) {
  const questions = previews();
  const title = h("h2", { tabindex: -1 });
  const content = h("div", { class: "wall single" });
  const phones = h("a", { class: "button" }, t("phones"));
  const element = h("section", { class: "reading panel", hidden: true, "aria-label": t("reading"), onkeydown: event => {
    if (event.key === "Escape") close();
  } }, h("header", { class: "head-row" }, title, h("div", { class: "buttons" }, phones,
    h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: () => close() }, "×"))), content);

  const close = () => {
    questions.stop();
    element.hidden = true;
    closed();
  };
  const show = async (name, locale) => {
    element.hidden = false;
    fill(title, h("bdi", {}, name), " · ", h("bdi", {}, localeName(locale)), " ", h("code", { dir: "ltr" }, locale));
    phones.href = address(["templates", name], { template: null, locale: null, locales: locale });
    content.classList.add("outdated");
    try {
      const answer = await questions.ask(name, { locales: [locale] });
      if (!answer) return;
      const activity = activityIn(answer);
      const heard = answer.previews.filter(each => !isSilent(each) || activity && each.platform === "ios");
      fill(content, heard.length ? heard.map(each => h("div", { class: "read" },
        h("p", { class: "badges" }, platformNames[each.platform], severityBadge(rankOf[each.verdict], t(`verdict_${each.verdict}`))),
        phone(each, { activity }), problems(each))) : h("p", { class: "empty" }, t("showsNothing")));
    } catch (error) {
      fill(content, h("p", { class: "empty" }, failureText(error)));
    }
    content.classList.remove("outdated");
  };
  return { element, show, close, stop: questions.stop };
}
