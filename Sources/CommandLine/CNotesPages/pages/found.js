// The hits of the library's search in an open document: marks in the text, and a bar that leads from one to the next.

import { Search } from "./hits.js";
import { scrollToRange } from "./range-view.js";

const mostHits = 2000;

/** Shows the hits of the words that the address has behind `#find=`. */
export class Found {
  #bar;
  #text;
  #search = null;
  #ranges = [];
  #index = 0;

  /** @param {HTMLElement} bar @param {HTMLElement} text the host of the text's chunks */
  constructor(bar, text) {
    this.#bar = bar;
    this.#text = text;
    bar.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.id === "found-end") this.#end();
      else if (button) this.#go(button.id === "found-next" ? 1 : -1);
    });
    bar.addEventListener("keydown", (event) => event.key === "Escape" && this.#end());
  }

  /** Marks the hits of the address's words, and shows the first one. */
  begin() {
    const words = new URLSearchParams(location.hash.slice(1)).get("find");
    if (!words) return;
    this.#search = new Search(words);
    this.#find();
    this.#bar.hidden = this.#ranges.length === 0;
    if (this.#ranges.length > 0) this.#show();
  }

  /** Looks for the hits. Live ranges move with the text, but not with chunks that are made anew. */
  #find() {
    this.#ranges = [];
    for (const { firstChild } of this.#text.children) {
      const left = mostHits - this.#ranges.length;
      if (left <= 0) break;
      if (!(firstChild instanceof Text)) continue;
      for (const [from, to] of this.#search.hits(firstChild.data, left)) {
        const range = document.createRange();
        range.setStart(firstChild, from);
        range.setEnd(firstChild, to);
        this.#ranges.push(range);
      }
    }
    globalThis.CSS?.highlights?.set("hits", new Highlight(...this.#ranges));
  }

  #go(step) {
    this.#find();
    if (this.#ranges.length === 0) return this.#end();
    this.#index = (this.#index + step + this.#ranges.length) % this.#ranges.length;
    this.#show();
  }

  #show() {
    const range = this.#ranges[this.#index];
    const most = this.#ranges.length === mostHits ? "+" : "";
    this.#bar.querySelector("#found-count").textContent = `${this.#index + 1} of ${this.#ranges.length}${most}`;
    globalThis.CSS?.highlights?.set("hit", new Highlight(range));
    scrollToRange(range);
  }

  #end() {
    this.#bar.hidden = true;
    for (const name of ["hits", "hit"]) globalThis.CSS?.highlights?.delete(name);
    history.replaceState(null, "", location.pathname);
    this.#text.focus({ preventScroll: true });
  }
}
