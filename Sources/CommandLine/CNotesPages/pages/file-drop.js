// Files that are dragged from other programs onto the page.

/** Shows a hint while files are over the page, and takes them when they are dropped. */
export class FileDrop {
  #hint;
  #depth = 0;

  /** @param {(files: File[], target: Element) => void} onFiles */
  constructor(hint, onFiles) {
    this.#hint = hint;
    document.addEventListener("dragenter", (event) => this.#enter(event));
    document.addEventListener("dragleave", (event) => hasFiles(event) && this.#over(-1));
    document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
    document.addEventListener("drop", () => this.#over(-this.#depth), { capture: true });
    document.addEventListener("drop", (event) => {
      const files = [...event.dataTransfer.files];
      if (event.defaultPrevented || files.length === 0) return;
      event.preventDefault();
      onFiles(files, event.target);
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
