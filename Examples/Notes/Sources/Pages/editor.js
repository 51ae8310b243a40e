// The text editor. It makes each edit in the model, and shows that. Only a composition of an input method is the
// browser's own: it cannot be prevented, so the model takes what the host then shows.
//
// PE1 After each event, the model's text is the host's text.
// PE2 The host is not touched during a composition. Splices of other pages wait in `#waiting`.

import { ChunkView } from "./chunk-view.js";
import { deletionRange } from "./deletion.js";
import { insertionOf, Places } from "./places.js";
import { compact, moved, transform } from "./splices.js";
import { marksIn } from "./text-marks.js";
import { ChunkedText, difference, normalized } from "./text.js";

/** An editor of plain text in a host element. */
export class Editor {
  #host;
  #on;
  #pictures = new Map();
  #places = new Places();
  // The last caret in the text, also while the focus is elsewhere.
  #caret = null;
  #text = new ChunkedText("");
  #view;
  #observer;
  #waiting = [];
  #dragged = null;
  #isReadOnly = true;
  #firstHalf = "";
  #afterComposition = [];
  isComposing = false;

  /**
   * @param {HTMLElement} host
   * @param {{edit: (splices: Array, kind: string) => void, undo: () => void, redo: () => void,
   *   files: (files: File[], place: {at: number}) => void, picture: (key: string) => void}} on
   */
  constructor(host, on) {
    this.#host = host;
    this.#on = on;
    this.#view = new ChunkView(host, this.#text, this.#pictures);
    this.#observer = new MutationObserver((records) => this.#take(records));
    this.#observer.observe(host, { characterData: true, childList: true, subtree: true });
    const events = {
      beforeinput: (event) => this.#beforeInput(event),
      input: () => this.#take(this.#observer.takeRecords()),
      compositionstart: () => this.#compositionStart(),
      compositionend: () => this.#compositionEnd(),
      copy: (event) => this.#copy(event),
      cut: (event) => this.#copy(event) && this.#replace(this.selection, "", "whole"),
      paste: (event) => this.#paste(event),
      dragstart: () => (this.#dragged = this.selection),
      dragend: () => (this.#dragged = null),
      drop: (event) => this.#drop(event),
      // A click on a picture moves no caret, and takes no focus.
      mousedown: (event) => this.#view.pictureAt(event) && event.preventDefault(),
      click: (event) => this.#click(event),
    };
    for (const [name, action] of Object.entries(events)) host.addEventListener(name, action);
    document.addEventListener("selectionchange", () => this.#keepCaret());
  }

  get text() {
    return this.#text.toString();
  }

  /** The selection as offsets {from, to, anchor, focus}, or null if it is elsewhere. */
  get selection() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    if (!anchorNode || !this.#host.contains(anchorNode) || !this.#host.contains(focusNode)) return null;
    const anchor = this.#view.offsetOf(anchorNode, anchorOffset);
    const focus = this.#view.offsetOf(focusNode, focusOffset);
    return { anchor, focus, from: Math.min(anchor, focus), to: Math.max(anchor, focus) };
  }

  set isReadOnly(value) {
    if (value === this.#isReadOnly && this.#host.contentEditable !== "inherit") return;
    this.#isReadOnly = value;
    this.#host.contentEditable = value ? "false" : "plaintext-only";
    this.#host.setAttribute("aria-readonly", String(value));
  }

  /** Shows another text. */
  show(text) {
    this.#text = new ChunkedText(text);
    this.#view = new ChunkView(this.#host, this.#text, this.#pictures);
    this.#showEmpty();
    this.#observer.takeRecords();
  }

  /** The images of the document: a line that names one shows it. */
  set images(images) {
    this.#pictures = new Map(images.map((image) => [image.path, image]));
    this.#view.showPictures(this.#pictures);
  }

  /** The keys of the images that the text shows. */
  get shownPictures() {
    return this.#view.shownPictures;
  }

  /** The place under the pointer of a drop, which follows all edits until `insertLines`. The caret goes there. */
  placeUnder(event) {
    const at = this.#offsetUnder(event) ?? this.#text.length;
    if (!this.isComposing) {
      this.#host.focus({ preventScroll: true });
      this.#select(at);
    }
    return this.#places.add(at);
  }

  /** The place of the last caret, or the end of a text that has had none. It follows all edits until `insertLines`. */
  placeAtCaret() {
    return this.#places.add(Math.min(this.#caret?.at ?? Infinity, this.#text.length));
  }

  /** Puts lines of their own in at a place, as one edit. A caret that is there goes to the line below. */
  insertLines(lines, place) {
    // PE2
    if (this.isComposing) {
      this.#afterComposition.push(() => this.insertLines(lines, place));
      return;
    }
    const offset = this.#places.take(place);
    if (this.#isReadOnly || lines.length === 0) return;
    const splice = insertionOf(lines, this.#text, this.#whole({ from: offset, to: offset }).from);
    const behind = splice[0] + splice[2].length;
    const selection = document.activeElement === this.#host ? this.selection : null;
    const isHere = selection && selection.from === selection.to && selection.from === offset;
    this.#make(splice);
    if (isHere) {
      this.#select(behind);
      this.#view.reveal(behind);
    }
    this.#emit([splice], "whole");
  }

  /**
   * Puts in splices of other pages. The caret and the scroll position stay at their text.
   * @param {boolean} [follow] the caret goes to the change, as after an undo
   */
  apply(splices, follow = false) {
    if (this.isComposing) {
      this.#waiting.push(...splices);
      return;
    }
    for (const splice of splices) this.#make(splice);
    this.#showEmpty();
    if (!follow || splices.length === 0) return;
    const [at, , ins] = splices.at(-1);
    // A caret takes the focus, which may be on the button of undo.
    if (document.activeElement === this.#host) this.#select(at + ins.length);
    this.#view.reveal(at + ins.length);
  }

  /** A range around the character at an offset, to mark a caret of another page. */
  rangeAt(offset) {
    const range = document.createRange();
    const isEnd = /^[\r\n]?$/.test(this.#text.slice(offset, offset + 1));
    range.setStart(...this.#view.placeOf(isEnd ? offset - 1 : offset));
    range.setEnd(...this.#view.placeOf(isEnd ? offset : offset + 1));
    return range;
  }

  // What the browser did

  #take(records) {
    const chunks = new Set();
    let isStray = false;
    for (const { target } of records) {
      if (target === this.#host) isStray = true;
      const chunk = this.#view.chunkOf(target);
      if (chunk) chunks.add(chunk);
    }
    const splices = [];
    for (const chunk of chunks) this.#adopt(chunk, splices);
    if (isStray) this.#adoptStray(splices);
    if (!this.isComposing) this.#settle(chunks);
    this.#emit(splices);
  }

  #adopt(chunk, splices) {
    const now = this.#view.read(chunk);
    if (now === chunk.text) return;
    const { anchorNode, anchorOffset, isCollapsed } = getSelection();
    const isHere = isCollapsed && chunk.view.contains(anchorNode);
    const before = chunk.text;
    chunk.text = now;
    const caret = isHere ? this.#view.offsetInside(chunk, anchorNode, anchorOffset) : undefined;
    chunk.text = before;
    const splice = difference(before, now, caret);
    const start = this.#text.startOf(chunk);
    this.#text.adopt(chunk, splice);
    splices.push([start + splice[0], splice[1], splice[2]]);
    this.#places.move(splices.at(-1));
  }

  /** The browser, or an extension, changed the host's children: the model takes the text and shows it anew. */
  #adoptStray(splices) {
    const splice = this.#view.strayDifference();
    if (!splice) return;
    this.#text.splice(splice);
    splices.push(splice);
    this.#places.move(splice);
    this.#view.showAll();
    this.#select(splice[0] + splice[2].length);
    this.#observer.takeRecords();
  }

  #settle(chunks) {
    for (const chunk of chunks) {
      if (this.#text.chunks[chunk.index] !== chunk) continue;
      this.#view.tidy(chunk);
      const selection = this.selection;
      const change = this.#text.settle(chunk);
      if (!change) continue;
      this.#view.apply(change);
      if (selection) this.#select(selection.anchor, selection.focus);
    }
    this.#observer.takeRecords();
  }

  /** Tells of splices that the host shows. At the same place they stay in front of what waits. */
  #emit(splices, kind = "typing") {
    if (splices.length === 0) return;
    this.#showEmpty();
    [this.#waiting, splices] = transform(this.#waiting, splices, false);
    this.#on.edit(compact(splices), kind);
  }

  // What the editor does

  /** Makes a splice in model and host. */
  #make(splice) {
    const selection = this.selection;
    const change = this.#text.splice(splice);
    this.#view.apply(change);
    this.#places.move(splice);
    if (selection && change.removed.length + change.added.length > 0) {
      this.#select(moved(selection.anchor, [splice]), moved(selection.focus, [splice]));
    }
    this.#observer.takeRecords();
  }

  /** Makes an edit of this page: the caret goes behind the new text. */
  #replace({ from, to }, ins, kind) {
    if (!this.#isReadOnly && (from < to || ins !== "")) this.#perform([[from, to - from, ins]], kind);
  }

  /** Makes splices that are one edit of this page. */
  #perform(splices, kind) {
    for (const splice of splices) this.#make(splice);
    const [at, , ins] = splices.at(-1);
    this.#select(at + ins.length);
    this.#view.reveal(at + ins.length);
    this.#emit(splices, kind);
  }

  #showEmpty() {
    this.#host.toggleAttribute("data-empty", this.#text.length === 0);
  }

  #keepCaret() {
    const { selection } = this;
    if (!selection) return;
    this.#caret ??= this.#places.add(0);
    this.#caret.at = selection.focus;
  }

  /** Selects a range. The focus stays where it is: in Firefox, a selection brings it into the text. */
  #select(anchor, focus = anchor) {
    const { activeElement } = document;
    getSelection().setBaseAndExtent(...this.#view.placeOf(anchor), ...this.#view.placeOf(focus));
    if (activeElement !== document.activeElement && activeElement !== document.body) activeElement.focus({ preventScroll: true });
  }

  // Events

  #beforeInput(event) {
    const { inputType } = event;
    if (inputType === "historyUndo" || inputType === "historyRedo") {
      event.preventDefault();
      this.#on[inputType === "historyUndo" ? "undo" : "redo"]();
      return;
    }
    if (inputType.startsWith("format")) event.preventDefault();
    if (event.isComposing || !event.cancelable || event.defaultPrevented) return;
    event.preventDefault();
    if (inputType.startsWith("delete")) this.#delete(inputType);
    else this.#insert(event);
  }

  #insert(event) {
    const { inputType } = event;
    const range = inputType === "insertReplacementText" ? this.#replacedRange(event) : this.selection;
    const isLineEnd = inputType === "insertParagraph" || inputType === "insertLineBreak";
    const data = isLineEnd ? "\n" : event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    const text = this.#firstHalf + data;
    // Firefox writes a character of two units by two events.
    this.#firstHalf = /^[\ud800-\udbff]$/.test(text) ? text : "";
    if (range && this.#firstHalf === "") this.#replace(this.#whole(range), this.#fitting(text));
  }

  /** Deletes the selection, or as much at the caret as an event is for. */
  #delete(inputType) {
    const selection = this.selection;
    if (!selection) return;
    const { from, to } = this.#whole(selection);
    const range = from < to ? { from, to } : deletionRange(this.#text, inputType, from, () => this.#view.softLineAt(from));
    this.#replace(range, "", "deleting");
  }

  /** The word that a spelling correction replaces. Some browsers select it, and the others name it. */
  #replacedRange(event) {
    const [target] = event.getTargetRanges();
    if (!target) return this.selection;
    const from = this.#view.offsetOf(target.startContainer, target.startOffset);
    const to = this.#view.offsetOf(target.endContainer, target.endOffset);
    return from === null || to === null ? null : { from, to };
  }

  /** Text from outside with the line ends of this text. */
  #fitting(text) {
    return normalized(text).replaceAll("\n", this.#text.lineEnd);
  }

  /** A range that divides no "\r\n", which is one line end. A caret inside of it is before it. */
  #whole({ from, to }) {
    const divides = (offset) => this.#text.slice(offset - 1, offset + 1) === "\r\n";
    const isCaret = from === to;
    if (divides(from)) from--;
    if (isCaret) to = from;
    else if (divides(to)) to++;
    return { from, to };
  }

  #compositionStart() {
    const selection = this.selection;
    if (selection && selection.from < selection.to) {
      const isOneChunk = this.#text.locate(selection.from).chunk === this.#text.locate(selection.to).chunk;
      if (!isOneChunk) this.#replace(selection, "");
    }
    this.isComposing = true;
  }

