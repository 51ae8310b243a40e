// The chunks of a text as elements: one <div> with one Text node for each, and a <br> after an end that is an empty line.
// The picture that a line names is in no node: the style sheet paints it below the words.

import { pictureIn } from "./picture-lines.js";
import { difference } from "./text.js";

const lineHeight = 28;
const lineLength = 70;
const longestTitle = 200;
const elsewhere = /^(?:[a-z][a-z\d+.-]*:|#|\/\/)/i;

/** Shows a `ChunkedText` in a host element and translates between offsets and nodes. */
export class ChunkView {
  #chunks = new WeakMap();
  #end = null;
  #pictures;

  /** @param {Map<string, object>} pictures the images of the document by their paths */
  constructor(host, text, pictures) {
    this.host = host;
    this.text = text;
    this.#pictures = pictures;
    this.showAll();
  }

  /** Shows all chunks anew. */
  showAll() {
    this.host.replaceChildren(...this.text.chunks.map((chunk) => this.#shown(chunk)));
    this.#end = null;
    this.#showEnds();
  }

  /** Scrolls as far as needed to see an offset. */
  reveal(offset) {
    const [node, at] = this.placeOf(offset);
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, Math.min(at + 1, node.length));
    const place = range.getClientRects()[0] ?? node.nextSibling?.getBoundingClientRect() ?? node.parentElement.getBoundingClientRect();
    const room = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const below = place.bottom + 24 - window.innerHeight;
    const above = place.top - room;
    if (above < 0) window.scrollBy(0, above);
    else if (below > 0) window.scrollBy(0, below);
  }

  /** Shows the pictures that the text names of these images. */
  showPictures(pictures) {
    this.#pictures = pictures;
    for (const chunk of this.text.chunks) this.#showPicture(chunk);
  }

  /** The image that a chunk shows, or undefined. */
  pictureOf(chunk) {
    const line = pictureIn(chunk.text);
    return line?.paths.map((path) => this.#pictures.get(path)).find((image) => image?.url);
  }

  /** The image whose picture is under the pointer, or undefined. The picture is below the words of its chunk. */
  pictureAt({ target, clientX, clientY }) {
    const chunk = this.#chunks.get(target);
    const image = chunk && this.pictureOf(chunk);
    if (!image) return undefined;
    const words = document.createRange();
    words.setStart(this.#node(chunk), 0);
    words.setEnd(this.#node(chunk), chunk.text.trimEnd().length);
    const { left } = chunk.view.getBoundingClientRect();
    const isBeside = clientX > left + parseFloat(getComputedStyle(chunk.view, "::after").width);
    return clientY > words.getBoundingClientRect().bottom && !isBeside ? image : undefined;
  }

  /** The keys of the images that the text shows. */
  get shownPictures() {
    return new Set(this.text.chunks.map((chunk) => this.pictureOf(chunk)?.key).filter(Boolean));
  }

  /** Does what `ChunkedText.splice` tells. Live ranges move with the text, except if chunks come or go. */
  apply({ chunk, replace, removed, added }) {
    for (const gone of removed) gone.view.remove();
    if (replace) {
      this.#node(chunk).replaceData(...replace);
      this.#showPicture(chunk);
    }
    if (added.length > 0) chunk.view.after(...added.map((one) => this.#shown(one)));
    this.#showEnds();
  }

  /** The chunk that shows a node, or undefined. */
  chunkOf(node) {
    while (node && node.parentNode !== this.host) node = node.parentNode;
    return node ? this.#chunks.get(node) : undefined;
  }

  /** The text that a chunk's element has now. */
  read(chunk) {
    return chunk.view.textContent;
  }

  /** The offset of a place in the document, or null outside of the host. */
  offsetOf(node, inside) {
    if (node === this.host) {
      const chunk = this.#chunks.get(this.host.childNodes[inside]);
      return chunk ? this.text.startOf(chunk) : this.text.length;
    }
    const chunk = this.chunkOf(node);
    return chunk ? this.text.startOf(chunk) + this.offsetInside(chunk, node, inside) : null;
  }

  /** The offset of a place in a chunk's own text. */
  offsetInside(chunk, node, inside) {
    if (chunk.view.firstChild === node) return Math.min(inside, chunk.text.length);
    const range = document.createRange();
    range.setStart(chunk.view, 0);
    range.setEnd(node, inside);
    return Math.min(range.toString().length, chunk.text.length);
  }

  /** The place [node, offset] of an offset. */
  placeOf(offset) {
    const { chunk, at } = this.text.locate(Math.max(0, Math.min(offset, this.text.length)));
    return [this.#node(chunk), at];
  }

  /** The part of the line at an offset that the window shows as one line. */
  softLineAt(offset) {
    const { from, to } = this.text.lineAt(offset);
    if (from === to) return { from, to };
    const own = this.#heightOf(Math.min(offset, to - 1));
    return {
      from: firstWhere(from, offset, (at) => this.#heightOf(at) > own - lineHeight / 2),
      to: firstWhere(Math.min(offset, to - 1), to, (at) => this.#heightOf(at) > own + lineHeight / 2),
    };
  }

  /** The vertical middle of the unit at an offset. */
  #heightOf(offset) {
    const [node, at] = this.placeOf(offset);
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const { top, bottom } = range.getBoundingClientRect();
    return (top + bottom) / 2;
  }

  /** Makes a chunk's element one Text node again after the browser edited it. The caret stays. */
  tidy(chunk) {
    const [first, second, ...more] = chunk.view.childNodes;
    const isTidy = first instanceof Text && more.length === 0 && (!second || second.nodeName === "BR");
    if (!isTidy) {
      const selection = getSelection();
      const isInside = selection.anchorNode && chunk.view.contains(selection.anchorNode);
      const caret = isInside ? this.offsetInside(chunk, selection.anchorNode, selection.anchorOffset) : 0;
      chunk.view.replaceChildren(document.createTextNode(chunk.text));
      if (isInside) selection.collapse(chunk.view.firstChild, caret);
      if (chunk === this.#end) this.#end = null;
    }
    this.#showPicture(chunk);
    this.#showEnds();
  }

  /**
   * The splice, counted in the whole text, that makes the model's chunks of the host's children.
   * It is null if each child is a chunk, as it should be.
   */
  strayDifference() {
    const { chunks } = this.text;
    const children = this.host.childNodes;
    let head = 0;
    while (head < chunks.length && children[head] === chunks[head].view) head++;
    if (head === chunks.length && head === children.length) return null;
    let tail = 0;
    const most = Math.min(chunks.length, children.length) - head;
    while (tail < most && children[children.length - 1 - tail] === chunks[chunks.length - 1 - tail].view) tail++;
    const stray = Array.from(children).slice(head, children.length - tail);
    const before = chunks.slice(head, chunks.length - tail);
    const start = before.length > 0 ? this.text.startOf(before[0]) : head > 0 ? this.text.startOf(chunks[head - 1]) + chunks[head - 1].text.length : 0;
    const [at, del, ins] = difference(before.map((chunk) => chunk.text).join(""), stray.map((node) => node.textContent).join(""));
    return [start + at, del, ins];
  }

  #shown(chunk) {
    if (!chunk.view) {
      chunk.view = document.createElement("div");
      chunk.view.className = "chunk";
      this.#chunks.set(chunk.view, chunk);
    }
    chunk.view.replaceChildren(document.createTextNode(chunk.text));
    const lines = chunk.text.length / lineLength + chunk.text.split("\n").length / 2;
    chunk.view.style.setProperty("--words-height", `${Math.ceil(lines) * lineHeight}px`);
    this.#showPicture(chunk);
    return chunk.view;
  }

  #showPicture(chunk) {
    const { view } = chunk;
    const line = pictureIn(chunk.text);
    const image = line && this.pictureOf(chunk);
    view.classList.toggle("missing-picture", line !== null && !image && !elsewhere.test(line.paths[0]));
    if (!image && !view.classList.contains("picture-line")) return;
    view.classList.toggle("picture-line", Boolean(image));
    const { url, width, height, caption } = image ?? {};
    const values = { picture: image && `url("${url}")`, "picture-width": image && (width || 640), "picture-height": image && (height || 480), "picture-words": image && cssString(caption) };
    for (const [name, value] of Object.entries(values)) view.style.setProperty(`--${name}`, value || "");
  }

  #node(chunk) {
    if (!(chunk.view.firstChild instanceof Text)) chunk.view.prepend(document.createTextNode(chunk.text));
    return chunk.view.firstChild;
  }

  /** Marks a first line that can be a title. A <br> makes the empty line at the end visible. */
  #showEnds() {
    const { last, chunks } = this.text;
    // PT4
    chunks[0].view.classList.toggle("first-line", chunks[0].text.length <= longestTitle);
    if (this.#end !== last) this.#end?.view.querySelector("br")?.remove();
    this.#end = last;
    const isNeeded = last.text === "" || last.text.endsWith("\n");
    const present = last.view.querySelector("br");
    if (isNeeded && !present) last.view.append(document.createElement("br"));
    if (!isNeeded) present?.remove();
  }
}

/** A text as a string of a style sheet. */
function cssString(text) {
  return `"${text.replace(/["\\\n\r\f]/g, (one) => `\\${one.charCodeAt(0).toString(16)} `)}"`;
}

/** The first offset from `from` on for which a condition holds that holds for all later ones; `to` if there is none. */
function firstWhere(from, to, holds) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
