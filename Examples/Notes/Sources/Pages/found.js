// The hits of the library's search in an open document: marks in the text, the title and the captions, and a bar that
// leads from one to the next.

import { Search } from "./hits.js";
import { scrollToRange } from "./range-view.js";

const mostHits = 2000;

/** Shows the hits of the words that the address has behind `#find=`. */
export class Found {
  #bar;
  #text;
  #search = null;
  #hits = [];
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
    this.#bar.hidden = this.#hits.length === 0;
    if (this.#hits.length > 0) this.#show();
  }

  /** The title and the captions, which are no ranges of the page: a hit marks them as a whole. */
  get #fields() {
    return [...document.querySelectorAll(".title, .caption")];
  }

  /** Looks for the hits. Live ranges move with the text, but not with chunks that are made anew. */
  #find() {
    const ranges = [];
    for (const { firstChild } of this.#text.children) {
      const left = mostHits - ranges.length;
      if (left <= 0) break;
      if (!(firstChild instanceof Text)) continue;
      for (const [from, to] of this.#search.hits(firstChild.data, left)) {
        const range = document.createRange();
        range.setStart(firstChild, from);
        range.setEnd(firstChild, to);
        ranges.push(range);
      }
    }
    globalThis.CSS?.highlights?.set("hits", new Highlight(...ranges));
    const fields = this.#fields.filter((field) => this.#search.hits(field.value, 1).length > 0);
    for (const field of this.#fields) field.classList.toggle("has-hit", fields.includes(field));
    this.#hits = [...ranges, ...fields];
  }

  #go(step) {
    this.#find();
    if (this.#hits.length === 0) return this.#end();
    this.#index = (this.#index + step + this.#hits.length) % this.#hits.length;
    this.#show();
  }

  #show() {
    const hit = this.#hits[this.#index];
    const most = this.#hits.length >= mostHits ? "+" : "";
    this.#bar.querySelector("#found-count").textContent = `${this.#index + 1} of ${this.#hits.length}${most}`;
    for (const field of this.#fields) field.classList.toggle("hit", field === hit);
    globalThis.CSS?.highlights?.set("hit", new Highlight(...(hit instanceof Range ? [hit] : [])));
    if (hit instanceof Range) scrollToRange(hit);
    else hit.scrollIntoView({ block: "center", behavior: "instant" });
  }

  #end() {
    this.#bar.hidden = true;
    for (const name of ["hits", "hit"]) globalThis.CSS?.highlights?.delete(name);
    for (const field of this.#fields) field.classList.remove("has-hit", "hit");
    history.replaceState(null, "", location.pathname);
    this.#text.focus({ preventScroll: true });
  }
}
