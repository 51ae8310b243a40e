// The carets of other tabs: a count, and a mark at each place in the text.

import { scrollToRange } from "./range-view.js";
import { count } from "./words.js";

/** Shows the other tabs of a document. */
export class Carets {
  #button;
  #editor;
  #ranges = [];
  #next = 0;
  others = 0;

  constructor(button, editor) {
    this.#button = button;
    this.#editor = editor;
    button.addEventListener("click", () => this.#goOn());
  }

  /** @param {Array<number|null>} offsets the places of the other tabs' carets, as the editor counts */
  show(offsets) {
    this.others = offsets.length;
    this.#button.hidden = offsets.length === 0;
    this.#button.dataset.count = offsets.length;
    const words = count(offsets.length, "other tab");
    if (this.#button.textContent !== words) this.#button.textContent = words;
    this.#button.title = "Go to the place where the other tab writes";
    this.#ranges = offsets.filter((offset) => offset !== null).map((offset) => this.#editor.rangeAt(offset));
    // Live ranges move with the text, so typing does not redraw the marks.
    globalThis.CSS?.highlights?.set("other-carets", new Highlight(...this.#ranges));
  }

  #goOn() {
    const range = this.#ranges[this.#next++ % this.#ranges.length];
    if (range) scrollToRange(range);
  }
}
