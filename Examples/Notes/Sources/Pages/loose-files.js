// A text in Markdown that a user chooses together with its pictures: a browser gives names, and no folders.

/** Whether a file is a text in Markdown. */
export function isMarkdown({ name }) {
  return /\.(md|markdown|mdown|mkd)$/i.test(name);
}

/** The files whose names a text has, each name once. The server decides which of them the text shows. */
export function namedIn(text, files) {
  const words = comparable(text);
  const seen = new Set();
  return files.filter(({ name }) => {
    const isNamed = [name, encodeURI(name), encodeURIComponent(name)].some((one) => words.includes(comparable(one)));
    if (!isNamed || seen.has(comparable(name))) return false;
    seen.add(comparable(name));
    return true;
  });
}

function comparable(text) {
  return text.normalize("NFC").toLowerCase();
}

/** The sentence about pictures that an import lacks, with the thing to do. */
export function missingWords(name, missing) {
  const list = missing.map((one) => `“${one}”`).join(", ");
  return {
    message: `“${name}” was imported without ${missing.length === 1 ? "the picture" : "the pictures"} ${list}.`,
    advice: "To import them, too, choose the text and its pictures together.",
  };
}
