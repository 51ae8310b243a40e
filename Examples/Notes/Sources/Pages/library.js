// The page of all documents: it joins the stream, the list, the search and the commands.

import { post } from "./api.js";
import { DeletedList } from "./deleted-list.js";
import { FileDrop } from "./file-drop.js";
import { LibraryCommands } from "./library-commands.js";
import { LibraryItems } from "./library-items.js";
import { LibraryList } from "./library-list.js";
import { LibrarySearch } from "./library-search.js";
import { alertOf } from "./notices.js";
import { RowMenu } from "./row-menu.js";
import { Stream } from "./stream.js";
import { count } from "./words.js";

const detailsPause = 80;
const mostDetails = 100;
const retryPause = 2000;

const byId = (id) => document.getElementById(id);

class LibraryPage {
  #items = new LibraryItems();
  #search = new LibrarySearch(() => this.#searchIs());
  #list = new LibraryList(byId("documents"), byId("row-template"), this.#items, this.#search, (ids) => this.#wantDetails(ids));
  #commands = new LibraryCommands(this.#items, this.#list, this.#search);
  #menu = new RowMenu(byId("menu"), (action, id, format) => this.#commands.run(action, id, format));
  #deleted = new DeletedList(byId("deleted"), byId("deleted-list"), (id) => this.#commands.restore(id));
  #stream = new Stream(() => "/api/library/events", (name, data) => this.#events[name]?.(data), (state, error) => this.#streamIs(state, error));
  #isReady = false;
  #wanted = [];
  #asked = new Set();
  #detailsTimer = null;

