// What findings have in common: their ranks, places and numbers.
import { t } from "../texts/texts.js";
import { h } from "./dom.js";

export const severities = ["error", "warning", "note"];
export const impacts = ["crash", "raw_key", "dropped", "wrong_text", "other"];

/// `values-fr/strings.xml:6`: the end of the path says which file it is; "" without a file.
export function place({ file, line }) {
  if (!file) return "";
  const short = file.split("/").slice(-2).join("/");
  return line ? `${short}:${line}` : short;
}

export function severityBadge(severity, text) {
  const tone = { error: "bad", warning: "warn", note: "info", ok: "good" }[severity];
  return h("span", { class: `badge ${tone}` }, text);
}

/// How many findings there are of each severity, as badges, of findings or of groups; nothing without findings.
export function counts(findings) {
  return severities.map(severity => {
    const count = findings.filter(finding => finding.severity === severity).reduce((sum, { findings: n = 1 }) => sum + n, 0);
    return count ? severityBadge(severity, t(`count_${severity}`, { n: count })) : null;
  });
}
