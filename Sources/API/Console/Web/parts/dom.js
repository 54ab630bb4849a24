// Builds elements. Text from outside only ever becomes a text node, never markup.

const svgNames = new Set(["svg", "path", "line", "g", "text", "tspan", "rect", "circle", "defs", "linearGradient", "stop", "image"]);

/// An element: `class`, `on*` listeners, `dataset` and properties such as `value` are set as such, all else as
/// attributes; null and false leave an attribute out.
export function h(tag, props, ...children) {
  const element = svgNames.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(isShown));
  return element;
}

function isShown(child) {
  return child !== null && child !== undefined && child !== false && child !== "";
}

/// Replaces what an element contains.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isShown));
  return element;
}

/// A labelled form field; `hint` and `error` are read together with it.
let fieldCount = 0;
export function field(label, control, { hint, mark, wide } = {}) {
  const id = `field-${++fieldCount}`;
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-hint ${id}-error`);
  const error = h("span", { class: "field-error", id: `${id}-error` });
  const box = h("div", { class: wide ? "field wide" : "field" },
    h("label", { for: id }, label, mark ? h("span", { class: "mark" }, mark) : null),
    control, h("span", { class: "hint", id: `${id}-hint` }, hint ?? ""), error);
  box.report = message => {
    error.textContent = message ?? "";
    control.setAttribute("aria-invalid", message ? "true" : "false");
  };
  return box;
}

/// A select with `[value, label]` options.
export function choice(options, value, onchange, props) {
  const select = h("select", { onchange: () => onchange?.(select.value), ...props },
    options.map(([name, label]) => h("option", { value: name }, label)));
  select.value = value;
  return select;
}

/// Calls `work` once no further call has come for `delay` milliseconds.
export function debounced(work, delay) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), delay);
  };
}

/// Makes a tree without listeners equal to a fresh one. Keeps the nodes that both have, so that neither the focus nor a click
/// is lost on what is drawn again while somebody uses it.
export function redraw(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  if (node.nodeName !== fresh.nodeName) return node.replaceWith(fresh);
  if (node.nodeType === Node.TEXT_NODE) {
    node.data = fresh.data;
    return;
  }
  for (const name of node.getAttributeNames()) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  const old = [...node.childNodes];
  const wanted = [...fresh.childNodes];
  wanted.forEach((child, index) => (index < old.length ? redraw(old[index], child) : node.append(child)));
  old.slice(wanted.length).forEach(child => child.remove());
}
