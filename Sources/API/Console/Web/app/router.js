// The address of each view, in the fragment: `#/templates/welcome?locale=fr`.

/// Where the page is: the path's segments and the query.
export function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const segments = path.split("/").filter(Boolean).map(text => {
    try { return decodeURIComponent(text); } catch { return text; }
  });
  return { segments, query: new URLSearchParams(query ?? "") };
}

/// The address of a view; empty values are left out, except args, and the chosen app is kept.
export function address(segments, query = {}) {
  const app = place().query.get("app");
  const kept = Object.entries({ ...(app ? { app } : {}), ...query })
    .filter(([name, value]) => value !== null && value !== undefined && (value !== "" || name.startsWith("arg.")));
  const text = new URLSearchParams(kept).toString();
  return `#/${segments.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/// Opens a view, so that Back returns to this one.
export function open(segments, query) {
  location.hash = address(segments, query);
}

/// Opens a view in place of this one, to which Back would lead in vain.
export function redirect(segments) {
  location.replace(address(segments));
}

/// Changes the query in place, without an entry for Back; null removes a name.
export function amend(changes) {
  const { segments, query } = place();
  const all = { ...Object.fromEntries(query), ...changes };
  history.replaceState(history.state, "", address(segments, all));
}
