// Where the words of a search are in a text. The rules are those of the server's index: words begin with the words of
// the search, without regard to case and accents.

const unspaced = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const words = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{Co}\\p{M}])+`, "gu");

/** A text without case and accents. */
export function folded(text) {
  return text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
}

/** A search: its phrases, each with the words that follow each other. */
export class Search {
  constructor(text) {
    const parts = text.split(/\s+/);
    this.phrases = parts.map((part) => wordsOf(part).map(({ word }) => word)).filter((phrase) => phrase.length > 0);
  }

  /** The ranges [from, to] of the hits in a text, in ascending order; at most `most`. */
  hits(text, most = Infinity) {
    const whole = folded(text);
    const phrases = this.phrases.filter(([first]) => whole.includes(first));
    if (phrases.length === 0) return [];
    const found = [];
    const own = wordsOf(text);
    for (let index = 0; index < own.length && found.length < most; index++) {
      const lengths = phrases.filter((phrase) => begins(own, index, phrase)).map(({ length }) => length);
      if (lengths.length === 0) continue;
      const last = index + Math.max(...lengths) - 1;
      found.push([own[index].from, own[last].to]);
      index = last;
    }
    return found;
  }
}

/** An excerpt in which the first hit is so near to the start that a narrow row shows it. */
export function nearHit(text, search, room = 24) {
  const [from] = search.hits(text, 1)[0] ?? [0];
  if (from <= room) return text;
  const start = text.slice(from - room, from).search(/\s/);
  return `… ${text.slice(start < 0 ? from : from - room + start).trimStart()}`;
}

/** Puts a text into an element, with its hits marked. It changes only what is different. */
export function showHits(element, text, search) {
  const key = search ? `${search.phrases.join("\n")}\n\n${text}` : text;
  if (element.dataset.shown === key) return;
  element.dataset.shown = key;
  const parts = [];
  let end = 0;
  for (const [from, to] of search?.hits(text) ?? []) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(from, to);
    parts.push(text.slice(end, from), mark);
    end = to;
  }
  element.replaceChildren(...parts, text.slice(end));
}

function begins(own, index, phrase) {
  const last = phrase.length - 1;
  if (index + last >= own.length) return false;
  return phrase.every((word, at) => (at === last ? own[index + at].word.startsWith(word) : own[index + at].word === word));
}

function wordsOf(text) {
  const all = Array.from(text.matchAll(words), ({ 0: word, index }) => ({ word: folded(word), from: index, to: index + word.length }));
  return all.filter(({ word }) => word !== "");
}
