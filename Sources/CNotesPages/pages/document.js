// The page of one document: it joins the stream, the text, the images and the light.

import { bannerOf, showBanner } from "./banner.js";
import { Carets } from "./carets.js";
import { DocumentCommands } from "./document-commands.js";
import { Editor } from "./editor.js";
import { ImageList } from "./images.js";
import { lightOf, showLight } from "./light.js";
import { alertOf, notice } from "./notices.js";
import { Sender } from "./sender.js";
import { Session } from "./session.js";
import { Stream } from "./stream.js";
import { randomName, tabName } from "./tab.js";
import { ChunkedText } from "./text.js";

const movedTime = 5000;
const othersTime = 1500;
const caretPause = 300;

const byId = (id) => document.getElementById(id);

class DocumentPage {
  #id = location.pathname.split("/")[2];
  #state = null;
  #refusal = null;
  #isDeleted = false;
  #justMoved = false;
  #resumeAt = 0;
  #reopening = null;
  #caretTimer = null;

  constructor(tab) {
    this.session = new Session(tab, randomName());
    this.sender = new Sender(this.session, () => this.path, alertOf);
    this.commands = new DocumentCommands(this);
    this.editor = new Editor(byId("text"), {
      edit: (splices) => this.#edit(splices),
      undo: () => this.commands.undo(),
      redo: () => this.commands.redo(),
      files: (files) => this.commands.addImages(files),
    });
    this.images = new ImageList(byId("images"), byId("image-row"), this.commands.ofImages, () => this.#update());
    this.carets = new Carets(byId("tabs"), this.editor);
    this.stream = new Stream(() => this.#address(), (name, data) => this.#events[name]?.(data), (state, error) => this.#streamIs(state, error));
    this.#takeAddress(this.#id);
    this.commands.listen();
    document.addEventListener("selectionchange", () => this.#tellCaret());
    document.addEventListener("visibilitychange", () => this.#rest());
    window.addEventListener("beforeunload", (event) => this.isDurable || event.preventDefault());
    this.stream.connect();
  }

  get path() {
    return `/api/documents/${this.#id}`;
  }

  get isDurable() {
    return this.session.isDurable && !this.images.isPending;
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
    if (state !== "open") {
      this.sender.stop();
      this.#cancelReopening();
    }
    this.#refusal = state === "refused" ? error : null;
    if (error?.status === 404 || error?.status === 410) this.#isDeleted = true;
    this.#update();
  }

  #open(event) {
    this.#restOf(event);
    if (this.session.epoch === null) {
      this.session.start(event);
      this.editor.show(event.text);
      this.#ready();
      return;
    }
    // Other tabs bring their edits back themselves: the page waits for them, so that no edit comes twice.
    this.#reopening = { event, text: new ChunkedText(event.text) };
    const wait = this.session.hasEditsOfOthers ? othersTime : 0;
    this.#reopening.timer = setTimeout(() => this.#reopen(), wait);
  }

  #reopen() {
    const { event, text } = this.#reopening;
    this.#reopening = null;
    this.editor.apply(this.session.reopen({ ...event, text: text.toString() }));
    this.#ready();
  }

  #cancelReopening() {
    clearTimeout(this.#reopening?.timer);
    this.#reopening = null;
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
  }

  // Events

  #edit(splices) {
    for (const splice of splices) this.session.edit(splice);
    this.sender.push();
    this.#update();
  }

  #text(event) {
    if (this.#reopening) {
      const { event: opened, text } = this.#reopening;
      for (const splice of event.splices) text.splice(splice);
      opened.seq = event.seq;
      return;
    }
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

  #notes({ title, displayName, images }) {
    document.title = displayName;
    const field = byId("title");
    field.placeholder = displayName === "Untitled" ? displayName : "Add a title";
    if (document.activeElement !== field) field.value = title ?? "";
    this.images.show(images);
  }

  #stateIs(state) {
    this.#state = state;
    if (this.#reopening) this.#reopening.event.saved = state.saved;
    else this.session.didSave(state.saved);
    this.#update();
    this.#rest();
  }

  #tabs(tabs) {
    const others = tabs.filter(({ tab }) => tab !== this.session.tab);
    if (this.#reopening || this.session.epoch === null) return;
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
    if (id !== this.#id) history.replaceState(null, "", `/d/${id}`);
    this.#id = id;
    byId("history").href = `/d/${id}/history`;
    byId("banner-conflicts").href = `/d/${id}/conflicts`;
    byId("export").href = `${this.path}/export`;
  }

  // What the page shows and tells

  #update() {
    const isReopening = this.#reopening !== null;
    const light = lightOf({
      stream: document.body.dataset.stream,
      server: this.#state?.light ?? null,
      isPending: this.session.isPending || this.images.isPending || isReopening,
      isSaved: this.session.isSaved,
      isDeleted: this.#isDeleted,
      justMoved: this.#justMoved,
    });
    const isOff = light === "deleted" || light === "disabled" || light === "opening";
    showLight(byId("light"), light);
    showBanner(byId("banner"), bannerOf({ light, state: this.#state, refusal: this.#refusal }));
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
