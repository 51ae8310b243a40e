// What a person can ask of a document: buttons, keys, files, and the requests behind them.

import { post, put } from "./api.js";
import { FileDrop } from "./file-drop.js";
import { addedWords } from "./images.js";
import { alertOf, attempt, notice } from "./notices.js";

const byId = (id) => document.getElementById(id);

/** The commands of a document's page. */
export class DocumentCommands {
  #page;
  #replaced = null;
  #line = Promise.resolve();

  constructor(page) {
    this.#page = page;
  }

  /** Connects buttons, keys and fields. */
  listen() {
    const clicks = {
      undo: () => this.undo(),
      redo: () => this.redo(),
      "add-image": () => this.#choose(null),
      "banner-retry": () => this.save(),
      "banner-new": () => this.#newDocument(),
      "banner-take": () => this.#recover(true),
      "banner-discard": () => this.#recover(false),
    };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
    byId("image-file").addEventListener("change", (event) => this.#chosen(event.target));
    byId("title").addEventListener("change", (event) => this.#title(event.target.value));
    byId("title").addEventListener("keydown", (event) => event.key === "Enter" && byId("text").focus());
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("paste", (event) => this.#paste(event));
    new FileDrop(byId("drop-hint"), (files, target) => this.addImages(files, this.#page.images.indexAt(target)));
  }

  /** The requests that the list of images makes. Each tells whether it was done. */
  get ofImages() {
    const ask = (key, name, body) => this.#done(() => post(`${this.#page.path}/images/${key}/${name}`, body));
    return {
      caption: (key, caption) => ask(key, "caption", { caption }),
      move: (key, to) => ask(key, "move", { to }),
      remove: async (key) => (await ask(key, "remove")) && notice("The image was removed. Undo brings it back."),
      replace: (key) => this.#choose(key),
    };
  }

  undo() {
    this.#inLine("undo");
  }

  redo() {
    this.#inLine("redo");
  }

  async save() {
    if (document.body.dataset.stream === "lost") this.#page.stream.connect();
    await this.#page.sender.idle();
    await attempt(() => post(`${this.#page.path}/save`));
  }

  /** Adds pictures one after the other, in their order. */
  async addImages(files, at = this.#page.images.indexAt(null)) {
    const pictures = [...files];
    if (pictures.length === 0) return;
    if (pictures.length > 1) notice(`${pictures.length} images are on their way.`);
    let added = 0;
    for (const file of pictures) {
      const query = new URLSearchParams({ name: file.name || "Image.png", at: at + added });
      if (await this.#done(() => put(`${this.#page.path}/images?${query}`, file))) added++;
    }
    if (added > 0) notice(addedWords(added));
  }

  /** Tells other tabs where this tab's caret is. A lost answer does no harm. */
  tellCaret(at) {
    post(`${this.#page.path}/caret`, { tab: this.#page.session.tab, at }).catch(() => {});
  }

  /** Shows what undo and redo would do. */
  showUndo({ canUndo, canRedo, undoTitle, redoTitle }) {
    for (const [id, word, can, title] of [["undo", "Undo", canUndo, undoTitle], ["redo", "Redo", canRedo, redoTitle]]) {
      const button = byId(id);
      const name = !title ? word : title.startsWith(word) ? title : `${word} ${title}`;
      button.disabled = !can;
      button.setAttribute("aria-label", name);
      button.title = name;
    }
  }

  /** Undo waits until the server has all edits, and one undo for the other. */
  #inLine(what) {
    this.#line = this.#line.then(async () => {
      if (this.#page.isOffline) {
        notice("The server does not answer. Undo works again when it is back.");
        return;
      }
      await this.#page.sender.idle();
      await attempt(() => post(`${this.#page.path}/${what}`, { tab: this.#page.session.tab }));
    });
  }

  async #done(action) {
    try {
      await action();
      return true;
    } catch (error) {
      if (!error.isOffline || !this.#page.isOffline) alertOf(error);
      return false;
    }
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    const isCaption = event.target.matches?.(".caption, #title") && event.target.value !== event.target.defaultValue;
    const action = {
      z: () => (event.shiftKey ? this.redo() : this.undo()),
      y: () => this.redo(),
      s: () => this.save(),
    }[key];
    if (!action || (isCaption && key !== "s" && event.target.matches("#title"))) return;
    event.preventDefault();
    action();
  }

  #paste(event) {
    const files = [...event.clipboardData.files];
    if (event.defaultPrevented || files.length === 0) return;
    event.preventDefault();
    this.addImages(files);
  }

  #choose(key) {
    this.#replaced = key;
    const field = byId("image-file");
    field.multiple = key === null;
    field.click();
  }

  #chosen(field) {
    const files = [...field.files];
    field.value = "";
    const key = this.#replaced;
    if (key === null) this.addImages(files);
    else if (files.length > 0) {
      const query = new URLSearchParams({ name: files[0].name });
      this.#done(() => put(`${this.#page.path}/images/${key}?${query}`, files[0]));
    }
  }

  #title(title) {
    attempt(() => post(`${this.#page.path}/title`, { title: title.trim() }));
  }

  async #newDocument() {
    const made = await attempt(() => post("/api/library/new", { text: this.#page.editor.text }));
    if (made) location.assign(`/d/${made.id}`);
  }

  #recover(take) {
    attempt(() => post(`${this.#page.path}/recovery`, { take }));
  }
}
