// Apps' icons as phones show them: small, in the platform's shape, and asked for once.
import { at, authorization } from "../app/api.js";
import { h } from "../parts/dom.js";

/// Three times the largest on a phone.
const side = 114;
const kept = new Map();

/// A promise of the icon with an id, whose corners are rounded by a part of its side, as a `data:` URL, which a picture of
/// the phone can contain; null if the gateway or the browser has none.
export function iconOf(id, rounding) {
  const key = `${id} ${rounding}`;
  if (!kept.has(key)) kept.set(key, shaped(id, rounding).catch(() => null));
  return kept.get(key);
}

async function shaped(id, rounding) {
  const answer = await fetch(at(`/v1/icons/${id}`), { headers: authorization() });
  if (!answer.ok) return null;
  const picture = await createImageBitmap(await answer.blob());
  const canvas = h("canvas", { width: side, height: side });
  const context = canvas.getContext("2d");
  context.roundRect(0, 0, side, side, side * rounding);
  context.clip();
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, side, side);
  return canvas.toDataURL();
}
