// What a person can ask of a document: buttons, keys, files, and the requests behind them.

import { post, put } from "./api.js";
import { FileDrop } from "./file-drop.js";
import { addedWords } from "./images.js";
import { alertOf, attempt, notice } from "./notices.js";
import { referenceTo } from "./picture-lines.js";

const byId = (id) => document.getElementById(id);

/** The commands of a document's page. */
export class DocumentCommands {
  #page;
  #replaced = null;
  #underWay = 0;
  #line = Promise.resolve();

  constructor(page) {
    this.#page = page;
  }

  /** Whether the server is still asked for a change. */
  get isPending() {
    return this.#underWay > 0;
  }

  /** Connects buttons, keys and fields. */
  listen() {
    const clicks = {
      undo: () => this.undo(),
      redo: () => this.redo(),
      "add-image": () => this.#choose(null),
      "banner-retry": () => this.save(),
      "banner-back": () => this.#putBack(),
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
    new FileDrop(byId("drop-hint"), "Drop the pictures that are in it.", (files, event) => this.#dropped(files, event));
  }

  #dropped(files, event) {
    if (byId("text").contains(event.target)) this.addToText(files, this.#page.editor.placeUnder(event));
    else this.addImages(files, this.#page.images.indexAt(event.target));
  }

  /** The requests that the list of images makes. Each tells whether it was done. */
  get ofImages() {
    const ask = (key, name, body) => this.#done(() => post(`${this.#page.path}/images/${key}/${name}`, { ...body, tab: this.#tab }));
    return {
      caption: (key, caption) => ask(key, "caption", { caption }),
      move: (key, to) => ask(key, "move", { to }),
      remove: async (key) => (await ask(key, "remove")) && notice("The image was removed. Undo brings it back."),
      replace: (key) => this.#choose(key),
      place: ({ path, name }, event) => {
        const { editor } = this.#page;
        editor.insertLines([referenceTo(path, name)], event ? editor.placeUnder(event) : editor.placeAtCaret());
        if (!event) notice("The picture is in the text. Undo takes it out again.");
      },
    };
  }

  /** The tab, which undoes its own edits first. */
  get #tab() {
    return this.#page.session.tab;
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

  /** Adds pictures one after the other, in their order. @returns those that were added */
  async addImages(files, at = this.#page.images.indexAt(null)) {
    const pictures = [...files];
    if (pictures.length > 1) notice(`${pictures.length} images are on their way.`);
    const added = [];
    for (const file of pictures) {
      const query = new URLSearchParams({ name: file.name || "Image.png", at: at + added.length, tab: this.#tab });
      await this.#done(async () => added.push(await put(`${this.#page.path}/images?${query}`, file)));
    }
    if (added.length > 0) notice(addedWords(added.length));
    return added;
  }

  /** Adds pictures, and lines that name them to the text. The place has followed the edits made meanwhile. */
  addToText(files, place) {
    return this.#done(async () => {
      const added = await this.addImages(files);
      this.#page.editor.insertLines(added.map(({ path, name }) => referenceTo(path, name)), place);
    });
  }

  /** Tells other tabs where this tab's caret is. A lost answer does no harm. */
  tellCaret(at) {
    post(`${this.#page.path}/caret`, { tab: this.#tab, at }).catch(() => {});
  }

  /** Shows what undo and redo would do. */
  showUndo({ canUndo, canRedo, undoTitle, redoTitle }) {
    for (const [id, can, name] of [["undo", canUndo, undoTitle], ["redo", canRedo, redoTitle]]) {
      const button = byId(id);
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
      await attempt(() => post(`${this.#page.path}/${what}`, { tab: this.#tab }));
    });
  }

  /** Makes a change. A page with one that is under way is not saved. @returns whether it was made */
  async #done(action) {
    this.#underWay++;
    this.#page.pendingMayDiffer();
    try {
      await action();
      return true;
    } catch (error) {
      if (!error.isOffline || !this.#page.isOffline) alertOf(error);
      return false;
    } finally {
      this.#underWay--;
      this.#page.pendingMayDiffer();
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
      const query = new URLSearchParams({ name: files[0].name, tab: this.#tab });
      this.#done(() => put(`${this.#page.path}/images/${key}?${query}`, files[0]));
    }
  }

  #title(title) {
    this.#done(() => post(`${this.#page.path}/title`, { title: title.trim(), tab: this.#tab }));
  }

  async #newDocument() {
    const made = await attempt(() => post("/api/library/new", { text: this.#page.editor.text }));
    if (made) location.assign(`/d/${made.id}`);
  }

  /** The document gets its old name, or one beside it. Its page then connects again. */
  async #putBack() {
    const back = await attempt(() => post(`/api/deleted/${this.#page.deletion}/restore`));
    if (back?.id) this.#page.comeBack(back.id);
  }

  #recover(take) {
    attempt(() => post(`${this.#page.path}/recovery`, { take }));
  }
}
