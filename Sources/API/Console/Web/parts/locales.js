// Which languages phones are drawn in: some to begin with, and chips to remove and add others.
import { isRightToLeft, language, localeName, t } from "../texts/texts.js";
import { choice, h } from "./dom.js";

/// The console's language and others that differ from it in direction and script, as far as the app has them.
export function firstLocales(all) {
  const wanted = [name => name.split("-")[0] === language, name => name.split("-")[0] === "en", isRightToLeft, name => /^(zh|ja|ko)/.test(name)];
  const found = [...new Set(wanted.map(fits => all.find(fits)).filter(Boolean))];
  return found.length ? found : all.slice(0, 1);
}

/// A chip for each of the locales, which removes it, and a list of the others; `choose(locales)` takes what is then chosen.
export function localeChips(locales, all, choose) {
  const others = all.filter(name => !locales.includes(name));
  return [locales.map(name => h("button", { type: "button", class: "chip", "aria-label": `${t("remove")}: ${localeName(name)}`, onclick: () => choose(locales.filter(each => each !== name)) },
    h("bdi", {}, localeName(name)), " ×")),
  others.length ? choice([["", t("addLocale")], ...others.map(name => [name, `${localeName(name)} (${name})`])], "", name => choose([...locales, name]), { "aria-label": t("addLocale") }) : null];
}
