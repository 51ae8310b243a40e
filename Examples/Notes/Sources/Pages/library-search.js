// The search of the library: the server finds the documents by their whole text, and the page by their names.

import { post } from "./api.js";
import { folded, Search } from "./hits.js";
import { alertOf } from "./notices.js";

const mostExcerpts = 100;

/** One search at a time. The server reads what changed, and finds what it has read by then. */
export class LibrarySearch {
  #onChange;
  #text = "";
  #search = null;
  #documents = new Set();
  #excerpts = new Map();
  #isAsking = false;
  #isStale = false;
  #refreshes = 0;
  /** What the server tells of its reading: {read, of}, or null. */
  progress = null;

  /** @param {() => void} onChange tells that the hits, an excerpt or the progress changed */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  get isOn() {
    return this.#search !== null;
  }

  /** Whether documents may be missing, since the server has not read them yet. */
  get isReading() {
    return this.#refreshes > 0;
  }

  /** The search, to mark hits; null without one. */
  get search() {
    return this.#search;
  }

  /** The words as the user typed them. */
  get text() {
    return this.#text;
  }

  /** Searches for other words; for none, the search ends. */
  begin(text) {
    const wasOn = this.isOn;
    this.#text = text.trim();
    this.#search = this.#text === "" ? null : new Search(this.#text);
    this.#excerpts.clear();
    if (!this.isOn) this.#documents.clear();
    if (!wasOn) this.refresh();
    this.#ask();
  }

  matches({ id, name }) {
    return this.#documents.has(id) || folded(name).includes(folded(this.#text));
  }

  /** The part of a document around its hits; an empty text if these are in its name. Undefined if it is unknown yet. */
  excerpt(id) {
    return this.#excerpts.get(id);
  }

  /** The library changed, or a search begins: the server reads what changed. */
  async refresh() {
    if (!this.isOn || this.#refreshes > 1) return;
    this.#refreshes++;
    try {
      await post("/api/library/search/refresh");
    } catch (error) {
      if (!error.isOffline) alertOf(error);
    }
    this.#refreshes--;
    if (!this.isReading) this.progress = null;
    this.#excerpts.clear();
    this.#ask();
    this.#onChange();
  }

  /** The server has read some more documents. */
  reading(progress) {
    if (!this.isReading) return;
    this.progress = progress;
    this.#ask();
    this.#onChange();
  }

  /** Asks for the excerpts of visible documents. */
  async want(ids) {
    const wanted = ids.filter((id) => this.#documents.has(id) && !this.#excerpts.has(id)).slice(0, mostExcerpts);
    const words = this.#text;
    if (!this.isOn || wanted.length === 0) return;
    for (const id of wanted) this.#excerpts.set(id, undefined);
    try {
      const { excerpts } = await post("/api/library/search/excerpts", { words, ids: wanted });
      if (words !== this.#text) return;
      for (const id of wanted) this.#excerpts.set(id, excerpts[id] ?? "");
      this.#onChange();
    } catch {
      // The stream tells that the server is gone. The rows have their first lines meanwhile.
    }
  }

  /** One request at a time, and another one if there is something new meanwhile. */
  async #ask() {
    this.#isStale = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isStale && this.isOn) {
      this.#isStale = false;
      const words = this.#text;
      try {
        const { documents } = await post("/api/library/search", { words });
        if (words === this.#text) this.#documents = new Set(documents);
      } catch (error) {
        if (!error.isOffline) alertOf(error);
      }
      this.#onChange();
    }
    this.#isAsking = false;
  }
}
