// Templates by release: which of the releases in use can show which template.
import { address } from "../app/router.js";
import { h } from "../parts/dom.js";
import { cellMark, matrix, templateCell } from "../parts/matrix.js";
import { platformNames } from "../parts/phone.js";
import { t } from "../texts/texts.js";

const ranks = { ok: "ok", partial: "warning", broken: "error", missing: "error", unreadable: "error" };

/// What is known of a template in a release.
const stateOf = ({ state, unreadable }) => unreadable ? "unreadable" : state;

/// The table with its legend; null if the catalog lists no releases.
export function releaseMatrix(templates) {
  const groups = Object.keys(platformNames)
    .map(platform => ({ platform, versions: Object.keys(templates[0]?.releases?.[platform]?.releases ?? {})
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true })) }))
    .filter(({ versions }) => versions.length);
  if (!groups.length) return null;
  const table = h("table", { class: "matrix releases" },
    h("thead", {},
      h("tr", {}, h("td", {}), groups.map(({ platform, versions }) =>
        h("th", { scope: "colgroup", colspan: versions.length + 1 }, platformNames[platform]))),
      h("tr", {}, h("th", { scope: "col" }, t("template")), groups.map(({ versions }) =>
        [versions.map(version => h("th", { scope: "col" }, h("bdi", {}, version))), h("th", { scope: "col" }, t("safeSince"))]))),
    h("tbody", {}, templates.map(template => h("tr", {}, templateCell(template.name), groups.map(({ platform, versions }) => {
      const { releases, safe_since: safe } = template.releases[platform];
      return [versions.map(version => h("td", {}, cell(template, platform, version, releases[version]))),
        h("td", { class: "safe" }, safe ? h("bdi", {}, safe) : h("span", { class: "soft" }, t("never")))];
    })))));
  const isUnreadable = templates.some(({ releases }) => groups.some(({ platform }) =>
    Object.values(releases[platform].releases).some(({ unreadable }) => unreadable)));
  const legend = Object.entries(ranks).filter(([state]) => isUnreadable || state !== "unreadable");
  return [h("p", { class: "soft" }, t("releasesIntro")),
    h("ul", { class: "legend" }, legend.map(([state, rank]) => h("li", {}, cellMark(rank), " ", t(`release_${state}`)))),
    matrix(table)];
}

/// A cell that leads to the phone with that release, in a language that it lacks.
function cell(template, platform, version, { keys, locales, ...rest }) {
  const state = stateOf(rest);
  const words = [t(`release_${state}`), keys.join(", "), locales.join(", ")].filter(Boolean).join(" · ");
  const locale = locales.find(name => name !== "default");
  return h("a", {
    href: address(["templates", template.name], { platform, app_version: version, render: "device", locale }),
    "aria-label": `${template.name}, ${platformNames[platform]} ${version}: ${words}`, title: words,
  }, cellMark(ranks[state]));
}
