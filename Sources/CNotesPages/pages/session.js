// The page's side of the text that it shares with the server.
//
// PS1 The page's text is the base, then the log, then the open edit, then the collected splices.
// PS2 The base is the durable text as far as the page knows; the log is what the server accepted since.
// PS3 One edit is open at a time. It stays open until its own event comes back; a lost answer sends it again.
// PS4 No edit of the page is lost: reconnecting to another run of the server merges (PS1 against the server's text).

import { append, compact, moved, primitives, transform } from "./splices.js";
import { ChunkedText, difference } from "./text.js";
import { merge } from "./merge.js";

const mostStates = 40;

/** The shared text of one document, without any display. Each method that takes an event tells what the view has to do. */
export class Session {
  #base = null;
  #log = [];
  #open = null;
  #collected = [];
  #lastOwn = 0;
  #operations = 0;

  /**
   * @param {string} tab the name of this tab
   * @param {string} page a name that no other page has, also after the tab loads anew
   */
  constructor(tab, page) {
    this.tab = tab;
    this.page = page;
    this.epoch = null;
    this.seq = 0;
    this.saved = 0;
  }

  /** Whether the server does not have all edits of this page. */
  get isPending() {
    return this.#open !== null || this.#collected.length > 0;
  }

  /** Whether text of other tabs came that is not durable yet: those tabs bring it back themselves, if they are there. */
  get hasEditsOfOthers() {
    return this.#log.some((entry) => !entry.own);
  }

  /** Whether all edits of this page are durable. */
  get isDurable() {
    return !this.isPending && this.#lastOwn <= this.saved;
  }

  /** Whether the server accepted splices that are not durable yet. */
  get isSaved() {
    return this.saved >= this.seq;
  }

  /** The page's text. It costs time in proportion to the text. */
  get text() {
    const text = new ChunkedText(this.#base.toString());
    const lists = [...this.#log.map((entry) => entry.splices), this.#open?.splices ?? [], this.#collected];
    for (const splice of lists.flat()) text.splice(splice);
    return text.toString();
  }

  /** Starts with the text of the first `open` event. */
  start({ epoch, seq, saved, text }) {
    Object.assign(this, { epoch, seq, saved });
    this.#base = new ChunkedText(text);
  }

  /** Takes in an edit of the page. */
  edit(splice) {
    append(this.#collected, splice);
  }

  /** The next request to send, or null. The splices that come later are collected. */
  next() {
    if (this.#open || this.#collected.length === 0) return null;
    this.#open = { op: `${this.page}-${++this.#operations}`, splices: primitives(compact(this.#collected)) };
    this.#collected = [];
    return this.repeat();
  }

  /** The open edit as a request, as it is at the present seq, or null. The server accepts an `op` only once. */
  repeat() {
    if (!this.#open) return null;
    const { op, splices } = this.#open;
    return { tab: this.tab, op, epoch: this.epoch, seq: this.seq, splices };
  }

  /**
   * Takes in a `text` event.
   * @returns {Array|null} splices for the view; null if events are missing and the page must connect again
   */
  accept({ seq, tab, op, splices }) {
    if (seq <= this.seq) return [];
    if (seq !== this.seq + 1) return null;
    this.seq = seq;
    const own = tab === this.tab;
    this.#log.push({ seq, splices, own });
    if (own) this.#lastOwn = seq;
    if (this.#open && op === this.#open.op) {
      this.#open = null;
      return [];
    }
    let remote = primitives(splices);
    if (this.#open) [remote, this.#open.splices] = transform(remote, this.#open.splices);
    [remote, this.#collected] = transform(remote, this.#collected);
    this.#collected = compact(this.#collected);
    return compact(remote);
  }

  /** The text up to a seq became durable. */
  didSave(saved) {
    this.saved = saved;
    while (this.#log.length > 0 && this.#log[0].seq <= saved) {
      for (const splice of this.#log.shift().splices) this.#base.splice(splice);
    }
  }

  /**
   * Takes in the whole text of an `open` event after the connection was lost.
   * @returns {Array} splices for the view
   */
  reopen({ epoch, seq, saved, text }) {
    const { forMine, forTheirs } = merge(this.#stateNearest(text), this.text, text);
    Object.assign(this, { epoch, seq, saved });
    this.#base = new ChunkedText(text);
    this.#log = [];
    this.#open = null;
    this.#collected = forTheirs;
    this.#lastOwn = 0;
    return forMine;
  }

  /** The state of the text that the server saved last, as far as its present text shows: the answer may have been lost. */
  #stateNearest(text) {
    const lists = [...this.#log.map((entry) => entry.splices), this.#open?.splices ?? []];
    const old = new ChunkedText(this.#base.toString());
    let best = { state: old.toString(), distance: Infinity };
    for (const [index, list] of [[], ...lists].entries()) {
      for (const splice of list) old.splice(splice);
      if (index > 0 && index <= lists.length - mostStates) continue;
      const state = old.toString();
      const [, del, ins] = difference(state, text);
      if (del + ins.length < best.distance) best = { state, distance: del + ins.length };
    }
    return best.state;
  }

  /** Where an offset of the view is in the server's text at the present seq. */
  serverOffset(offset) {
    const undone = [...(this.#open?.splices ?? []), ...this.#collected].reverse();
    return moved(offset, undone.map(([at, del, ins]) => [at, ins.length, " ".repeat(del)]));
  }

  /** Where an offset of the server's text is in the view. */
  viewOffset(offset) {
    return moved(offset, [...(this.#open?.splices ?? []), ...this.#collected]);
  }
}
