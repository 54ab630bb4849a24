// The console's own texts in the first of the browser's languages that it speaks.

const languages = new Set(["en", "fr", "de", "es", "pt", "zh", "id", "he", "ar"]);
let texts = {};

/// The language in use, as a tag.
export let language = "en";

/// Loads the texts, and sets the page's language and direction.
export async function loadTexts() {
  const wanted = navigator.languages.map(tag => tag.toLowerCase().split("-")[0].replace("iw", "he").replace(/^in$/, "id"));
  language = wanted.find(name => languages.has(name)) ?? "en";
  const [{ default: english }, { default: own }] = await Promise.all([import("./en.js"), import(`./${language}.js`)]);
  texts = language === "en" ? english : Object.fromEntries(Object.keys(english).map((key, index) => [key, own[index]]));
  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft(language) ? "rtl" : "ltr";
}

/// The text of a key, with `{name}` replaced by values.
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

const rightToLeft = new Set(["ar", "arc", "ckb", "dv", "fa", "ha", "he", "iw", "ji", "ks", "ps", "sd", "ug", "ur", "yi"]);
const rightToLeftScripts = new Set(["Arab", "Hebr", "Thaa", "Nkoo", "Syrc", "Adlm", "Rohg"]);

/// Whether a locale is written from right to left.
export function isRightToLeft(tag) {
  try {
    const locale = new Intl.Locale(tag);
    const script = locale.script ?? (locale.language === "ha" ? "Latn" : null);
    return script ? rightToLeftScripts.has(script) : rightToLeft.has(locale.language);
  } catch {
    return false;
  }
}

/// A locale's name in the console's language; the tag itself if there is none.
export function localeName(tag) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(tag);
  } catch {
    return tag;
  }
}

/// Whether each word begins a part of the locale's tag or of its name: "ar" finds Arabic, and not Bulgarian.
export function findsLocale(words, tag) {
  const parts = `${tag} ${localeName(tag)}`.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
  return words.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u).every(word => parts.some(part => part.startsWith(word)));
}

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/// A time of day, with the date unless it is today.
export function time(text) {
  const at = new Date(text);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(language, isToday ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "medium" });
}

/// A time below a chart: of day, or the date.
export function when(at, isDate) {
  return new Date(at).toLocaleString(language, isDate ? { month: "short", day: "numeric" } : { timeStyle: "short" });
}

/// How long ago, such as "5 minutes ago".
export function minutesAgo(minutes) {
  return new Intl.RelativeTimeFormat(language).format(-minutes, "minute");
}

/// A value that keeps its own direction within a text.
export function isolated(value) { return `\u2068${value}\u2069`; }

/// What points from one thing to the next in the language's direction.
export function arrow() { return isRightToLeft(language) ? "←" : "→"; }

/// Seconds as a short duration: 12 ms, 3.4 s, 5 min.
export function duration(seconds) {
  const [value, unit] = seconds < 1 ? [seconds * 1000, "millisecond"] : seconds < 120 ? [seconds, "second"]
    : seconds < 7200 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short",
    maximumFractionDigits: value < 10 && unit !== "millisecond" ? 1 : 0 }).format(value);
}
