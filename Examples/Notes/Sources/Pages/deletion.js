// The range that a deletion takes away, counted in the text. A browser's own range is empty in Chromium, ends at a chunk
// in Firefox, and is a whole chunk where the browser has not laid out the text.

const reach = 1000;
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * The range of a deletion at a caret. "\r\n" is one line end, and so is "\n". At the start or the end of its line, every
 * deletion takes the line end alone.
 * @param {ChunkedText} text
 * @param {string} inputType such as "deleteWordBackward"
 * @param {number} caret
 * @param {() => {from: number, to: number}} softLine the part of the caret's line that the window shows as one line
 * @returns {{from: number, to: number}} an empty range if there is nothing to delete
 */
export function deletionRange(text, inputType, caret, softLine) {
  const line = text.lineAt(caret);
  if (inputType === "deleteEntireSoftLine") return softLine();
  const isForward = inputType.endsWith("Forward");
  if (!isForward && !inputType.endsWith("Backward")) return { from: caret, to: caret };
  if (isForward && caret === line.to) return { from: caret, to: line.next };
  if (!isForward && caret === line.from) return { from: startOfLineEnd(text, caret), to: caret };
  const unit = inputType.slice("delete".length, isForward ? -"Forward".length : -"Backward".length);
  if (unit === "Word") return inWindow(text, line, caret, isForward ? wordAfter : wordBefore);
  if (unit === "HardLine") return isForward ? { from: caret, to: line.to } : { from: line.from, to: caret };
  if (unit === "SoftLine") {
    const { from, to } = softLine();
    if (isForward && to > caret) return { from: caret, to };
    if (!isForward && from < caret) return { from, to: caret };
  }
  return inWindow(text, line, caret, isForward ? characterAfter : characterBefore);
}

/** The start of the line end before the start of a line. */
function startOfLineEnd(text, start) {
  return Math.max(0, text.slice(start - 2, start) === "\r\n" ? start - 2 : start - 1);
}

/** Counts in the part of a line around the caret: a line may have a million characters. */
function inWindow(text, line, caret, count) {
  const start = Math.max(line.from, caret - reach);
  const { from, to } = count(text.slice(start, Math.min(line.to, caret + reach)), caret - start);
  return { from: start + from, to: start + to };
}

// A caret inside of a character deletes it as a whole.

function characterBefore(line, caret) {
  const { index, segment } = characters.segment(line).containing(caret - 1);
  return { from: index, to: Math.max(caret, index + segment.length) };
}

function characterAfter(line, caret) {
  const { index, segment } = characters.segment(line).containing(caret);
  return { from: index, to: index + segment.length };
}

// A word goes with the spaces between it and the caret. Signs that follow each other are like a word.

function wordBefore(line, caret) {
  const segments = words.segment(line);
  let kind = "space";
  let from = caret;
  while (from > 0 && kind !== "word") {
    const segment = segments.containing(from - 1);
    const next = kindOf(segment);
    if (kind === "sign" && next !== "sign") break;
    [kind, from] = [next, segment.index];
  }
  return { from, to: caret };
}

function wordAfter(line, caret) {
  const segments = words.segment(line);
  let kind = "space";
  let to = caret;
  while (to < line.length && kind !== "word") {
    const segment = segments.containing(to);
    const next = kindOf(segment);
    if (kind === "sign" && next !== "sign") break;
    [kind, to] = [next, segment.index + segment.segment.length];
  }
  return { from: caret, to };
}

/** Firefox's `isWordLike` is false for some words. */
function kindOf({ segment }) {
  return /^\s/.test(segment) ? "space" : /[\p{L}\p{N}]/u.test(segment) ? "word" : "sign";
}
