// What the rules of `dragoman check` find, and what findings say of it, in the page's language. Only what draws findings needs it.
import { isolated, isRightToLeft, language } from "../texts/texts.js";

// Findings themselves are in English.
const modules = language === "en" ? []
  : await Promise.all([import(`./${language}.js`), import(`../details/${language}.js`), import(`../reading/${language}.js`)]);
const [rules = {}, ...parts] = modules.map(({ default: texts }) => texts);
const details = Object.assign({}, ...parts);

/// What a rule finds, and what to do, with code between backticks; undefined on an English page.
export function ruleTexts(rule) { return rules[rule]; }

/// The text of a finding from what it is made of: of each sentence, `[id, value, …]`, where a value is a text or such a list, or
/// a text that is English only. Null on an English page, and if a part of it is English only.
export function inOwnWords(sentences) {
  const texts = (sentences ?? []).map(sentence => (Array.isArray(sentence) ? filled(sentence) : null));
  return texts.length === 0 || texts.includes(null) ? null : texts.join(" ");
}

function filled([id, ...values]) {
  return details[id]?.replace(/\{(\d)\}/g, (_, number) => {
    const value = values[number - 1];
    return Array.isArray(value) ? filled(value) : isRightToLeft(language) ? isolated(value) : value;
  }) ?? null;
}
