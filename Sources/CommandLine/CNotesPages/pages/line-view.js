// Line differences and texts as elements. A screen reader hears which lines were added and removed.

const kinds = { "+": "added", "-": "removed", " ": "same" };
const words = { added: "Added: ", removed: "Removed: ", same: "" };
const mostLines = 5000;

/** Elements for the hunks of a difference. @param {Array<{oldLine, newLine, lines}>} hunks */
export function linesOf(hunks) {
  const result = [];
  let shown = 0;
  for (const hunk of hunks) {
    if (shown >= mostLines) {
      result.push(place("There are more differences. Show the whole version to read them."));
      break;
    }
    result.push(place(`Line ${hunk.newLine.toLocaleString("en")}`));
    result.push(...hunk.lines.slice(0, mostLines - shown).map(([mark, text]) => line(mark, text)));
    shown += hunk.lines.length;
  }
  return result;
}

/** Elements for a whole text, in stretches that the browser lays out when they are visible. */
export function textOf(text) {
  const stretches = text.match(/(?:[^\n]*\n){1,60}|[^\n]+$/g) ?? [];
  return stretches.map((stretch) => {
    const element = document.createElement("div");
    element.className = "chunk";
    element.textContent = stretch;
    return element;
  });
}

function line(mark, text) {
  const kind = kinds[mark];
  const element = document.createElement("div");
  element.className = "line";
  element.dataset.kind = kind;
  const sign = document.createElement("span");
  sign.className = "line-mark";
  sign.textContent = mark === "-" ? "−" : mark;
  sign.setAttribute("aria-hidden", "true");
  const spoken = document.createElement("span");
  spoken.className = "hidden-words";
  spoken.textContent = words[kind];
  const content = document.createElement(kind === "added" ? "ins" : kind === "removed" ? "del" : "span");
  content.className = "line-text";
  content.textContent = text.replace(/\r?\n$/, "");
  element.append(sign, spoken, content);
  return element;
}

function place(text) {
  const element = document.createElement("p");
  element.className = "line-place";
  element.textContent = text;
  return element;
}
