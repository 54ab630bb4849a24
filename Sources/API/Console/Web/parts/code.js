// A request as code in other languages, and copying to the clipboard.
import { at, hasKey } from "../app/api.js";
import { t } from "../texts/texts.js";
import { h } from "./dom.js";

const shell = text => `'${text.replaceAll("'", "'\\''")}'`;

/// `curl` for the request.
function curl(body) {
  return [
    `curl ${shell(at("/v1/notifications"))}`,
    ...(hasKey() ? ['  -H "Authorization: Bearer $DRAGOMAN_KEY"'] : []),
    "  -H 'Content-Type: application/json'",
    `  -d ${shell(JSON.stringify(body))}`,
  ].join(" \\\n");
}

/// Python's standard library alone.
function python(body) {
  const header = hasKey() ? ', "Authorization": "Bearer " + os.environ["DRAGOMAN_KEY"]' : "";
  return `import json${hasKey() ? ", os" : ""}, urllib.request

body = json.loads(${JSON.stringify(JSON.stringify(body))})
request = urllib.request.Request(
    ${JSON.stringify(at("/v1/notifications"))},
    data=json.dumps(body).encode(),
    headers={"Content-Type": "application/json"${header}},
)
with urllib.request.urlopen(request, timeout=30) as answer:
    print(json.load(answer)["id"])
`;
}

function typescript(body) {
  const json = JSON.stringify(body);
  // TypeScript's own numbers do not hold all digits.
  const isExact = JSON.stringify(JSON.parse(json)) === json;
  const header = hasKey() ? ', Authorization: `Bearer ${process.env.DRAGOMAN_KEY}`' : "";
  return `const answer = await fetch(${JSON.stringify(at("/v1/notifications"))}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${header} },
  body: ${isExact ? `JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")})` : JSON.stringify(json)},
});
if (!answer.ok) throw new Error(await answer.text());
const notification = (await answer.json()) as { id: string };
console.log(notification.id);
`;
}

/// Buttons that copy the request as code.
export function copyButtons(body) {
  const said = h("span", { role: "status", class: "soft" });
  const button = (name, make) => h("button", { type: "button", onclick: async () => {
    said.textContent = (await copy(make(body()))) ? t("copied", { name }) : t("notCopied");
  } }, t("copyAs", { name }));
  return h("div", { class: "buttons" }, button("curl", curl), button("Python", python), button("TypeScript", typescript), said);
}

/// Copies; without the clipboard API, which needs https or localhost, through a selection.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { value: text, class: "offscreen", "aria-hidden": "true", tabindex: "-1" });
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
