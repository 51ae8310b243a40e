// A long text as chunks of whole lines, so that one keystroke touches one chunk.
//
// PT1 Each chunk but the last ends with "\n". No chunk but the last is empty.
// PT2 The chunks' texts, one after the other, are the text: "\r" and "\r\n" stay as they are.
// PT3 A splice never divides a surrogate pair.
// PT4 The first chunk is the first line.
// PT5 A line that names a picture is a chunk, and the last chunk is no such line with a line end.

import { pictureIn, pictureLineFrom } from "./picture-lines.js";

const chunkSize = 4096;

/** One stretch of whole lines. `index` is its place; `view` belongs to the view that shows the chunk. */
export class Chunk {
  constructor(text, index) {
    this.text = text;
    this.index = index;
    this.view = null;
  }
}

/** A text in chunks. Finding an offset near the last one costs nothing; far away it costs a step a chunk. */
export class ChunkedText {
  #cursor = { index: 0, start: 0 };

  constructor(text) {
    this.chunks = pieces(text, true, true).map((piece, index) => new Chunk(piece, index));
    this.length = text.length;
  }

  get last() {
    return this.chunks[this.chunks.length - 1];
  }

  toString() {
    return this.chunks.map((chunk) => chunk.text).join("");
  }

  /** The offset of a chunk's first unit. */
  startOf(chunk) {
    let { index, start } = this.#cursor;
    while (index < chunk.index) start += this.chunks[index++].text.length;
    while (index > chunk.index) start -= this.chunks[--index].text.length;
    this.#cursor = { index, start };
    return start;
  }

  /** The chunk and the place in it of an offset. Between two chunks it is the start of the second. */
  locate(offset) {
    let { index, start } = this.#cursor;
    while (offset < start) start -= this.chunks[--index].text.length;
    while (index < this.chunks.length - 1 && offset >= start + this.chunks[index].text.length) {
      start += this.chunks[index++].text.length;
    }
    this.#cursor = { index, start };
    return { chunk: this.chunks[index], at: offset - start };
  }

  /** The line at an offset: its start, its end before the line end, and the start of the next line. */
  lineAt(offset) {
    const { chunk, at } = this.locate(offset);
    const start = offset - at;
    // PT1: a line is never in two chunks.
    const from = at === 0 ? 0 : chunk.text.lastIndexOf("\n", at - 1) + 1;
    const newline = chunk.text.indexOf("\n", at);
    const next = newline < 0 ? chunk.text.length : newline + 1;
    const end = newline < 0 ? next : newline;
    const hasReturn = newline > from && chunk.text[newline - 1] === "\r";
    return { from: start + from, to: start + end - (hasReturn ? 1 : 0), next: start + next };
  }

  /** The line end of the first line, which new lines get, too. */
  get lineEnd() {
    const { to, next } = this.lineAt(0);
    return next - to === 2 ? "\r\n" : "\n";
  }

  /** The text between two offsets, which may be beyond its ends. */
  slice(from, to) {
    from = Math.max(0, from);
    to = Math.min(to, this.length);
    if (from >= to) return "";
    const first = this.locate(from);
    const end = this.locate(to);
    if (first.chunk === end.chunk) return first.chunk.text.slice(first.at, end.at);
    const between = this.chunks.slice(first.chunk.index + 1, end.chunk.index).map((chunk) => chunk.text);
    return first.chunk.text.slice(first.at) + between.join("") + end.chunk.text.slice(0, end.at);
  }

  /**
   * Applies a splice.
   * @returns what a view has to do: replace [at, del, ins] in `chunk`, take away `removed`, put in `added` after `chunk`
   */
  splice([offset, del, ins]) {
    const { chunk, at } = this.locate(offset);
    const start = offset - at;
    let { chunk: end, at: endAt } = this.locate(offset + del);
    if (del > 0 && endAt === 0 && end !== chunk) {
      end = this.chunks[end.index - 1];
      endAt = end.text.length;
    }
    this.#cursor = { index: chunk.index, start };
    this.length += ins.length - del;
    const head = chunk.text.slice(0, at) + ins;
    let tail = end.text.slice(endAt);
    // PT1: what is left must end with its line's end, or the next chunk belongs to it.
    if (tail === "" && end !== this.last && head !== "" && !head.endsWith("\n")) {
      end = this.chunks[end.index + 1];
      tail = end.text;
    }
    const text = head + tail;
    if (chunk === end && (text !== "" || chunk === this.last) && !this.#isToCut(chunk, text)) {
      chunk.text = text;
      return { chunk, replace: [at, del, ins], removed: [], added: [] };
    }
    return this.#rebuild(chunk, end, text);
  }

  /** Takes in a change that the view shows already. `settle` must follow. */
  adopt(chunk, [at, del, ins]) {
    this.startOf(chunk);
    this.length += ins.length - del;
    chunk.text = chunk.text.slice(0, at) + ins + chunk.text.slice(at + del);
  }

