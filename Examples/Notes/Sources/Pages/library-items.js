// The documents of the library, in the order and selection that the page shows.

import { sectionOf } from "./library-sections.js";

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const orders = {
  name: (a, b) => names.compare(a.name, b.name) || compare(a.id, b.id),
  newest: (a, b) => b.modified - a.modified || names.compare(a.name, b.name) || compare(a.id, b.id),
};

/** All documents, and those that match the search, sorted. */
export class LibraryItems {
  #all = new Map();
  #details = new Map();
  #shown = null;
  #matches = null;
  #order = "newest";

  get total() {
    return this.#all.size;
  }

  /** The matching documents in order. */
  get shown() {
    this.#shown ??= [...this.#all.values()].filter((item) => this.#matches?.(item) ?? true).sort(this.#compare);
    return this.#shown;
  }

  /** The section of a document, or null while the list is a selection. */
  get sections() {
    return this.#matches ? null : (item) => sectionOf(item, this.#order);
  }

  /** Pinned documents are first, except in a selection. */
  get #compare() {
    const compare = orders[this.#order];
    if (this.#matches) return compare;
    return (a, b) => Number(b.pinned ?? false) - Number(a.pinned ?? false) || compare(a, b);
  }

  item(id) {
    return this.#all.get(id);
  }

  /** The details of a document, or undefined if they were not asked for since it changed. */
  details(id) {
    return this.#details.get(id);
  }

  reset() {
    this.#all.clear();
    this.#details.clear();
    this.#shown = null;
  }

  put(items) {
    for (const item of items) this.#put(item);
    this.#shown = null;
  }

  /** Takes in a `changes` event. @returns {Map<string, string>} the new ids of documents that moved */
  change({ added = [], changed = [], moved = [], removed = [] }) {
    const ids = new Map();
    for (const id of removed) this.#remove(id);
    for (const { from, item } of moved) {
      const details = this.#details.get(from);
      this.#remove(from);
      this.#put(item);
      if (details) this.#details.set(item.id, details);
      ids.set(from, item.id);
    }
    this.put([...added, ...changed]);
    return ids;
  }

  setDetails(id, details) {
    this.#details.set(id, details);
  }

  /** Shows only the documents for which a condition holds. @param {((item) => boolean)|null} matches */
  filter(matches) {
    this.#matches = matches;
    this.#shown = null;
  }

  sort(order) {
    this.#order = order in orders ? order : "newest";
    this.#shown = null;
  }

  #put(item) {
    const old = this.#all.get(item.id);
    if (old && (old.modified !== item.modified || old.size !== item.size)) this.#details.delete(item.id);
    this.#all.set(item.id, item);
  }

  #remove(id) {
    this.#all.delete(id);
    this.#details.delete(id);
  }
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
