// The page of one document: it joins the stream, the text, the images and the light.

import { bannerOf, showBanner } from "./banner.js";
import { Carets } from "./carets.js";
import { DocumentCommands } from "./document-commands.js";
import { download, formats, print } from "./downloads.js";
import { Editor } from "./editor.js";
import { Found } from "./found.js";
import { ImageList } from "./images.js";
import { lightOf, showLight } from "./light.js";
import { Menu } from "./menu.js";
import { alertOf, notice } from "./notices.js";
import { Sender } from "./sender.js";
import { Session } from "./session.js";
import { Stream } from "./stream.js";
import { randomName, tabName } from "./tab.js";
import { TextMarks } from "./text-marks.js";
import { UndoSteps } from "./undo-steps.js";

const movedTime = 5000;
const caretPause = 300;

const byId = (id) => document.getElementById(id);

class DocumentPage {
  #id = location.pathname.split("/")[2];
  #state = null;
  #refusal = null;
  #isDeleted = false;
  #justMoved = false;
  #resumeAt = 0;
  #caretTimer = null;

  constructor(tab) {
    this.session = new Session(tab, randomName());
    this.steps = new UndoSteps(this.session.page);
    this.sender = new Sender(this.session, () => this.path, alertOf, () => this.stream.connect());
    this.commands = new DocumentCommands(this);
    this.editor = new Editor(byId("text"), {
      edit: (splices, kind) => this.#edit(splices, kind),
      undo: () => this.commands.undo(),
      redo: () => this.commands.redo(),
      files: (files, place) => this.commands.addToText(files, place),
      picture: (key) => this.images.open(key),
    });
    new TextMarks(byId("text"));
    this.images = new ImageList(byId("images"), byId("image-row"), this.commands.ofImages, () => this.pendingMayDiffer());
    this.carets = new Carets(byId("tabs"), this.editor);
    this.menu = new Menu(byId("menu"));
    byId("export").addEventListener("click", ({ currentTarget }) => this.#openDownloads(currentTarget));
    this.found = new Found(byId("found"), byId("text"));
    this.stream = new Stream(() => this.#address(), (name, data) => this.#events[name]?.(data), (state, error) => this.#streamIs(state, error));
    this.#takeAddress(this.#id);
    this.commands.listen();
    document.addEventListener("selectionchange", () => this.#tellCaret());
    document.addEventListener("visibilitychange", () => this.#rest());
    // On paper, a picture is in the text or behind it.
    window.addEventListener("beforeprint", () => this.images.markShown(this.editor.shownPictures));
    window.addEventListener("beforeunload", (event) => this.isSafeToLeave || event.preventDefault());
    this.stream.connect();
  }

  get path() {
    return `/api/documents/${this.#id}`;
  }

  /** Whether a change of the page waits for the server. */
  get isPending() {
    return this.session.isPending || this.images.isPending || this.commands.isPending;
  }

  get isDurable() {
    return this.session.isDurable && !this.isPending;
  }

  /** Whether the server has all edits, and is there to save them. */
  get isSafeToLeave() {
    return (!this.isPending && !this.isOffline) || this.isDurable;
  }

  /** The key with which the deleted document is put back, if it is in a trash. */
  get deletion() {
    return this.#state?.deletion ?? this.#refusal?.deletion;
  }

  /** The document is there again. */
  comeBack(id) {
    this.#takeAddress(id);
    this.#isDeleted = false;
    this.stream.connect();
  }

  get isOffline() {
    return document.body.dataset.stream !== "open";
  }

  #events = {
    open: (event) => this.#open(event),
    resume: (event) => this.#resume(event),
    text: (event) => this.#text(event),
    notes: (event) => this.#notes(event),
    undo: (event) => this.commands.showUndo(event),
    state: (event) => this.#stateIs(event),
    tabs: ({ tabs }) => this.#tabs(tabs),
    moved: ({ id, name }) => this.#moved(id, name),
    notice: ({ message }) => notice(message),
  };

  // Connecting

  #address() {
    const query = new URLSearchParams({ tab: this.session.tab });
    if (this.session.epoch) {
      query.set("epoch", this.session.epoch);
      query.set("seq", this.session.seq);
    }
    return `${this.path}/events?${query}`;
  }

  #streamIs(state, error) {
    document.body.dataset.stream = state === "refused" ? "lost" : state;
    if (state !== "open") this.sender.stop();
    this.#refusal = state === "refused" || error?.isStranger ? error : null;
    if (error?.status === 404 || error?.status === 410) this.#isDeleted = true;
    this.#update();
  }

  #open(event) {
    const isNew = this.session.epoch === null;
    if (isNew) {
      this.session.start(event);
      this.editor.show(event.text);
    } else {
      // The tabs of the run before say who brings back which edit, so the event's own come later.
      this.editor.apply(this.session.reopen(event));
    }
    this.#restOf(event);
    // The captions are there now.
    if (isNew) this.found.begin();
    this.#ready();
    // A user who opens an empty document begins to write.
    if (isNew && event.text === "" && document.activeElement === document.body) byId("text").focus();
  }

