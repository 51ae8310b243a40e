// Line differences and texts as elements. A screen reader hears which lines were added and removed.

import { partsOf } from "./word-changes.js";

const kinds = { "+": "added", "-": "removed", " ": "same" };
const words = { added: "Added: ", removed: "Removed: ", changed: "Changed: ", same: "" };
const signs = { added: "+", removed: "−", changed: "±", same: " " };
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
    result.push(...runsOf(hunk.lines.slice(0, mostLines - shown)).flatMap(linesOfRun));
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

/** Removed lines with the added ones behind them, and each other line. */
function runsOf(lines) {
  const runs = [];
  for (const [mark, text] of lines) {
    const last = runs.at(-1);
    const isSame = mark === " " || !last || last.isSame || (mark === "-" && last["+"].length > 0);
    if (isSame) runs.push({ isSame: mark === " ", " ": [], "-": [], "+": [] });
    runs.at(-1)[mark].push(text.replace(/\r?\n$/, ""));
  }
  return runs;
}

/** One element of the changed words, or one for each line. */
function linesOfRun(run) {
  const parts = run["-"].length > 0 && run["+"].length > 0 ? partsOf(run["-"].join("\n"), run["+"].join("\n")) : null;
  if (parts) return [line("changed", ...parts.map(([kind, text]) => wordsOf(kind, text)))];
  return [" ", "-", "+"].flatMap((mark) => run[mark].map((text) => line(kinds[mark], wordsOf(kinds[mark], text))));
}

function line(kind, ...contents) {
  const element = document.createElement("div");
  element.className = "line";
  element.dataset.kind = kind;
  const sign = document.createElement("span");
  sign.className = "line-mark";
  sign.textContent = signs[kind];
  sign.setAttribute("aria-hidden", "true");
  const spoken = document.createElement("span");
  spoken.className = "hidden-words";
  spoken.textContent = words[kind];
  const text = document.createElement("div");
  text.className = "line-text";
  text.append(...contents);
  element.append(sign, spoken, text);
  return element;
}

function wordsOf(kind, text) {
  const element = document.createElement(kind === "added" ? "ins" : kind === "removed" ? "del" : "span");
  element.textContent = text;
  return element;
}

function place(text) {
  const element = document.createElement("p");
  element.className = "line-place";
  element.textContent = text;
  return element;
}
