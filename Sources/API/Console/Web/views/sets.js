// All notifications that the filters find, together: how many, by cause, and what can be done to all of them at once.
import { call, idempotencyKey } from "../app/api.js";
import { countOf, countsByCode } from "../app/counts.js";
import { sayFailure } from "../app/shell.js";
import { address } from "../app/router.js";
import { may } from "../app/session.js";
import { confirmed } from "../parts/dialog.js";
import { fill, h, redraw } from "../parts/dom.js";
import { adviceOn, hopeless } from "../parts/status.js";
import { number, t } from "../texts/texts.js";

/// The states that each verb can change.
const changeable = { retry: ["failed", "expired"], cancel: ["scheduled", "queued"] };
/// The gateway works through any number in steps; the same request goes on where the last one stopped.
const stepMs = 600_000;
const triesMax = 3;

/// `element`, and `draw()` after a change of the filters or of what they find; `filters` is the bar, and `changed()` is called
/// after the set was changed.
export function setPane({ app, filters, changed }) {
  const heading = h("h2", {}, t("loading"));
  const causes = h("section", {});
  const actions = h("div", {});
  const said = h("p", { role: "status" });
  const element = h("details", { class: "panel", open: matchMedia("(min-width: 900px)").matches }, h("summary", {}, heading),
    h("div", { class: "set" }, causes, actions, said));
  let turn = 0;
  let drawn = "";

  const draw = async () => {
    const mine = ++turn;
    const filter = { app, ...filters.asked() };
    try {
      const [total, byCode] = await Promise.all([countOf(filter), filter.code ? [] : countsByCode(filter)]);
      if (mine !== turn) return;
      heading.textContent = t("notificationsFound", { n: number(total) });
      redraw(causes, h("section", {}, filter.code ? h("p", {}, adviceOn(filter.code)) : causeList(byCode)));
      const known = filter.code ? [[filter.code, total]] : byCode;
      const isHopeless = known.every(([code]) => hopeless.has(code)) && known.reduce((sum, [, count]) => sum + count, 0) >= total;
      drawActions(isHopeless);
    } catch (error) {
      if (mine === turn) sayFailure(error);
    }
  };
  const causeList = byCode => [h("h3", {}, t("byCause")), byCode.length ? h("ul", { class: "causes" }, byCode.map(([code, count]) => h("li", {},
    h("a", { href: address(["deliveries"], { ...filters.inAddress(), code }) }, h("code", {}, code), " ", h("b", {}, number(count))),
    h("p", { class: "soft" }, adviceOn(code))))) : h("p", { class: "soft" }, t("noErrors"))];
  const drawActions = isHopeless => {
    const filter = filters.asked();
    // Counting again leaves the buttons where they are.
    const now = JSON.stringify([filters.inAddress(), isHopeless]);
    if (!may("send") || now === drawn) return;
    drawn = now;
    const isComplete = filter.since && (filter.status || filter.code);
    const verbs = Object.keys(changeable).filter(verb => (!filter.status || changeable[verb].includes(filter.status))
      && !(verb === "retry" && isHopeless));
    fill(actions, !isComplete ? h("p", { class: "soft" }, t("setNeeds"))
      : h("div", { class: "buttons" }, verbs.map(verb => h("button", { type: "button", class: verb === "cancel" ? "danger" : null,
        onclick: () => act(verb).catch(sayFailure) }, t(`${verb}Set`)))));
  };
  /// Asks the gateway what would happen, then the person, and only then does it.
  const act = async verb => {
    said.textContent = "";
    const filter = Object.fromEntries(Object.entries({ app, ...filters.asked() }).filter(([, value]) => value));
    const { matched, skipped } = await request(verb, { filter, dry_run: true });
    const left = Object.entries(skipped);
    const count = matched - left.reduce((sum, [, each]) => sum + each, 0);
    const lines = [t("setMatched", { n: number(matched) }),
      ...left.map(([code, each]) => `${t("setSkipped", { code, n: number(each) })} ${adviceOn(code)}`), t(`${verb}Will`, { n: number(count) })];
    if (!count) {
      fill(said, lines.slice(0, -1).concat(t("setNothing")).join(" "));
      return;
    }
    if (!await confirmed(t(`${verb}Set`), lines, t(verb))) return;
    const { changed: done } = await request(verb, { filter, dry_run: false });
    said.textContent = t("setDone", { n: number(done) });
    await changed();
    await draw();
  };
  return { element, draw };
}

/// Does it once, however often it has to ask.
async function request(verb, body) {
  const headers = { "Idempotency-Key": idempotencyKey() };
  for (let tries = 1; ; tries += 1) {
    try {
      return await call("POST", `/v1/deliveries:${verb}`, body, { signal: AbortSignal.timeout(stepMs), ...(body.dry_run ? {} : { headers }) });
    } catch (error) {
      if ((error.status && error.status < 500) || tries === triesMax) throw error;
    }
  }
}
