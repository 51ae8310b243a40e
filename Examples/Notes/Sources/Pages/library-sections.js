// The sections of the library: pinned documents, and the other ones by the date of their last change.

import { daysAgo } from "./words.js";

const monthOfYear = new Intl.DateTimeFormat("en", { month: "long" });
const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/** The section of a document in an order, or null for none. */
export function sectionOf({ pinned, modified }, order, now = new Date()) {
  if (pinned) return "Pinned";
  if (order !== "newest") return "Documents";
  const days = daysAgo(modified, now);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Previous 7 days";
  const date = new Date(modified);
  return (date.getFullYear() === now.getFullYear() ? monthOfYear : month).format(date);
}

/** The lines of a list, each with its place: headings {name} and documents {item, index}. */
export class Lines {
  #lines = [];
  #ofItems = [];
  height = 0;

  /** @param {(item) => string} sectionOf @param {{row: number, head: number}} heights */
  constructor(items, sectionOf, heights) {
    this.items = items;
    const sections = sectionOf ? items.map(sectionOf) : [];
    const hasHeads = sections.some((name) => name !== sections[0] || name !== "Documents");
    items.forEach((item, index) => {
      if (hasHeads && sections[index] !== sections[index - 1]) this.#add({ name: sections[index], key: `section ${sections[index]}` }, heights.head);
      this.#ofItems.push(this.#add({ item, index, key: item.id }, heights.row));
    });
  }

  /** The line of a document, by its place among the documents. */
  of(index) {
    return this.#ofItems[index];
  }

  /** The lines between two heights, and some more on both sides. */
  between(top, bottom, spare) {
    const from = Math.max(0, this.#firstBelow(top) - spare);
    return this.#lines.slice(from, this.#firstBelow(bottom) + 1 + spare);
  }

  #add(line, height) {
    Object.assign(line, { top: this.height, height });
    this.#lines.push(line);
    this.height += height;
    return line;
  }

  /** The place of the first line whose end is below a height. */
  #firstBelow(height) {
    let [from, to] = [0, this.#lines.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#lines[middle].top + this.#lines[middle].height > height) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
