// Files that are dragged from other programs onto the page.

import { alertOf } from "./notices.js";

/** Shows a hint while files are over the page, and takes them when they are dropped. */
export class FileDrop {
  #hint;
  #depth = 0;

  /**
   * @param {string} advice what to do with a folder, which a browser does not send
   * @param {(files: File[], event: DragEvent) => void} onFiles
   */
  constructor(hint, advice, onFiles) {
    this.#hint = hint;
    document.addEventListener("dragenter", (event) => this.#enter(event));
    document.addEventListener("dragleave", (event) => hasFiles(event) && this.#over(-1));
    document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
    document.addEventListener("drop", () => this.#over(-this.#depth), { capture: true });
    document.addEventListener("drop", (event) => {
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      const files = filesOf(event.dataTransfer.items, advice);
      if (files.length > 0) onFiles(files, event);
    });
  }

  #enter(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    this.#over(1);
  }

  #over(change) {
    this.#depth = Math.max(0, this.#depth + change);
    this.#hint.hidden = this.#depth === 0;
  }
}

function hasFiles(event) {
  return event.dataTransfer?.types.includes("Files");
}

function filesOf(items, advice) {
  const files = [];
  for (const item of items) {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    if (entry?.isDirectory) alertOf({ message: `“${entry.name}” is a folder.`, advice });
    else if (item.kind === "file") files.push(item.getAsFile());
  }
  return files;
}
