// A proof to share: the phones on show as a picture or on paper, and a link that opens the same view.
import { copy } from "../parts/code.js";
import { fill, h } from "../parts/dom.js";
import { t } from "../texts/texts.js";

const inherited = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stop-color", "font-family", "font-weight"];
const cell = 420;
const space = 24;
const label = 34;
/// Browsers refuse larger pictures.
const pixelsMax = 8000;

/// Buttons for what `wall` shows; `link()` is its address.
export function proofButtons(title, wall, link) {
  const said = h("span", { role: "status", class: "soft" });
  const button = (name, work) => h("button", { type: "button", onclick: work }, t(name));
  return h("div", { class: "buttons proof" },
    button("copyLink", async () => { said.textContent = t(await copy(link()) ? "linkCopied" : "notCopied"); }),
    button("savePicture", async () => {
      fill(said);
      const address = URL.createObjectURL(await picture(title, wall));
      h("a", { href: address, download: `${title}.png` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }),
    button("print", () => print()), said);
}

/// The phones as a PNG, each below its name.
async function picture(title, wall) {
  const phones = [...wall.querySelectorAll(".device")].filter(device => device.querySelector(".drawing"));
  const columns = Math.max(1, Math.ceil(Math.sqrt(phones.length * .8)));
  const width = columns * (cell + space) + space;
  const ink = getComputedStyle(document.body);
  const text = (content, x, y, size, weight) => h("text", { x, y, fill: ink.color, "font-size": size, "font-weight": weight, "font-family": ink.fontFamily }, content);
  const parts = [text(title, space, space + 24, 26, 700)];
  let y = space + 44;
  for (let at = 0; at < phones.length; at += columns) {
    const row = phones.slice(at, at + columns).map(device => drawn(device));
    row.forEach(({ svg, name }, index) => {
      const x = space + index * (cell + space);
      svg.setAttribute("x", x);
      svg.setAttribute("y", y + label);
      parts.push(text(name, x + 4, y + 22, 17, 600), svg);
    });
    y += label + Math.max(...row.map(({ height }) => height)) + space;
  }
  const svg = h("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: y, viewBox: `0 0 ${width} ${y}` },
    h("rect", { width, height: y, fill: ink.backgroundColor }), parts);
  return raster(svg, width, y);
}

/// A copy of a phone's drawing that needs no style sheet, its height, and the names of its locale and platform.
function drawn(device) {
  const source = device.querySelector(".drawing");
  const svg = source.cloneNode(true);
  const copies = [...svg.querySelectorAll("*")];
  [...source.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of inherited) copies[index].setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = source.viewBox.baseVal;
  svg.setAttribute("width", cell);
  svg.setAttribute("height", cell * height / width);
  svg.setAttribute("xml:space", "preserve");
  svg.setAttribute("lang", source.parentElement.lang);
  const place = device.closest("[data-name]");
  return { svg, height: cell * height / width, name: [place?.dataset.name, device.querySelector("figcaption").firstChild.textContent].filter(Boolean).join(" · ") };
}

async function raster(svg, width, height) {
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(2, pixelsMax / width, pixelsMax / height);
    const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise(done => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
