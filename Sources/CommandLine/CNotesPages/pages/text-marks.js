// Lists, check boxes and links in plain text. The text stays as it is: the browser paints ranges of it.

const names = { marker: "list-marker", box: "check-box", done: "done-words", link: "link" };
const link = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]/g;

/**
 * The parts of a text that look like something.
 * @returns {Array<{kind: "marker"|"box"|"done"|"link", from: number, to: number}>}
 */
export function marksIn(text) {
  const marks = [];
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const add = (kind, from, to) => marks.push({ kind, from: index + from, to: index + to });
    const [head, space, marker] = /^([ \t]*)(?:([-*+•]|\d{1,9}[.)])[ \t]+)?/.exec(line);
    if (marker) add("marker", space.length, space.length + marker.length);
    const box = /^\[([ xX])\](?=[ \t]|$)/.exec(line.slice(head.length));
    if (box) add("box", head.length, head.length + 3);
    if (box && box[1] !== " " && line.length > head.length + 4) add("done", head.length + 4, line.length);
    for (const { 0: address, index } of line.matchAll(link)) add("link", index, index + address.length);
  }
  return marks;
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
