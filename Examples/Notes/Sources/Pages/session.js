// The page's side of the text that it shares with the server.
//
// PS1 The page's text is the base, then the log, then the open edit, then the collected splices of each step of undo.
// PS2 The base is the durable text as far as the page knows; the log is what the server accepted since.
// PS3 One edit is open at a time. It stays open until its own event comes back; a lost answer sends it again.
// PS4 No edit is lost or made twice by another run of the server: each unsaved edit has one page that brings it back.
//
// That page is the one of the tab that made the edit. If that tab left before, it is the first one of the tabs that the
// server named last. An edit of another program is on the disk, so no page brings it back.

import { differences, inOrder } from "./differences.js";
import { only } from "./separation.js";
import { append, applied, compact, isInFront, moved, primitives, transform } from "./splices.js";
import { ChunkedText, difference } from "./text.js";

const mostStates = 40;

/** The shared text of one document, without any display. Each method that takes an event tells what the view has to do. */
export class Session {
  #base = null;
  #log = [];
  #open = null;
  #collected = [];
  #lastOwn = 0;
  #operations = 0;
  #tabs = [];

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
    for (const { splices } of this.#edits) for (const splice of splices) text.splice(splice);
    return text.toString();
  }

  /** The edits that the base does not have, in their order. */
  get #edits() {
    return [...this.#log, { splices: this.#open?.splices ?? [], tab: this.tab }, { splices: this.#waiting, tab: this.tab }];
  }

  /** The names of the tabs that show the document, as the server told them. */
  tabsAre(tabs) {
    this.#tabs = tabs.toSorted();
  }

  /** Starts with the durable text, which the first `open` event has. */
  start({ epoch, seq, saved, text }) {
    Object.assign(this, { epoch, seq, saved });
    this.#base = new ChunkedText(text);
  }

  /** The splices that the server did not get yet. */
  get #waiting() {
    return this.#collected.flatMap(({ splices }) => splices);
  }

  /** Takes in an edit of the page. @param {string} [step] the name of its step of undo */
  edit(splice, step) {
    if (this.#collected.length === 0 || this.#collected.at(-1).step !== step) this.#collected.push({ step, splices: [] });
    append(this.#collected.at(-1).splices, splice);
  }

  /** The next request to send, or null. The splices that come later are collected. */
  next() {
    if (this.#open || this.#collected.length === 0) return null;
    const { step, splices } = this.#collected.shift();
    this.#open = { op: `${this.page}-${++this.#operations}`, step, splices: primitives(compact(splices)) };
    return this.repeat();
  }

  /** The open edit as a request, as it is at the present seq, or null. The server accepts an `op` only once. */
  repeat() {
    if (!this.#open) return null;
    return { tab: this.tab, epoch: this.epoch, seq: this.seq, ...this.#open };
  }

  /**
   * Takes in a `text` event.
   * @returns {Array|null} splices for the view; null if events are missing and the page must connect again
   */
  accept({ seq, tab, op, splices, why }) {
    if (seq <= this.seq) return [];
    if (seq !== this.seq + 1) return null;
    this.seq = seq;
    this.#log.push({ seq, splices, tab, isOnDisk: why === "outside" });
    if (tab === this.tab) this.#lastOwn = seq;
    this.didSave(this.saved);
    if (this.#open && op === this.#open.op) {
      this.#open = null;
      return [];
    }
    let remote = primitives(splices);
    const inFront = isInFront(tab, this.tab);
    if (this.#open) [remote, this.#open.splices] = transform(remote, this.#open.splices, inFront);
    for (const part of this.#collected) {
      [remote, part.splices] = transform(remote, part.splices, inFront);
      part.splices = compact(part.splices);
    }
    this.#collected = this.#collected.filter(({ splices }) => splices.length > 0);
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
   * Takes in the text of an `open` event of another run of the server. That is the text with which the run began, so no
   * page has brought an edit back to it. What the pages brought back since then follows as `text` events.
   * @returns {Array} splices for the view
   */
  reopen({ epoch, seq, saved, text }) {
    const shown = this.text;
    const { state, own } = this.#stateNearest(text);
    // The two texts are equal unless another program changed the document meanwhile.
    const splices = compact(transform(inOrder(differences(state, text)), own)[1]);
    this.#collected = splices.length > 0 ? [{ splices }] : [];
    Object.assign(this, { epoch, seq, saved });
    this.#base = new ChunkedText(text);
    this.#log = [];
    this.#open = null;
    this.#lastOwn = 0;
    return inOrder(differences(shown, applied(splices, text)));
  }

  /**
   * The state of the text that the server saved last, as far as its present text shows: the answer may have been lost.
   * @returns {{state: string, own: Array}} the state, and the splices that this page brings back to it
   */
  #stateNearest(text) {
    const edits = this.#edits;
    const old = new ChunkedText(this.#base.toString());
    let best = { distance: Infinity };
    for (let index = 0; ; index++) {
      const rest = edits.slice(index);
      const isNear = index === 0 || index > edits.length - mostStates;
      if (isNear || old.length === text.length) {
        // What another program wrote is on the disk, also if it came after edits that are not.
        const written = only(rest, (edit) => edit.isOnDisk);
        const state = applied(written, old.toString());
        const distance = distanceOf(state, text);
        // Of equal texts the last one: the edits between the two change nothing.
        if (distance < best.distance || distance === 0) best = { distance, state, rest, written };
      }
      // The server never had the collected splices.
      if (rest.length <= 1) break;
      for (const splice of rest[0].splices) old.splice(splice);
    }
    const [, own] = transform(best.written, only(best.rest, (edit) => this.#bringsBack(edit)));
    return { state: best.state, own };
  }

  #bringsBack({ tab, isOnDisk }) {
    if (isOnDisk || tab === this.tab) return !isOnDisk;
    return !this.#tabs.includes(tab) && this.#tabs[0] === this.tab;
  }

  /** Where an offset of the view is in the server's text at the present seq. */
  serverOffset(offset) {
    const undone = [...(this.#open?.splices ?? []), ...this.#waiting].reverse();
    return moved(offset, undone.map(([at, del, ins]) => [at, ins.length, " ".repeat(del)]));
  }

  /** Where an offset of the server's text is in the view. */
  viewOffset(offset) {
    return moved(offset, [...(this.#open?.splices ?? []), ...this.#waiting]);
  }
}

/** The size of the differences of two texts. */
function distanceOf(before, now) {
  const [at, del, ins] = difference(before, now);
  return differences(before.slice(at, at + del), ins).reduce((sum, [, del, ins]) => sum + del + ins.length, 0);
}