  #compositionEnd() {
    this.isComposing = false;
    this.#take(this.#observer.takeRecords());
    const chunk = this.#view.chunkOf(getSelection().anchorNode);
    if (chunk) this.#settle(new Set([chunk]));
    const waiting = compact(this.#waiting);
    this.#waiting = [];
    this.apply(waiting);
    for (const action of this.#afterComposition.splice(0)) action();
  }

  #copy(event) {
    const selection = this.selection;
    if (!selection || selection.from === selection.to) return false;
    event.preventDefault();
    event.clipboardData.setData("text/plain", this.#text.slice(selection.from, selection.to));
    return true;
  }

  #paste(event) {
    event.preventDefault();
    const files = [...event.clipboardData.files];
    const text = event.clipboardData.getData("text/plain");
    const { selection } = this;
    if (text !== "" && selection) this.#replace(selection, this.#fitting(text), "whole");
    else if (files.length > 0) this.#on.files(files, this.#places.add(selection?.to ?? this.#text.length));
  }

  #drop(event) {
    // Files are for the page.
    if (event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    const text = this.#fitting(event.dataTransfer.getData("text/plain"));
    let at = this.#offsetUnder(event);
    if (at === null || text === "" || this.#isReadOnly) return;
    const source = this.#dragged;
    const splices = [];
    if (source && !event.ctrlKey && !event.altKey) {
      if (at >= source.from && at <= source.to) return;
      splices.push([source.from, source.to - source.from, ""]);
      at = moved(at, splices);
    }
    this.#perform([...splices, [at, 0, text]], "whole");
  }

  /** A click on a check box sets it or clears it, and one on a picture opens it. With Ctrl, a click on a link opens it. */
  #click(event) {
    const picture = this.#view.pictureAt(event);
    if (picture) {
      this.#on.picture(picture.key);
      return;
    }
    const at = this.#offsetUnder(event);
    if (at === null || this.selection?.from !== this.selection?.to) return;
    const line = this.#text.lineAt(at);
    const words = this.#text.slice(line.from, line.to);
    const mark = marksIn(words).find(({ kind, from, to }) => (kind === "box" || kind === "link") && line.from + from <= at && at <= line.from + to);
    if (mark?.kind === "link" && (event.ctrlKey || event.metaKey)) {
      window.open(words.slice(mark.from, mark.to), "_blank", "noopener,noreferrer");
    } else if (mark?.kind === "box") {
      const from = line.from + mark.from + 1;
      this.#replace({ from, to: from + 1 }, words[mark.from + 1] === " " ? "x" : " ", "whole");
    }
  }

  /** The offset under the pointer, or null outside of the text. */
  #offsetUnder({ clientX, clientY }) {
    const place = document.caretPositionFromPoint?.(clientX, clientY);
    const legacy = place ? null : document.caretRangeFromPoint?.(clientX, clientY);
    return this.#view.offsetOf(place?.offsetNode ?? legacy?.startContainer, place?.offset ?? legacy?.startOffset);
  }
}