  constructor() {
    const grid = byId("documents");
    grid.addEventListener("click", (event) => this.#click(event));
    grid.addEventListener("dblclick", (event) => event.target.closest(".row") && this.#commands.open(this.#list.current));
    grid.addEventListener("keydown", (event) => this.#rowKey(event));
    grid.addEventListener("contextmenu", (event) => this.#contextMenu(event));
    document.addEventListener("keydown", (event) => this.#pageKey(event));
    document.addEventListener("visibilitychange", () => this.#rest());
    byId("search").addEventListener("input", (event) => this.#searchFor(event.target.value));
    byId("search").addEventListener("keydown", (event) => this.#searchKey(event));
    byId("sort").addEventListener("change", (event) => this.#sort(event.target.value));
    byId("sort").value = localStorage.getItem("sort") ?? "newest";
    this.#items.sort(byId("sort").value);
    for (const id of ["new", "empty-new"]) byId(id).addEventListener("click", () => this.#commands.new());
    byId("import").addEventListener("click", () => byId("import-file").click());
    byId("import-file").addEventListener("change", ({ target }) => {
      this.#commands.import([...target.files]);
      target.value = "";
    });
    new FileDrop(byId("drop-hint"), "Zip it, and drop the zip.", (files) => this.#commands.import(files));
    this.#stream.connect();
  }

  #events = {
    library: ({ name, places, deleted }) => {
      byId("library-name").textContent = name;
      document.title = name;
      this.#commands.places = places;
      this.#deleted.show(deleted);
    },
    reset: () => {
      this.#items.reset();
      this.#isReady = false;
    },
    items: ({ items }) => {
      this.#items.put(items);
      this.#show();
    },
    ready: () => {
      this.#isReady = true;
      document.body.dataset.ready = "true";
      this.#show();
    },
    changes: (changes) => {
      for (const [from, to] of this.#items.change(changes)) this.#list.rename(from, to);
      this.#show();
      this.#search.refresh();
    },
    reading: (progress) => this.#search.reading(progress),
    problem: ({ message }) => {
      byId("problem").textContent = message;
      byId("problem").hidden = false;
    },
    "problems-over": () => {
      byId("problem").hidden = true;
    },
  };

  #streamIs(state, error) {
    document.body.dataset.stream = state === "refused" ? "lost" : state;
    byId("offline").hidden = state !== "lost";
    if (state === "refused") alertOf(error);
  }

  #rest() {
    if (document.hidden) this.#stream.close();
    else if (this.#stream.isClosed) this.#stream.connect();
  }

  #show() {
    const { total, shown } = this.#items;
    byId("count").textContent = this.#countWords();
    byId("empty").hidden = !this.#isReady || total > 0;
    byId("no-match").hidden = !this.#isReady || total === 0 || shown.length > 0 || this.#search.isReading;
    this.#list.draw();
  }

  #countWords() {
    const { total, shown } = this.#items;
    if (total === 0) return "";
    if (!this.#search.isOn) return count(total, "document");
    const found = `${shown.length.toLocaleString("en")} of ${count(total, "document")}`;
    const { progress } = this.#search;
    return progress ? `${found}; ${(progress.of - progress.read).toLocaleString("en")} still to read` : found;
  }

  // Details, for visible rows first

  #wantDetails(ids) {
    this.#search.want(ids);
    this.#wanted = ids.filter((id) => this.#lacksDetails(id));
    if (this.#wanted.length > 0) this.#detailsTimer ??= setTimeout(() => this.#askDetails(), detailsPause);
  }

  #lacksDetails(id) {
    return this.#items.details(id) === undefined && !this.#asked.has(id) && this.#items.item(id)?.editable;
  }

  async #askDetails() {
    this.#detailsTimer = null;
    const ids = this.#wanted.slice(0, mostDetails);
    if (ids.length === 0) return;
    for (const id of ids) this.#asked.add(id);
    let wait = 0;
    try {
      const { details } = await post("/api/library/details", { ids });
      for (const id of ids) this.#items.setDetails(id, details[id] ?? null);
    } catch {
      // The stream tells that the server is gone; the visible rows ask again later.
      wait = retryPause;
    }
    for (const id of ids) this.#asked.delete(id);
    setTimeout(() => this.#show(), wait);
  }

  // Search and order

  #searchFor(text) {
    this.#search.begin(text);
    window.scrollTo({ top: 0, behavior: "instant" });
    this.#searchIs();
  }

  #searchIs() {
    this.#items.filter(this.#search.isOn ? (item) => this.#search.matches(item) : null);
    this.#show();
  }

  #sort(order) {
    localStorage.setItem("sort", order);
    this.#items.sort(order);
    this.#show();
  }

  // Mouse and keys

  #click(event) {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("a, input")) return;
    const button = event.target.closest(".row-menu");
    if (button) this.#openMenu(row.dataset.id, button);
    else row.focus({ preventScroll: true });
  }

  #contextMenu(event) {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("input")) return;
    event.preventDefault();
    this.#openMenu(row.dataset.id, row.querySelector(".row-menu"));
  }

  #openMenu(id, button) {
    this.#menu.open(this.#items.item(id), this.#items.details(id), this.#commands.places, button);
  }

  #rowKey(event) {
    const id = this.#list.current;
    if (event.ctrlKey || event.metaKey || event.altKey || !id) return;
    const action = { Enter: "open", F2: "rename", Delete: "delete" }[event.key];
    if (event.key === "Enter" && event.target.closest("button")) return;
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      this.#openMenu(id, this.#list.rowOf(id).querySelector(".row-menu"));
    } else if (action) {
      this.#commands.run(action, id);
    } else if (!this.#list.move(event.key)) {
      return;
    }
    event.preventDefault();
  }

  #pageKey(event) {
    const isTyping = event.target.matches("input, select, textarea");
    const isFind = (event.ctrlKey || event.metaKey) && event.key === "f";
    if (document.querySelector("dialog[open]") || event.altKey) return;
    if (isFind || (event.key === "/" && !isTyping)) {
      event.preventDefault();
      byId("search").select();
    } else if (event.key === "n" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#commands.new();
    } else if (event.key === "ArrowDown" && event.target === document.body) {
      event.preventDefault();
      this.#list.select(this.#list.current);
    }
  }

  #searchKey(event) {
    if (event.key === "Escape") {
      event.target.value = "";
      this.#searchFor("");
      this.#list.select(this.#list.current);
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      this.#list.select(this.#items.shown[0]?.id);
    }
  }
}

new LibraryPage();