  #resume(event) {
    this.#restOf(event);
    this.#resumeAt = event.seq;
    this.session.didSave(event.saved);
    if (this.session.seq >= event.seq) this.#ready();
  }

  #restOf(event) {
    this.#takeAddress(event.id, event.name);
    this.#notes(event);
    this.commands.showUndo(event.undo);
    this.#state = event.state;
    this.#tabs(event.tabs);
  }

  #ready() {
    this.#resumeAt = 0;
    this.sender.start();
    this.images.resend();
    this.#update();
    document.body.dataset.ready = "true";
    if (location.hash === "#print") {
      history.replaceState(null, "", location.pathname);
      print();
    }
    this.#rest();
  }

  #openDownloads(button) {
    this.menu.open(button, button, { label: "Download", entries: formats }, async (format) => {
      if (format === "print") return print();
      await this.sender.idle();
      download(this.#id, format);
    });
  }

  // Events

  #edit(splices, kind) {
    if (splices.length === 0) return;
    const step = this.steps.nameFor(kind, splices.at(-1), performance.now());
    for (const splice of splices) this.session.edit(splice, step);
    this.sender.push();
    this.#update();
  }

  #text(event) {
    const splices = this.session.accept(event);
    if (!splices) {
      this.stream.connect();
      return;
    }
    const isOwnUndo = event.tab === this.session.tab && (event.why === "undo" || event.why === "redo");
    this.editor.apply(splices, isOwnUndo);
    if (this.#resumeAt > 0 && this.session.seq >= this.#resumeAt) this.#ready();
    this.sender.push();
    this.#update();
  }

  #notes({ title, displayName, images, missing }) {
    document.title = displayName;
    const field = byId("title");
    if (document.activeElement !== field) {
      field.value = title;
      // Without a title of its own, the document's first line is its title.
      field.hidden = title === "";
    }
    byId("text").toggleAttribute("data-begins-with-title", title === "");
    this.images.show(images, missing);
    this.editor.images = images;
    this.#update();
  }

  #stateIs(state) {
    this.#state = state;
    this.session.didSave(state.saved);
    this.#update();
    this.#rest();
  }

  #tabs(tabs) {
    this.session.tabsAre(tabs.map(({ tab }) => tab));
    const others = tabs.filter(({ tab }) => tab !== this.session.tab);
    this.carets.show(others.map(({ at }) => (at === undefined ? null : this.session.viewOffset(at))));
  }

  #moved(id, name) {
    this.#takeAddress(id, name);
    this.#justMoved = true;
    setTimeout(() => {
      this.#justMoved = false;
      this.#update();
    }, movedTime);
    this.#update();
  }

  #takeAddress(id, name = "") {
    byId("name").textContent = name;
    if (id !== this.#id) history.replaceState(null, "", `/d/${id}${location.hash}`);
    this.#id = id;
    byId("history").href = `/d/${id}/history`;
    byId("banner-conflicts").href = `/d/${id}/conflicts`;
  }

  // What the page shows and tells

  /** `isPending` may have another value. */
  pendingMayDiffer() {
    this.#update();
    this.#rest();
  }

  #update() {
    const light = lightOf({
      stream: document.body.dataset.stream,
      server: this.#state?.light ?? null,
      isPending: this.isPending,
      isSaved: this.session.isSaved,
      isDeleted: this.#isDeleted,
      justMoved: this.#justMoved,
    });
    const isOff = light === "deleted" || light === "disabled" || light === "opening";
    showLight(byId("light"), light);
    showBanner(byId("banner"), bannerOf({ light, state: this.#state, refusal: this.#refusal, hasText: this.session.epoch !== null }));
    this.editor.isReadOnly = isOff;
    this.images.isReadOnly = isOff || light === "offline";
    for (const id of ["title", "add-image"]) byId(id).disabled = isOff || light === "offline";
  }

  #tellCaret() {
    if (this.carets.others === 0 || this.isOffline || this.#caretTimer) return;
    this.#caretTimer = setTimeout(() => {
      this.#caretTimer = null;
      const selection = this.editor.selection;
      if (selection && !this.isOffline) this.commands.tellCaret(this.session.serverOffset(selection.focus));
    }, caretPause);
  }

  /** A hidden page needs no stream once its edits are durable. */
  #rest() {
    const isOpen = document.body.dataset.stream === "open";
    if (document.hidden && isOpen && this.isDurable) this.stream.close();
    if (!document.hidden && this.stream.isClosed && !this.#refusal) this.stream.connect();
  }
}

new DocumentPage(await tabName());
