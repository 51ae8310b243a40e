// Places in a text that wait for something, such as a picture that is on its way.

import { moved } from "./splices.js";

/** Offsets that stay at their text. */
export class Places {
  #places = new Set();

  /** A place, whose offset `at` follows all edits until it is taken. */
  add(at) {
    const place = { at };
    this.#places.add(place);
    return place;
  }

  /** The offset of a place, which follows no edit any more. */
  take(place) {
    this.#places.delete(place);
    return place.at;
  }

  move(splice) {
    for (const place of this.#places) place.at = moved(place.at, [splice]);
  }
}

/**
 * The splice that puts lines of their own in at an offset. Behind the end of a line, they are below that line.
 * @param {ChunkedText} text
 */
export function insertionOf(lines, text, offset) {
  const { lineEnd } = text;
  const { from, to, next } = text.lineAt(offset);
  const ins = lines.map((line) => line + lineEnd).join("");
  if (offset === to && from < to && next > to) return [next, 0, ins];
  return [offset, 0, (offset > from ? lineEnd : "") + ins];
}
