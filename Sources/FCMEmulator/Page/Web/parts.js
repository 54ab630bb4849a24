// What both halves of the page use: elements, requests, and the line that says what happened.

/** An element with properties and children; text never becomes markup. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

const status = byId("status");

/** Says what happened, for eyes and for screen readers. */
export function say(text, isError = false) {
  status.textContent = text;
  status.classList.toggle("error", isError);
}

/** A request to the emulator. Throws an Error that a person can read. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, signal: AbortSignal.timeout(10_000) });
  } catch {
    throw new Error("The emulator does not answer.");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(problem(body) || `The emulator answered ${answer.status}.`);
  return body;
}

/** Google's form of an error: its violations, else its message. */
function problem(body) {
  const details = body.error?.details ?? [];
  const violations = details.flatMap((detail) => detail.fieldViolations ?? []);
  if (violations.length) return violations.map((v) => `${v.field}: ${v.description}`).join("\n");
  return body.error?.message ?? "";
}

/** Calls `work` now and every two seconds while the page is visible, never twice at once. */
export function repeat(work) {
  let isBusy = false;
  const once = async () => {
    if (isBusy || document.hidden) return;
    isBusy = true;
    try { await work(); } catch (error) { say(error.message, true); } finally { isBusy = false; }
  };
  setInterval(once, 2_000);
  document.addEventListener("visibilitychange", once);
  once();
  return once;
}
