// What the rules of `dragoman check` find, in the page's language. Only what draws findings needs it.
import { language } from "../texts/texts.js";

// Findings themselves are in English.
const rules = language === "en" ? {} : (await import(`./${language}.js`)).default;

/// What a rule finds, and what to do, with code between backticks; undefined on an English page.
export function ruleTexts(rule) { return rules[rule]; }
