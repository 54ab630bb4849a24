// The wall of drawn phones: Android and iPhone side by side, one pair for each locale.
import { amend } from "../app/router.js";
import { currentApp } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { phone, verdict } from "../parts/phone.js";
import { localeName, t } from "../texts/texts.js";

const platforms = ["android", "ios"];

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

/// `element`, and `draw(previews)`, which changes only the phones that show something else than before.
export function phoneWall(query) {
  const choices = {
    platform: query.get("platform") ?? "", locale: query.get("find") ?? "",
    only: query.get("only") === "1", expanded: query.get("expanded") === "1", theme: query.get("phones") ?? "",
  };
  let wanted = query.get("locale");
  let previews = [];
  const drawn = new Map();
  const opened = new Map();
  const wall = h("div", { class: "wall" });
  const count = h("p", { class: "soft", role: "status" });
  const app = currentApp() === "default" || !currentApp() ? t("yourApp") : currentApp();

  const card = (locale, pair) => {
    const identity = JSON.stringify([pair, choices.platform, choices.expanded]);
    const known = drawn.get(locale);
    if (known?.identity === identity) return known.element;
    const shown = platforms.filter(name => pair[name] && (!choices.platform || choices.platform === name));
    const resolved = [...new Set(shown.map(name => pair[name].resolved_locale ?? "—"))].filter(name => name !== locale);
    const element = h("article", { class: "pair panel", dataset: { locale } },
      h("h2", {}, h("bdi", {}, localeName(locale)), " ", h("code", {}, locale),
        resolved.length ? h("span", { class: "soft" }, ` → ${resolved.join(", ")}`) : null),
      h("div", { class: "devices" }, shown.map(name => {
        const key = `${name} ${locale}`;
        return phone(pair[name], { app, isExpanded: opened.get(key) ?? choices.expanded, toggle: is => opened.set(key, is) });
      })));
    drawn.set(locale, { identity, element });
    return element;
  };

  const redraw = () => {
    wall.dataset.theme = choices.theme;
    wall.classList.toggle("single", choices.platform !== "");
    const find = choices.locale.toLowerCase();
    const all = pairsOf(previews);
    const pairs = all.filter(([locale, pair]) =>
      (!find || locale.toLowerCase().includes(find) || localeName(locale).toLowerCase().includes(find)) &&
      platforms.some(name => pair[name] && (!choices.platform || choices.platform === name)
        && (!choices.only || verdict(pair[name]) !== "ok")));
    const elements = pairs.map(([locale, pair]) => card(locale, pair));
    const isSame = elements.length === wall.children.length && elements.every((element, index) => wall.children[index] === element);
    if (!isSame) fill(wall, elements.length ? elements : h("p", { class: "empty" }, t(previews.length ? "noPhones" : "loading")));
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
    choice([["", t("bothPlatforms")], ["android", "Android"], ["ios", "iPhone"]], choices.platform,
      value => choose("platform", value, { platform: value }), { "aria-label": t("platform") }),
    choice([["", t("phonesAuto")], ["light", t("phonesLight")], ["dark", t("phonesDark")]], choices.theme,
      value => choose("theme", value, { phones: value }), { "aria-label": t("theme") }),
    check("expanded", "expanded"), check("only", "onlyFindings"), count);
  redraw();
  return { element: h("div", {}, controls, wall), draw: all => { previews = all; redraw(); } };
}
