// The chunks of a text as elements: one <div> with one Text node for each, and a <br> after an end that is an empty line.

import { difference } from "./text.js";

const lineHeight = 28;
const lineLength = 70;

/** Shows a `ChunkedText` in a host element and translates between offsets and nodes. */
export class ChunkView {
  #chunks = new WeakMap();
  #end = null;

  constructor(host, text) {
    this.host = host;
    this.text = text;
    this.showAll();
  }

  /** Shows all chunks anew. */
  showAll() {
    this.host.replaceChildren(...this.text.chunks.map((chunk) => this.#shown(chunk)));
    this.#end = null;
    this.#showEnd();
  }

  /** Does what `ChunkedText.splice` tells. Live ranges move with the text, except if chunks come or go. */
  apply({ chunk, replace, removed, added }) {
    for (const gone of removed) gone.view.remove();
    if (replace) this.#node(chunk).replaceData(...replace);
    if (added.length > 0) chunk.view.after(...added.map((one) => this.#shown(one)));
    this.#showEnd();
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
    this.#showEnd();
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
    chunk.view.style.containIntrinsicSize = `auto ${Math.ceil(lines) * lineHeight}px`;
    return chunk.view;
  }

  #node(chunk) {
    if (!(chunk.view.firstChild instanceof Text)) chunk.view.prepend(document.createTextNode(chunk.text));
    return chunk.view.firstChild;
  }

  /** A <br> makes the empty line at the end visible. */
  #showEnd() {
    const { last } = this.text;
    if (this.#end !== last) this.#end?.view.querySelector("br")?.remove();
    this.#end = last;
    const isNeeded = last.text === "" || last.text.endsWith("\n");
    const present = last.view.querySelector("br");
    if (isNeeded && !present) last.view.append(document.createElement("br"));
    if (!isNeeded) present?.remove();
  }
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
