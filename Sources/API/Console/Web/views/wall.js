// The wall of drawn phones: Android and iPhone side by side, one pair for each locale.
import { address, amend, place } from "../app/router.js";
import { choice, fill, h } from "../parts/dom.js";
import { severityBadge } from "../parts/findings.js";
import { rankOf, verdicts } from "../parts/matrix.js";
import { isFaulty, isSilent, outcomeOf, phone, platformNames, problems } from "../parts/phone.js";
import { proofButtons } from "../phones/proof.js";
import { arrow, findsLocale, localeName, number, t } from "../texts/texts.js";

const platforms = ["android", "ios"];
/// The width of a pair, in rem: on narrower phones, a line would hold fewer characters than on real ones.
const tileMin = 34;
const tileMax = 64;
/// From this width on, a single column has the locale beside the phones.
const besideMin = 46;

/// Pairs of previews by locale. The platforms may name one locale differently, such as `zh-TW` and `zh-Hant`.
function pairsOf(previews) {
  const pairs = new Map();
  for (const preview of previews) {
    const pair = pairs.get(preview.locale) ?? {};
    pair[preview.platform] = preview;
    pairs.set(preview.locale, pair);
  }
  return [...pairs];
}

/// The address of this view with other choices.
function here(changes) {
  const { segments, query } = place();
  return address(segments, { ...Object.fromEntries(query), ...changes });
}

/// The number of columns, in rem: the largest pairs of which all `count` fit the height, or as many as fit beside
/// each other.
function columnsFor(count, width, height) {
  const most = Math.max(1, Math.floor((width + 1) / (tileMin + 1)));
  for (let columns = 1; columns < most; columns += 1) {
    const tile = (width + 1) / columns - 1;
    if (tile <= tileMax && Math.ceil(count / columns) * (tile * 0.25 + 5.5) <= height) return columns;
  }
  return most;
}

/// Groups of pairs `[locale, phones]` on which the same went wrong for the same reasons; the others are alone. The worst come
/// first, and in its group the `wanted` locale.
function groupsOf(pairs, wanted) {
  const groups = new Map();
  for (const [locale, phones] of pairs) {
    const outcomes = phones.map(outcomeOf);
    const key = outcomes.some(Boolean) ? JSON.stringify(outcomes) : locale;
    const rank = Math.min(...phones.map(each => verdicts.indexOf(each.verdict)));
    const group = groups.get(key) ?? { locale, phones, rank, locales: [] };
    if (locale === wanted) Object.assign(group, { locale, phones });
    group.locales.push(locale);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => a.rank - b.rank);
}

