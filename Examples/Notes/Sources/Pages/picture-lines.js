// Lines that name a picture, as Markdown does: `![Peak](Images/7.png)`, with only blanks around it.

const longestLine = 3000;
const line = /^[ \t]*!\[((?:\\.|[^\\\]\r\n])*)\]\(([^\r\n]*)\)[ \t]*\r?\n?$/;
// Characters that Markdown, a URL or another program may take otherwise.
const special = /[^\p{L}\p{N}\p{M}\-._~/]/gu;

/**
 * The picture that a line names, or null. Whether the document has it is another question.
 * @param {string} text one line, with its line end or without
 * @returns {{words: string, paths: string[]} | null} `paths`: the readings of its destination, the usual one first
 */
export function pictureIn(text) {
  if (text.length > longestLine) return null;
  const match = line.exec(text);
  if (!match) return null;
  const [, words, inside] = match;
  // A title may follow, and angle brackets may be around.
  const destination = inside.trim().replace(/[ \t]+(?:"[^"]*"|'[^']*')$/, "").replace(/^<(.*)>$/, "$1");
  if (destination === "") return null;
  const plain = destination.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return { words: words.replace(/\\([!-/:-@[-`{-~])/g, "$1"), paths: [...new Set([decoded(plain), destination, plain])] };
}

/** The range of the first line from an offset on that names a picture, with its line end, or null. The offset begins a line. */
export function pictureLineFrom(text, offset) {
  for (let at = text.indexOf("![", offset); at >= 0; ) {
    const from = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
    const newline = text.indexOf("\n", at);
    const to = newline < 0 ? text.length : newline + 1;
    // Only the first signs of a line count, so each line is looked at once.
    if (pictureIn(text.slice(from, Math.min(to, from + longestLine + 1)))) return { from, to };
    at = newline < 0 ? -1 : text.indexOf("![", to);
  }
  return null;
}

/** A line that names the picture at a path of the package. */
export function referenceTo(path, name) {
  const words = name.replace(/(?<=.)\.[^.]*$/, "").replace(/[\r\n\t]+/g, " ").replace(/[\\[\]`<!]/g, "\\$&");
  return `![${words}](${path.replace(special, (one) => percentEncoded(one))})`;
}

function percentEncoded(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // It has a percent sign that encodes nothing.
    return text;
  }
}
