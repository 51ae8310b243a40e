// The changed words of lines, with the sentences around them.

import { differences } from "./differences.js";

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const mostPart = 0.7;

/**
 * The change of some lines as parts [kind, text] in order: "same", "removed" and "added".
 * It is null if the lines have too little in common to be read as one text.
 */
export function partsOf(before, after) {
  const changes = differences(before, after);
  const removed = changes.reduce((sum, [, del]) => sum + del, 0);
  if (removed > before.length * mostPart) return null;
  const parts = [];
  let end = 0;
  for (const [at, del, ins] of changes) {
    parts.push(["same", before.slice(end, at)], ["removed", before.slice(at, at + del)], ["added", ins]);
    end = at + del;
  }
  parts.push(["same", before.slice(end)]);
  return shortened(parts.filter(([, text]) => text !== ""));
}

/** The words that some hunks add, or else those that they remove, as {kind, text}; null without any. */
export function firstWords(hunks, most = 90) {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const text = (mark) => lines.filter(([sign]) => sign === mark).map(([, line]) => line).join("\n");
  const [before, after] = [text("-"), text("+")];
  const parts = before && after ? partsOf(before, after) : null;
  const words = (kind, whole) => (parts ? parts.filter(([own]) => own === kind).map(([, part]) => part.trim()).join(" … ") : whole).replace(/\s+/g, " ").trim();
  for (const [kind, whole] of [["added", after], ["removed", before]]) {
    const found = words(kind, whole);
    if (found) return { kind, text: found.length > most ? `${found.slice(0, most).replace(/\S*$/, "").trim()}…` : found };
  }
  return null;
}

/** Leaves out the sentences that stay and are not beside a change. */
function shortened(parts) {
  return parts.map(([kind, text], index) => {
    if (kind !== "same") return [kind, text];
    const own = Array.from(sentences.segment(text), ({ segment }) => segment);
    const [head, tail] = [index > 0 ? own[0] : "", index < parts.length - 1 && (own.length > 1 || index === 0) ? own.at(-1) : ""];
    const rest = text.length - head.length - tail.length;
    return [kind, rest > 40 ? `${head.trimEnd()} … ${tail}`.replace(/^ /, index > 0 ? " " : "") : text];
  });
}
