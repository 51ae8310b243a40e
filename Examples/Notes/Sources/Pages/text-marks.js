// Lists, check boxes and links in plain text. The text stays as it is: the browser paints ranges of it. In the place of
// the signs for bullets and boxes, which are transparent then, the background of their chunk shows pictures.

const names = { bullet: "bullet", number: "list-number", lead: "box-lead", box: "check-box", done: "done-words", link: "link" };
const pictures = { bullet: "bullet.svg", open: "box.svg", checked: "box-checked.svg" };
const link = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]/g;

/**
 * The parts of a text that look like something. A lead is the sign of a bullet before a box, which needs none.
 * @returns {Array<{kind: "bullet"|"number"|"lead"|"box"|"done"|"link", from: number, to: number}>}
 */
export function marksIn(text) {
  const marks = [];
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const add = (kind, from, to) => marks.push({ kind, from: index + from, to: index + to });
    const [head, space, marker] = /^([ \t]*)(?:([-*+•]|\d{1,9}[.)])[ \t]+)?/.exec(line);
    const box = /^\[([ xX])\](?=[ \t]|$)/.exec(line.slice(head.length));
    if (marker) add(/\d/.test(marker) ? "number" : box ? "lead" : "bullet", space.length, space.length + marker.length);
    if (box) add("box", head.length, head.length + 3);
    if (box && box[1] !== " " && line.length > head.length + 4) add("done", head.length + 4, line.length);
    for (const { 0: address, index } of line.matchAll(link)) add("link", index, index + address.length);
  }
  return marks;
}

/** A line for a list of documents, with signs in the place of its marks. */
export function shownLine(line) {
  const marks = marksIn(line);
  const [box, bullet] = ["box", "bullet"].map((kind) => marks.find((mark) => mark.kind === kind));
  if (box) return (line[box.from + 1] === " " ? "☐" : "☑") + line.slice(box.to);
  return bullet ? "•" + line.slice(bullet.to) : line;
}

/** The picture of a mark, or undefined. */
function pictureOf(kind, words) {
  return pictures[kind === "box" ? (words[1] === " " ? "open" : "checked") : kind];
}

/** Paints the marks of the chunks that can be seen. */
export class TextMarks {
  #host;
  #ranges = new Map();
  #seen;
  #highlights = {};

  constructor(host) {
    this.#host = host;
    for (const [kind, name] of Object.entries(names)) {
      this.#highlights[kind] = new Highlight();
      CSS.highlights.set(name, this.#highlights[kind]);
    }
    this.#seen = new IntersectionObserver((entries) => entries.forEach((entry) => this.#see(entry)), { rootMargin: "50%" });
    const changes = { characterData: true, childList: true, subtree: true };
    new MutationObserver((records) => this.#change(records)).observe(host, changes);
    // The lines of a chunk have other places in another width, or with another font.
    new ResizeObserver(() => this.#ranges.forEach((_, chunk) => this.#draw(chunk))).observe(host);
    host.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => !skipped && this.#draw(target));
  }

  #see({ target, isIntersecting }) {
    if (isIntersecting && target.isConnected) this.#paint(target);
    else this.#clear(target);
  }

  #change(records) {
    const changed = new Set();
    for (const { target, addedNodes, removedNodes } of records) {
      for (const node of target === this.#host ? removedNodes : []) this.#forget(node);
      for (const node of target === this.#host ? addedNodes : []) if (node instanceof Element) this.#seen.observe(node);
      let chunk = target;
      while (chunk && chunk.parentNode !== this.#host) chunk = chunk.parentNode;
      if (chunk) changed.add(chunk);
    }
    for (const chunk of changed) if (this.#ranges.has(chunk)) this.#paint(chunk);
  }

  #paint(chunk) {
    this.#clear(chunk);
    const ranges = [];
    const node = chunk.firstChild;
    for (const { kind, from, to } of node instanceof Text ? marksIn(node.data) : []) {
      const range = new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to });
      this.#highlights[kind].add(range);
      ranges.push([kind, range]);
    }
    this.#ranges.set(chunk, ranges);
    this.#draw(chunk);
  }

  /** Shows the pictures of a chunk's bullets and boxes. */
  #draw(chunk) {
    const area = chunk.getBoundingClientRect();
    const layers = [];
    for (const [kind, mark] of this.#ranges.get(chunk) ?? []) {
      const picture = pictureOf(kind, mark.startContainer.data.slice(mark.startOffset, mark.endOffset));
      if (!picture) continue;
      const range = document.createRange();
      range.setStart(mark.startContainer, mark.startOffset);
      range.setEnd(mark.endContainer, mark.endOffset);
      const [sign] = range.getClientRects();
      if (!sign) continue;
      const size = kind === "box" ? 18 : 8;
      const place = [sign.left - area.left + (sign.width - size) / 2, sign.top - area.top + (sign.height - size) / 2];
      layers.push(`url("/static/${picture}") ${place.map((length) => `${Math.round(length)}px`).join(" ")} / ${size}px no-repeat`);
    }
    chunk.style.background = layers.join(", ");
  }

  #clear(chunk) {
    for (const [kind, range] of this.#ranges.get(chunk) ?? []) this.#highlights[kind].delete(range);
    this.#ranges.delete(chunk);
  }

  #forget(node) {
    this.#clear(node);
    if (node instanceof Element && node.parentNode !== this.#host) this.#seen.unobserve(node);
  }
}
