// The emulator's inbox in `dragoman dev`: lock screens in chosen locales that fill as messages arrive.
import { call } from "../app/api.js";
import { repeat } from "../app/live.js";
import { sayFailure } from "../app/shell.js";
import { address, amend } from "../app/router.js";
import { session } from "../app/session.js";
import { choice, fill, h } from "../parts/dom.js";
import { highlighted } from "../parts/json.js";
import { firstLocales, localeChips } from "../parts/locales.js";
import { activityNotice, expander, frame, notice, platformNames, screenOf, tagOf } from "../parts/phone.js";
import { target } from "../parts/status.js";
import { localeName, t, time } from "../texts/texts.js";
import { faultsPane } from "./faults.js";

const everyMs = 1000;
/// A phone shows as many; the list below has what came before.
const shownMax = 6;
const heightMin = 440;
const keptMax = 100;
const targetKinds = ["token", "fid", "topic", "condition"];

function targetOf({ message }) {
  const kind = targetKinds.find(name => message[name] !== undefined);
  return kind ? { kind, value: message[kind] } : null;
}

/// Two messages with one identity are one notification on the phone: the newer replaces the older.
function identity({ message, name }, platform) {
  const tag = platform === "android" ? message.android?.notification?.tag : message.apns?.headers?.["apns-collapse-id"];
  return tag ? JSON.stringify([targetOf({ message }), tag]) : name;
}

export async function show(outlet, { query }) {
  let locales = query.get("locales")?.split(",") ?? null;
  let all = [];
  let messages = [];
  let count = 0;
  let to = query.get("to") ?? "";
  let turn = 0;
  const drawn = new Set();
  const opened = new Set();
  const counter = h("span", { class: "soft", role: "status" });
  const chips = h("div", { class: "controls" });
  const phones = h("div", { class: "wall inbox" });
  const list = h("ul", { class: "rows" });
  const faults = faultsPane();

  /// Asks for everything again; an answer to an older question is left out.
  const restart = async () => {
    turn += 1;
    [messages, count] = [[], 0];
    drawn.clear();
    fill(phones);
    await load().catch(sayFailure);
  };
  const choose = names => {
    locales = names;
    amend({ locales: names.join(",") });
    restart();
  };
  const choosePhone = text => {
    to = text;
    amend({ to });
    draw();
  };
  const drawChips = () => {
    const targets = [...new Set(messages.map(each => targetOf(each)?.value).filter(Boolean))];
    fill(chips, localeChips(locales, all, choose),
      targets.length > 1 || to ? choice([["", t("everyTarget")], ...targets.map(name => [name, name])], to, choosePhone, { "aria-label": t("target") }) : null);
  };

  const noticesOf = (entry, preview, platform, locale) => {
    const aps = entry.message.apns?.payload?.aps;
    const key = `${entry.name} ${platform} ${locale}`;
    // What is drawn again has not just arrived.
    const hasArrived = !drawn.has(key);
    drawn.add(key);
    return [preview ? notice(preview, opened.has(`${platform} ${locale}`)) : null,
      platform === "ios" && aps?.["content-state"] ? activityNotice({ type: aps.event, state: aps["content-state"] }, preview?.app_icon) : null]
      .filter(Boolean).map(each => ({ ...each, hasArrived }));
  };
  const lockScreen = (platform, locale, shown) => {
    const seen = new Set();
    const stack = [];
    for (const entry of shown) {
      const preview = entry.previews.find(each => each.platform === platform && each.locale === locale);
      const isActivity = platform === "ios" && entry.message.apns?.payload?.aps?.["content-state"];
      if ((!preview && !isActivity) || seen.has(identity(entry, platform))) continue;
      seen.add(identity(entry, platform));
      stack.push(...noticesOf(entry, preview, platform, locale));
      if (stack.length >= shownMax) break;
    }
    const key = `${platform} ${locale}`;
    const button = expander(`${platformNames[platform]} ${locale}`, opened.has(key), () => {
      if (!opened.delete(key)) opened.add(key);
      draw();
      phones.querySelector(`figure[data-platform="${platform}"][data-locale="${locale}"] .chevron`).focus();
    });
    return h("figure", { class: "device", dataset: { platform, locale } },
      fill(screenOf(platform, { locale }), frame(platform, tagOf({ locale }), stack, heightMin)),
      h("figcaption", {}, `${localeName(locale)} · ${platformNames[platform]}`, stack.length ? button : null));
  };
  const draw = () => {
    const shown = messages.filter(each => !to || targetOf(each)?.value === to);
    counter.textContent = t("arrived", { n: count });
    drawChips();
    fill(phones, locales.flatMap(locale => Object.keys(platformNames).map(platform => lockScreen(platform, locale, shown))));
    fill(list, shown.map(row), shown.length ? null : h("li", { class: "empty" }, t("nothingArrived"), " ",
      h("a", { class: "chip", href: address(["send"]) }, t("sendTest"))));
  };
  const load = async () => {
    const names = new URLSearchParams((locales ?? []).map(name => ["locale", name]));
    if (messages.length) names.set("after", messages[0].name);
    const mine = turn;
    const answer = await call("GET", `/dev/inbox?${names}`);
    if (mine !== turn) return true;
    all = answer.locales;
    if (!locales) {
      locales = firstLocales(all);
      return load();
    }
    // Somebody emptied it, or a new emulator is there.
    if (answer.count < count) {
      await restart();
      return true;
    }
    const isNew = answer.messages.length || answer.count !== count || !phones.childElementCount;
    count = answer.count;
    messages = [...answer.messages, ...messages].slice(0, keptMax);
    if (isNew) draw();
    return true;
  };
  const empty = async () => {
    try {
      await call("DELETE", "/dev/inbox");
      await restart();
    } catch (error) {
      sayFailure(error);
    }
  };

  outlet.append(
    h("header", { class: "head-row" },
      h("div", {}, h("h1", {}, t("inbox")), h("p", { class: "soft" }, t("emulatorAt"), " ", h("a", { href: session.emulator, dir: "ltr" }, session.emulator), " ", counter)),
      h("button", { type: "button", class: "danger", onclick: empty }, t("emptyInbox"))),
    chips, h("div", { class: "with-faults" }, h("div", {}, phones, h("h2", {}, t("messages")), list), faults.element));
  const stop = repeat(load, everyMs);
  return { refresh: restart, close: () => { stop(); faults.close(); } };
}

/// A message of the list; its JSON is drawn when it is opened.
function row(entry) {
  const to = targetOf(entry);
  const details = h("details", { class: "arrival" },
    h("summary", {}, h("time", { datetime: entry.received_at, class: "soft" }, time(entry.received_at)), " ",
      to ? target({ target: { [to.kind]: to.value } }) : null));
  details.addEventListener("toggle", () => {
    if (details.open && !details.querySelector("pre")) details.append(highlighted(entry.message, t("message")));
  });
  return h("li", {}, details);
}
