// A second model of texts and deletions, for tests: it knows the characters that the tests use, and divides no text by
// the rules of Unicode.

/** The characters of the tests, each with its kind. */
export const pieces = {
  letter: ["a", "b", "W", "7", "e\u0301", "ש", "ש\u05b8", "م"],
  space: [" ", "\t"],
  sign: ["!", "-", "😀", "👨‍👩‍👧", "👍🏽", "🇨🇭"],
  end: ["\n", "\r\n"],
  /** A line that names the picture `b.png`. Its signs divide words for every reader. */
  picture: "![a](Images%2Fb%2Epng)",
  /** Those that a key writes. */
  typed: ["a", "b", "W", "7", " ", "!", "-", "ש", "م", "😀"],
};

const kinds = ["letter", "space", "sign", "end"];
// An undo may bring back the letter "x", which one of the events writes and deletes.
const ofPictures = Array.from(pieces.picture + "x", (text) => [/[a-z\d]/i.test(text) ? "letter" : "sign", text]);
const known = [...kinds.flatMap((kind) => pieces[kind].map((text) => [kind, text])), ...ofPictures].sort((a, b) => b[1].length - a[1].length);

/** The characters of a text, each as [kind, text]. */
export function charactersOf(text) {
  const result = [];
  for (let at = 0; at < text.length; at += result.at(-1)[1].length) {
    const found = known.find(([, part]) => text.startsWith(part, at));
    if (!found) throw new Error(`The model does not know ${JSON.stringify(text.slice(at, at + 10))}.`);
    result.push(found);
  }
  return result;
}

/** A text of random characters in lines that a window shows as one line each. Some lines name a picture. */
export function textOf(random, length) {
  let text = "";
  for (let count = 0, column = 0; count < length; count++) {
    if (column === 0 && random(8) === 0) {
      text += pieces.picture + pieces.end[random(2)];
      continue;
    }
    const kind = column > 24 || random(14) === 0 ? "end" : kinds[[0, 0, 0, 0, 1, 2][random(6)]];
    column = kind === "end" ? 0 : column + 1;
    text += pieces[kind][random(pieces[kind].length)];
  }
  return text;
}

/** What a deletion at a caret takes, by the rules that a reader would give. */
export function deleted(text, caret, kind) {
  const isForward = kind.endsWith("Forward");
  const rest = isForward ? charactersOf(text.slice(caret)) : charactersOf(text.slice(0, caret)).reverse();
  const taken = rest.slice(0, countOf(rest.map(([kind]) => kind), kind));
  const length = taken.reduce((sum, [, part]) => sum + part.length, 0);
  return isForward ? { from: caret, to: caret + length } : { from: caret - length, to: caret };
}

function countOf(rest, kind) {
  if (rest.length === 0) return 0;
  if (rest[0] === "end" || kind.startsWith("deleteContent")) return 1;
  const run = (from, isIn) => {
    let count = from;
    while (count < rest.length && isIn(rest[count])) count++;
    return count;
  };
  if (!kind.startsWith("deleteWord")) return run(0, (kind) => kind !== "end");
  const spaces = run(0, (kind) => kind === "space");
  const first = rest[spaces] ?? "end";
  return first === "end" ? spaces : run(spaces, (kind) => kind === first);
}
