// The text editor. The browser edits inside of one chunk by itself, so input methods, spell checking and dictation work.
// The editor makes the other edits: across chunks, line ends, paste, drop and cut.
//
// PE1 After each event, the model's text is the host's text.
// PE2 The host is not touched during a composition. Splices of other pages wait in `#waiting`.

import { ChunkView } from "./chunk-view.js";
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
    const isLineEnd = inputType === "insertParagraph" || inputType === "insertLineBreak";
    const data = isLineEnd ? "\n" : event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    const range = this.#rangeOf(event);
    if (!range || (!isLineEnd && range.isNative && !/[\r\n]/.test(data))) return;
    event.preventDefault();
    this.#replace(range, inputType.startsWith("insert") ? normalized(data) : "");
  }

  /** The range that an event is about to change. `isNative`: the browser's own edit keeps PE1 and the chunks' form. */
  #rangeOf(event) {
    const target = event.getTargetRanges()[0];
    const selection = this.selection;
    if (!target && !selection) return null;
    let from = target ? this.#view.offsetOf(target.startContainer, target.startOffset) : selection.from;
    let to = target ? this.#view.offsetOf(target.endContainer, target.endOffset) : selection.to;
    if (from === null || to === null) return null;
    const isCaret = from === to;
    let isWhole = true;
    // "\r\n" is one line end: no caret and no deletion divides it.
    if (this.#text.slice(from - 1, from + 1) === "\r\n") [from, isWhole] = [from - 1, false];
    if (isCaret) to = from;
    else if (this.#text.slice(to - 1, to + 1) === "\r\n") [to, isWhole] = [to + 1, false];
    const { chunk, at } = this.#text.locate(from);
    const end = at + to - from;
    const isLast = chunk === this.#text.last;
    const rest = chunk.text.slice(0, at) + chunk.text.slice(end);
    const fits = isLast ? rest !== "" && !rest.endsWith("\n") : end < chunk.text.length;
    const isShown = !target || this.#view.chunkOf(target.startContainer) === chunk;
    return { from, to, isNative: isWhole && fits && isShown };
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
