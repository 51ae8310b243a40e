// The text editor. It makes each edit in the model, and shows that. Only a composition of an input method is the
// browser's own: it cannot be prevented, so the model takes what the host then shows.
//
// PE1 After each event, the model's text is the host's text.
// PE2 The host is not touched during a composition. Splices of other pages wait in `#waiting`.

import { ChunkView } from "./chunk-view.js";
import { deletionRange } from "./deletion.js";
import { compact, moved, transform } from "./splices.js";
import { ChunkedText, difference, normalized } from "./text.js";

/** An editor of plain text in a host element. */
export class Editor {
  #host;
  #on;
  #text = new ChunkedText("");
  #view;
  #observer;
  #waiting = [];
  #dragged = null;
  #isReadOnly = true;
  #firstHalf = "";
  isComposing = false;

  /**
   * @param {HTMLElement} host
   * @param {{edit: (splices: Array) => void, undo: () => void, redo: () => void, files: (files: File[]) => void}} on
   */
  constructor(host, on) {
    this.#host = host;
    this.#on = on;
    this.#view = new ChunkView(host, this.#text);
    this.#observer = new MutationObserver((records) => this.#take(records));
    this.#observer.observe(host, { characterData: true, childList: true, subtree: true });
    const events = {
      beforeinput: (event) => this.#beforeInput(event),
      input: () => this.#take(this.#observer.takeRecords()),
      compositionstart: () => this.#compositionStart(),
      compositionend: () => this.#compositionEnd(),
      copy: (event) => this.#copy(event),
      cut: (event) => this.#copy(event) && this.#replace(this.selection, ""),
      paste: (event) => this.#paste(event),
      dragstart: () => (this.#dragged = this.selection),
      dragend: () => (this.#dragged = null),
      drop: (event) => this.#drop(event),
    };
    for (const [name, action] of Object.entries(events)) host.addEventListener(name, action);
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
    this.#view = new ChunkView(this.#host, this.#text);
    this.#showEmpty();
    this.#observer.takeRecords();
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
    if (!follow || splices.length === 0 || !this.selection) return;
    const [at, , ins] = splices.at(-1);
    this.#select(at + ins.length);
    this.#reveal();
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
  }

  /** The browser, or an extension, changed the host's children: the model takes the text and shows it anew. */
  #adoptStray(splices) {
    const splice = this.#view.strayDifference();
    if (!splice) return;
    this.#text.splice(splice);
    splices.push(splice);
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

  /** Tells of splices that the host shows. What waits was accepted first. */
  #emit(splices) {
    if (splices.length === 0) return;
    this.#showEmpty();
    [this.#waiting, splices] = transform(this.#waiting, splices);
    this.#on.edit(compact(splices));
  }

  // What the editor does

  /** Makes a splice in model and host. */
  #make(splice) {
    const selection = this.selection;
    const change = this.#text.splice(splice);
    this.#view.apply(change);
    if (selection && change.removed.length + change.added.length > 0) {
      this.#select(moved(selection.anchor, [splice]), moved(selection.focus, [splice]));
    }
    this.#observer.takeRecords();
  }

  /** Makes an edit of this page: the caret goes behind the new text. */
  #replace({ from, to }, ins) {
    if (this.#isReadOnly || (from === to && ins === "")) return;
    this.#make([from, to - from, ins]);
    this.#select(from + ins.length);
    this.#reveal();
    this.#emit([[from, to - from, ins]]);
  }

  #showEmpty() {
    this.#host.toggleAttribute("data-empty", this.#text.length === 0);
  }

  #select(anchor, focus = anchor) {
    getSelection().setBaseAndExtent(...this.#view.placeOf(anchor), ...this.#view.placeOf(focus));
  }

  /** Scrolls as far as needed to see the caret. */
  #reveal() {
    const { focusNode, focusOffset } = getSelection();
    const range = document.createRange();
    const isEnd = focusOffset >= (focusNode.length ?? 0);
    range.setStart(focusNode, focusOffset);
    range.setEnd(focusNode, isEnd ? focusOffset : focusOffset + 1);
    const place = range.getClientRects()[0] ?? focusNode.nextSibling?.getBoundingClientRect?.() ?? focusNode.parentElement.getBoundingClientRect();
    const room = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const below = place.bottom + 24 - window.innerHeight;
    const above = place.top - room;
    if (above < 0) window.scrollBy(0, above);
    else if (below > 0) window.scrollBy(0, below);
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
    if (range && this.#firstHalf === "") this.#replace(this.#whole(range), normalized(text));
  }

  /** Deletes the selection, or as much at the caret as an event is for. */
  #delete(inputType) {
    const selection = this.selection;
    if (!selection) return;
    const { from, to } = this.#whole(selection);
    const range = from < to ? { from, to } : deletionRange(this.#text, inputType, from, () => this.#view.softLineAt(from));
    this.#replace(range, "");
  }

  /** The word that a spelling correction replaces. Some browsers select it, and the others name it. */
  #replacedRange(event) {
    const [target] = event.getTargetRanges();
    if (!target) return this.selection;
    const from = this.#view.offsetOf(target.startContainer, target.startOffset);
    const to = this.#view.offsetOf(target.endContainer, target.endOffset);
    return from === null || to === null ? null : { from, to };
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
    if (text !== "" && this.selection) this.#replace(this.selection, normalized(text));
    else if (files.length > 0) this.#on.files(files);
  }

  #drop(event) {
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (files.length > 0) {
      event.stopPropagation();
      this.#on.files(files);
      return;
    }
    const text = normalized(event.dataTransfer.getData("text/plain"));
    const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const legacy = place ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
    let at = this.#view.offsetOf(place?.offsetNode ?? legacy?.startContainer, place?.offset ?? legacy?.startOffset);
    if (at === null || text === "" || this.#isReadOnly) return;
    const source = this.#dragged;
    if (source && !event.ctrlKey && !event.altKey) {
      if (at >= source.from && at <= source.to) return;
      this.#replace(source, "");
      at = moved(at, [[source.from, source.to - source.from, ""]]);
    }
    this.#replace({ from: at, to: at }, text);
  }
}
