// The two phones beside the form that sends a test: what arrives, in one locale at a time.
import { sayFailure } from "../app/shell.js";
import { amend } from "../app/router.js";
import { choice, fill, h } from "../parts/dom.js";
import { isSilent, phone, problems } from "../parts/phone.js";
import { activityOf, previews } from "../parts/previews.js";
import { localeName, t } from "../texts/texts.js";

/// `element`, `draw(template, args, controls, topic)` for a request, and `close()`. A `topic` is one by language.
export function phonesBeside(query) {
  const questions = previews();
  let wanted = query.get("locale") ?? navigator.language;
  let shown = { previews: [] };
  const stage = h("div", { class: "wall devices" });
  const picker = h("div", {});
  const element = h("aside", { class: "beside-form", "aria-label": t("phones") }, picker, stage);

  const redraw = () => {
    const locales = [...new Set(shown.previews.map(each => each.locale))];
    const locale = [wanted, wanted.split("-")[0]].find(name => locales.includes(name)) ?? locales[0];
    fill(picker, choice(locales.map(name => [name, `${localeName(name)} (${name})`]), locale, name => {
      wanted = name;
      amend({ locale: name });
      redraw();
    }, { "aria-label": t("findLocale") }));
    const pair = shown.previews.filter(each => each.locale === locale && (!shown.activity || each.platform === "ios"));
    const isHeard = shown.activity || pair.some(each => !isSilent(each));
    fill(stage, isHeard ? pair.map(each => h("div", {}, phone(each, { activity: shown.activity }), problems(each)))
      : h("p", { class: "empty" }, t("showsNothing")));
  };
  const draw = async (template, args, controls, topic) => {
    const value = name => controls[name].element.value.trim();
    const platform = value("recipient.platform");
    const first = value("recipient.locale").split(",")[0].trim();
    const question = Object.entries({
      args, topic, app_version: value("recipient.app_version"), time_zone: value("recipient.time_zone"),
      render: topic ? null : value("render"), locales: first && !topic ? [first] : null, platforms: platform === "android" || platform === "ios" ? [platform] : null,
    }).filter(([, each]) => each);
    try {
      const answer = await questions.ask(template.name, Object.fromEntries(question));
      if (!answer) return;
      stage.classList.remove("outdated");
      shown = { previews: answer.previews, activity: activityOf(template, answer) };
      if (first) wanted = first;
      redraw();
    } catch (error) {
      stage.classList.add("outdated");
      if (!error.status) sayFailure(error);
    }
  };
  return { element, draw, close: questions.stop };
}