  /** Cuts a chunk that is too long, and restores PT1. @returns what `splice` returns, or null */
  settle(chunk) {
    const open = chunk !== this.last && !chunk.text.endsWith("\n");
    const empty = chunk.text === "" && chunk !== this.last;
    if (!open && !empty && !this.#isToCut(chunk, chunk.text)) return null;
    this.startOf(chunk);
    if (!open || empty) return this.#rebuild(chunk, chunk, chunk.text);
    const next = this.chunks[chunk.index + 1];
    return this.#rebuild(chunk, next, chunk.text + next.text);
  }

  #rebuild(chunk, end, text) {
    const isFirst = chunk.index === 0;
    // PT4: the lines below the first one belong to the next chunk, which gives its first line if there is none.
    if (isFirst && end !== this.last && (text === "" || cutIn(text, 0) > 0)) {
      end = this.chunks[end.index + 1];
      text += end.text;
    }
    if (text === "" && end !== this.last) {
      const removed = this.chunks.splice(chunk.index, end.index - chunk.index + 1);
      this.#number(chunk.index);
      this.#cursor = { index: 0, start: 0 };
      return { chunk: null, replace: null, removed, added: [] };
    }
    const [first, ...rest] = pieces(text, isFirst, end === this.last);
    const replace = difference(chunk.text, first);
    chunk.text = first;
    const added = rest.map((piece) => new Chunk(piece, 0));
    const removed = this.chunks.slice(chunk.index + 1, end.index + 1);
    this.chunks = this.chunks.slice(0, chunk.index + 1).concat(added, this.chunks.slice(end.index + 1));
    this.#number(chunk.index + 1);
    return { chunk, replace, removed, added };
  }

  /** Whether a chunk has to be several chunks with this text. */
  #isToCut(chunk, text) {
    const isLong = text.length > 2 * chunkSize && cutIn(text, chunkSize - 1) > 0;
    if (isLong || (chunk.index === 0 && cutIn(text, 0) > 0)) return true;
    // PT5
    const picture = pictureLineFrom(text, 0);
    return picture !== null && (picture.to - picture.from < text.length || (chunk === this.last && isEndedPicture(text)));
  }

  #number(from) {
    for (let index = from; index < this.chunks.length; index++) this.chunks[index].index = index;
  }
}

/** The end of the line at an offset if more follows it, or 0: a line is never divided. */
function cutIn(text, offset) {
  const next = text.indexOf("\n", offset) + 1;
  return next < text.length ? next : 0;
}

/** Whether a text is the line of a picture with its line end: at the end of a document, an empty chunk follows it. */
function isEndedPicture(text) {
  return text.endsWith("\n") && pictureIn(text) !== null;
}

/** A text in chunks. `isFirst`, `isLast`: it begins or ends the document. */
function pieces(text, isFirst, isLast) {
  const result = [];
  let picture = pictureLineFrom(text, 0);
  let start = 0;
  while (start < text.length) {
    let cut = cutIn(text, isFirst && start === 0 ? 0 : start + chunkSize - 1) || text.length;
    if (picture && picture.from < start) picture = pictureLineFrom(text, start);
    // PT5
    if (picture) cut = Math.min(cut, picture.from > start ? picture.from : picture.to);
    result.push(text.slice(start, cut));
    start = cut;
  }
  if (result.length === 0 || (isLast && isEndedPicture(result.at(-1)))) result.push("");
  return result;
}

/**
 * The one splice that makes `now` of `before`.
 * @param {number} [caret] the caret in `now`; if several places are possible, the change is the one that ends there
 */
export function difference(before, now, caret) {
  const shorter = Math.min(before.length, now.length);
  let tail = 0;
  let head = 0;
  const countTail = (limit) => {
    while (tail < limit && before.charCodeAt(before.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)) tail++;
  };
  if (caret !== undefined) countTail(Math.min(shorter, now.length - caret));
  while (head < shorter - tail && before.charCodeAt(head) === now.charCodeAt(head)) head++;
  countTail(shorter - head);
  // PT3
  if (head > 0 && isHigh(before.charCodeAt(head - 1)) && (isLow(before.charCodeAt(head)) || isLow(now.charCodeAt(head)))) head--;
  const beforeTail = [before.charCodeAt(before.length - tail - 1), now.charCodeAt(now.length - tail - 1)];
  if (tail > 0 && isLow(now.charCodeAt(now.length - tail)) && beforeTail.some(isHigh)) tail--;
  return [head, before.length - head - tail, now.slice(head, now.length - tail)];
}

/** Text from outside as the page takes it in: lines end with "\n", and no half of a surrogate pair is alone. */
export function normalized(text) {
  return text.replace(/\r\n?/g, "\n").replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function isHigh(unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}