/// `element`; `draw(previews, activity)`, which changes only the phones that show something else than before; `fail(text)`
/// while there has been nothing to draw; and `question()`, what to ask for. `ask()` asks again.
export function phoneWall(query, title, ask) {
  const choices = {
    platform: query.get("platform") ?? "", find: query.get("find") ?? "", locales: query.get("locales")?.split(",") ?? null,
    only: query.get("only") === "1", expanded: query.get("expanded") === "1", theme: query.get("phones") ?? "",
  };
  const wanted = query.get("locale");
  let isFound = false;
  let previews = [];
  let shown = [];
  let activity;
  let nothing = t("loading");
  const drawn = new Map();
  const opened = new Map();
  const wall = h("div", { class: "wall" });
  const count = h("p", { class: "soft", role: "status" });

  const isSingle = () => choices.platform !== "" || new Set(previews.map(each => each.platform)).size === 1;
  const fit = () => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const width = wall.clientWidth / rem;
    if (!width) return;
    const top = wall.getBoundingClientRect().top + scrollY;
    const columns = columnsFor(wall.childElementCount, width, (innerHeight - top) / rem);
    wall.style.setProperty("--columns", columns);
    wall.classList.toggle("beside", !isSingle() && columns === 1 && width >= besideMin);
  };
  new ResizeObserver(fit).observe(wall);

  const card = ({ locale, phones, locales, rank }) => {
    const identity = JSON.stringify([phones, locales, choices.expanded, activity]);
    const known = drawn.get(locale);
    if (known?.identity === identity) return known.element;
    const resolved = [...new Set(phones.map(each => each.resolved_locale ?? "—"))].filter(name => name !== locale);
    const notes = phones.map(problems).filter(Boolean);
    const isGroup = locales.length > 1;
    const element = h("article", { class: "pair panel", dataset: { locale, name: `${localeName(locale)} (${locale})` } },
      h("header", {}, h("h2", {}, h("bdi", {}, localeName(locale)), " ", h("code", { dir: "ltr" }, locale),
        resolved.length ? h("span", { class: "soft" }, ` ${arrow()} `, h("bdi", { dir: "ltr" }, resolved.join(", "))) : null),
      isGroup ? h("p", { class: "badges" }, h("strong", {}, t("alike", { n: number(locales.length) })), severityBadge(rankOf[verdicts[rank]], t(`verdict_${verdicts[rank]}`))) : null),
      h("div", { class: "devices" }, phones.map(preview => {
        const key = `${preview.platform} ${locale}`;
        return phone(preview, { activity, isExpanded: opened.get(key) ?? choices.expanded, toggle: is => opened.set(key, is) });
      })),
      h("div", { class: "notes" }, notes.length ? notes : h("p", { class: "fine" }, severityBadge("ok", t("noFindings")))),
      isGroup ? h("p", { class: "chips" }, locales.map(name => h("button", { type: "button", class: "chip", title: localeName(name), onclick: () => choose("locales", [name], { locales: name }) }, name))) : null);
    drawn.set(locale, { identity, element });
    return element;
  };

  /// The phones of a pair that are shown.
  const chosen = pair => platforms.filter(name => pair[name] && (!choices.platform || choices.platform === name)
    && (!choices.only || isFaulty(pair[name]))).map(name => pair[name]);
  const redraw = () => {
    wall.dataset.theme = choices.theme;
    wall.classList.toggle("single", isSingle());
    const all = pairsOf(previews);
    const pairs = all.filter(([locale]) => (!choices.locales || choices.locales.includes(locale)) && findsLocale(choices.find, locale))
      .map(([locale, pair]) => [locale, chosen(pair)]).filter(([, phones]) => phones.length);
    shown = pairs.map(([locale]) => locale);
    const groups = groupsOf(pairs, wanted);
    const elements = groups.map(card);
    const isSame = elements.length > 0 && elements.length === wall.children.length && elements.every((element, index) => wall.children[index] === element);
    if (!isSame) fill(wall, elements.length ? elements : h("p", { class: "empty" }, nothing));
    fit();
    count.textContent = previews.length ? t("localesShown", { n: pairs.length, all: all.length }) : "";
    everyLocale.hidden = !choices.locales;
    if (wanted && previews.length && !isFound) {
      const target = elements[groups.findIndex(({ locales }) => locales.includes(wanted))];
      isFound = true;
      target?.classList.add("wanted");
      requestAnimationFrame(() => target?.scrollIntoView({ block: "center" }));
    }
  };
  const choose = (name, value, address) => {
    choices[name] = value;
    amend(address);
    redraw();
  };
  const check = (name, label) => {
    const box = h("input", { type: "checkbox", checked: choices[name], onchange: () => {
      if (name === "expanded") opened.clear();
      choose(name, box.checked, { [name]: box.checked ? "1" : null });
    } });
    return h("label", { class: "check" }, box, t(label));
  };
  const find = h("input", { type: "search", value: choices.find, placeholder: t("findLocale"), "aria-label": t("findLocale"),
    oninput: () => choose("find", find.value, { find: find.value }) });
  const everyLocale = h("button", { type: "button", hidden: true, onclick: () => {
    choose("locales", null, { locales: null });
    ask();
  } }, t("allLocales"));
  /// The address of just what is shown: of some locales by their tags.
  const link = () => new URL(here({ locale: null, ...(choices.locales || choices.find ? { locales: shown.join(","), find: null } : {}) }), location).href;
  const controls = h("div", { class: "controls" }, find, everyLocale,
    choice([["", t("bothPlatforms")], ...Object.entries(platformNames)], choices.platform,
      value => choose("platform", value, { platform: value }), { "aria-label": t("platform") }),
    choice([["", t("phonesAuto")], ["light", t("phonesLight")], ["dark", t("phonesDark")]], choices.theme,
      value => choose("theme", value, { phones: value }), { "aria-label": t("theme") }),
    check("expanded", "expanded"), check("only", "onlyFindings"), count, proofButtons(title, wall, link));
  redraw();
  const draw = (all, shownActivity) => {
    // A template for one platform alone, such as one of Live Activities, has no phones of the other.
    const silent = platforms.filter(name => all.every(preview => preview.platform !== name || isSilent(preview)));
    previews = silent.length === 1 ? all.filter(preview => preview.platform !== silent[0]) : all;
    if (silent.length === 2 && shownActivity) previews = all.filter(preview => preview.platform === "ios");
    activity = shownActivity;
    nothing = t("noPhones");
    redraw();
  };
  const fail = text => {
    nothing = text;
    redraw();
  };
  const question = () => (choices.locales ? { locales: choices.locales } : {});
  return { element: h("div", {}, controls, wall), draw, fail, question };
}
