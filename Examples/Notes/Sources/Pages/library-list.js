// The list of documents. Only the rows that a person can see are in the page, however many documents there are.

import { fillRow, newRow } from "./library-row.js";
import { Lines } from "./library-sections.js";

const spare = 6;

/** A windowed grid with one current row, which has the keyboard's focus. */
export class LibraryList {
  #grid;
  #template;
  #items;
  #search;
  #onRows;
  #rows = new Map();
  #heads = new Map();
  #lines = null;
  #current = null;
  #currentIndex = 0;
  #frame = null;
  #pinned = null;

  /** @param {(ids: string[]) => void} onRows tells which documents are visible */
  constructor(grid, template, items, search, onRows) {
    this.#grid = grid;
    this.#template = template;
    this.#items = items;
    this.#search = search;
    this.#onRows = onRows;
    window.addEventListener("scroll", () => this.draw(), { passive: true });
    window.addEventListener("resize", () => this.draw());
    grid.addEventListener("focusin", (event) => this.#focused(event.target.closest(".row")));
  }

  /** The id of the current row. */
  get current() {
    return this.#current;
  }

  rowOf(id) {
    return this.#rows.get(id);
  }

  /** A row that is edited stays in the page, wherever the list is scrolled to. */
  pin(id) {
    this.#pinned = id;
  }

  /** Draws the visible rows before the next picture of the page. */
  draw() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.drawNow();
    });
  }

  drawNow() {
    const items = this.#items.shown;
    const lines = this.#linesOf(items);
    this.#grid.setAttribute("aria-rowcount", items.length);
    this.#grid.style.height = `${lines.height}px`;
    this.#keepCurrent(items);
    const top = window.scrollY - this.#grid.offsetTop;
    const visible = lines.between(top, top + window.innerHeight, spare);
    const wanted = new Map(visible.filter(({ item }) => item).map((line) => [line.key, line]));
    for (const id of [this.#current, this.#pinned]) {
      const index = id === this.#current ? this.#currentIndex : items.findIndex((item) => item.id === id);
      if (items[index]?.id === id) wanted.set(id, lines.of(index));
    }
    this.#showHeads(visible.filter(({ name }) => name));
    this.#remove(wanted);
    for (const line of wanted.values()) this.#show(line);
    this.#onRows(visible.filter(({ item }) => item).map(({ key }) => key));
  }

  /** The lines change with the documents, and with the height of a row. */
  #linesOf(items) {
    const style = getComputedStyle(this.#grid);
    const [row, head] = ["--row-height", "--head-height"].map((name) => parseFloat(style.getPropertyValue(name)));
    if (this.#lines?.items !== items || this.#lines.row !== row) {
      this.#lines = Object.assign(new Lines(items, this.#items.sections, { row, head }), { row });
    }
    return this.#lines;
  }

  /** A document has another id now: its row, and the focus in it, stay. */
  rename(from, to) {
    const row = this.#rows.get(from);
    if (row) {
      this.#rows.delete(from);
      this.#rows.set(to, row);
    }
    if (this.#current === from) this.#current = to;
    if (this.#pinned === from) this.#pinned = to;
  }

  /** Makes a document the current one, shows it, and gives it the focus. */
  select(id, focus = true) {
    const index = this.#items.shown.findIndex((item) => item.id === id);
    if (index >= 0) this.#go(index, focus);
  }

  /** Moves the current row by steps of rows or pages, or to an end. */
  move(key) {
    const { length } = this.#items.shown;
    const page = Math.max(1, Math.floor(window.innerHeight / this.#linesOf(this.#items.shown).row) - 2);
    const to = {
      ArrowUp: this.#currentIndex - 1,
      ArrowDown: this.#currentIndex + 1,
      PageUp: this.#currentIndex - page,
      PageDown: this.#currentIndex + page,
      Home: 0,
      End: length - 1,
    }[key];
    if (to === undefined || length === 0) return false;
    this.#go(Math.max(0, Math.min(length - 1, to)), true);
    return true;
  }

  #go(index, focus) {
    this.#currentIndex = index;
    this.#current = this.#items.shown[index].id;
    this.#scrollTo(index);
    this.drawNow();
    if (focus) this.#rows.get(this.#current)?.focus({ preventScroll: true });
  }

  #scrollTo(index) {
    const line = this.#linesOf(this.#items.shown).of(index);
    const room = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    // The first document is shown with its heading.
    const top = this.#grid.offsetTop + (index === 0 ? 0 : line.top);
    const bottom = this.#grid.offsetTop + line.top + line.height;
    if (top < window.scrollY + room) window.scrollTo({ top: top - room, behavior: "instant" });
    else if (bottom > window.scrollY + window.innerHeight) window.scrollTo({ top: bottom - window.innerHeight, behavior: "instant" });
  }

  /** If the current document is gone, the one in its place is the current one. */
  #keepCurrent(items) {
    if (items[this.#currentIndex]?.id === this.#current) return;
    const index = items.findIndex((item) => item.id === this.#current);
    this.#currentIndex = index >= 0 ? index : Math.max(0, Math.min(this.#currentIndex, items.length - 1));
    this.#current = items[this.#currentIndex]?.id ?? null;
  }

  #remove(wanted) {
    const hadFocus = this.#grid.contains(document.activeElement);
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    this.#isFocusLost = hadFocus && !this.#grid.contains(document.activeElement);
  }

  #isFocusLost = false;

  #showHeads(lines) {
    const wanted = new Set(lines.map(({ key }) => key));
    for (const [key, head] of this.#heads) {
      if (wanted.has(key)) continue;
      head.remove();
      this.#heads.delete(key);
    }
    for (const { key, name, top } of lines) {
      if (!this.#heads.has(key)) {
        this.#heads.set(key, newHead(name));
        this.#grid.append(this.#heads.get(key));
      }
      this.#heads.get(key).style.transform = `translateY(${top}px)`;
    }
  }

  #show({ item, index, top }) {
    let row = this.#rows.get(item.id);
    if (!row) {
      row = newRow(this.#template);
      this.#rows.set(item.id, row);
      this.#grid.append(row);
    }
    row.setAttribute("aria-rowindex", index + 1);
    row.style.transform = `translateY(${top}px)`;
    row.tabIndex = item.id === this.#current ? 0 : -1;
    fillRow(row, item, this.#items.details(item.id), this.#search);
    if (this.#isFocusLost && item.id === this.#current) {
      this.#isFocusLost = false;
      row.focus({ preventScroll: true });
    }
  }

  #focused(row) {
    if (!row || row.dataset.id === this.#current) return;
    const old = this.#rows.get(this.#current);
    if (old) old.tabIndex = -1;
    this.#current = row.dataset.id;
    this.#currentIndex = Number(row.getAttribute("aria-rowindex")) - 1;
    row.tabIndex = 0;
  }
}

/** A heading as a row of the grid. */
function newHead(name) {
  const row = document.createElement("div");
  row.className = "section-row";
  row.setAttribute("role", "row");
  const cell = document.createElement("div");
  cell.setAttribute("role", "gridcell");
  const head = document.createElement("h2");
  head.textContent = name;
  cell.append(head);
  row.append(cell);
  return row;
}
