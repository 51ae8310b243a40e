// The dialog with the documents that were deleted lately.

import { wholeDate } from "./words.js";

/** A button that tells how many there are, and a dialog that brings them back. */
export class DeletedList {
  #button;
  #dialog;

  /** @param {(id: string) => void} onRestore */
  constructor(button, dialog, onRestore) {
    this.#button = button;
    this.#dialog = dialog;
    button.addEventListener("click", () => dialog.showModal());
    dialog.addEventListener("click", (event) => {
      const row = event.target.closest("li[data-id] button")?.closest("li");
      if (row) onRestore(row.dataset.id);
    });
  }

  /** @param {Array<{id: string, name: string, date: number}>} deleted */
  show(deleted) {
    this.#button.hidden = deleted.length === 0;
    this.#button.textContent = `Recently deleted (${deleted.length})`;
    this.#dialog.querySelector("ul").replaceChildren(...deleted.map(rowOf));
    if (deleted.length === 0 && this.#dialog.open) this.#dialog.close();
  }
}

function rowOf({ id, name, date }) {
  const row = document.createElement("li");
  row.dataset.id = id;
  const words = document.createElement("span");
  words.textContent = name;
  const when = document.createElement("span");
  when.className = "quiet-text";
  when.textContent = wholeDate(date);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Put back";
  button.setAttribute("aria-label", `Put back ${name}`);
  row.append(words, when, button);
  return row;
}
