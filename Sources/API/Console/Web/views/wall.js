// The wall of drawn phones: Android and iPhone side by side, one pair for each locale.
import { amend } from "../app/router.js";
import { appName } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { severityBadge } from "../parts/findings.js";
import { isFaulty, isSilent, phone, platformNames, problems } from "../parts/phone.js";
import { arrow, localeName, t } from "../texts/texts.js";

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

/// `element`; `draw(previews, activity)`, which changes only the phones that show something else than before; and
/// `fail(text)` while there has been nothing to draw.
export function phoneWall(query) {
  const choices = {
    platform: query.get("platform") ?? "", locale: query.get("find") ?? "",
    only: query.get("only") === "1", expanded: query.get("expanded") === "1", theme: query.get("phones") ?? "",
  };
  let wanted = query.get("locale");
  let previews = [];
  let activity;
  let nothing = t("loading");
  const drawn = new Map();
  const opened = new Map();
  const wall = h("div", { class: "wall" });
  const count = h("p", { class: "soft", role: "status" });
  const app = appName() ?? t("yourApp");

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

  const card = (locale, pair) => {
    const identity = JSON.stringify([pair, choices.platform, choices.expanded, activity]);
    const known = drawn.get(locale);
    if (known?.identity === identity) return known.element;
    const shown = platforms.filter(name => pair[name] && (!choices.platform || choices.platform === name));
    const resolved = [...new Set(shown.map(name => pair[name].resolved_locale ?? "—"))].filter(name => name !== locale);
    const notes = shown.map(name => problems(pair[name])).filter(Boolean);
    const element = h("article", { class: "pair panel", dataset: { locale } },
      h("h2", {}, h("bdi", {}, localeName(locale)), " ", h("code", { dir: "ltr" }, locale),
        resolved.length ? h("span", { class: "soft" }, ` ${arrow()} `, h("bdi", { dir: "ltr" }, resolved.join(", "))) : null),
      h("div", { class: "devices" }, shown.map(name => {
        const key = `${name} ${locale}`;
        return phone(pair[name], { app, activity, isExpanded: opened.get(key) ?? choices.expanded, toggle: is => opened.set(key, is) });
      })),
      h("div", { class: "notes" }, notes.length ? notes : h("p", { class: "fine" }, severityBadge("ok", t("noFindings")))));
    drawn.set(locale, { identity, element });
    return element;
  };

  const redraw = () => {
    wall.dataset.theme = choices.theme;
    wall.classList.toggle("single", isSingle());
    const find = choices.locale.toLowerCase();
    const all = pairsOf(previews);
    const pairs = all.filter(([locale, pair]) =>
      (!find || locale.toLowerCase().includes(find) || localeName(locale).toLowerCase().includes(find)) &&
      platforms.some(name => pair[name] && (!choices.platform || choices.platform === name)
        && (!choices.only || isFaulty(pair[name]))));
    const elements = pairs.map(([locale, pair]) => card(locale, pair));
    const isSame = elements.length === wall.children.length && elements.every((element, index) => wall.children[index] === element);
    if (!isSame) fill(wall, elements.length ? elements : h("p", { class: "empty" }, previews.length ? t("noPhones") : nothing));
    fit();
    count.textContent = previews.length ? t("localesShown", { n: pairs.length, all: all.length }) : "";
    if (wanted && previews.length) {
      const target = elements.find(element => element.dataset.locale === wanted);
      wanted = null;
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
  const find = h("input", { type: "search", value: choices.locale, placeholder: t("findLocale"), "aria-label": t("findLocale"),
    oninput: () => choose("locale", find.value, { find: find.value }) });
  const controls = h("div", { class: "controls" }, find,
    choice([["", t("bothPlatforms")], ...Object.entries(platformNames)], choices.platform,
      value => choose("platform", value, { platform: value }), { "aria-label": t("platform") }),
    choice([["", t("phonesAuto")], ["light", t("phonesLight")], ["dark", t("phonesDark")]], choices.theme,
      value => choose("theme", value, { phones: value }), { "aria-label": t("theme") }),
    check("expanded", "expanded"), check("only", "onlyFindings"), count);
  redraw();
  const draw = (all, shownActivity) => {
    // A template for one platform alone, such as one of Live Activities, has no phones of the other.
    const silent = platforms.filter(name => all.every(preview => preview.platform !== name || isSilent(preview)));
    previews = silent.length === 1 ? all.filter(preview => preview.platform !== silent[0]) : all;
    if (silent.length === 2 && shownActivity) previews = all.filter(preview => preview.platform === "ios");
    activity = shownActivity;
    redraw();
  };
  const fail = text => {
    nothing = text;
    redraw();
  };
  return { element: h("div", {}, controls, wall), draw, fail };
}
