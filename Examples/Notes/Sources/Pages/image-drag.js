// Reordering by dragging a handle, with a mouse, a pen or a finger.

const edge = 60;

/** Lets the rows of a list be dragged by their handles: within the list, or to the text. */
export class ImageDrag {
  #list;
  #onMove;
  #onText;
  #row = null;
  #target = null;

  /**
   * @param {(key: string, to: number) => void} onMove `to` is the place in the list afterwards
   * @param {(key: string, event: PointerEvent) => void} onText the row was dropped on the text
   */
  constructor(list, onMove, onText) {
    this.#onText = onText;
    this.#list = list;
    this.#onMove = onMove;
    list.addEventListener("pointerdown", (event) => this.#start(event));
    list.addEventListener("pointermove", (event) => this.#over(event));
    list.addEventListener("pointerup", (event) => this.#end(true, event));
    list.addEventListener("pointercancel", () => this.#end(false));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#end(false));
  }

  #start(event) {
    const handle = event.target.closest(".handle");
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    this.#row = handle.closest("li.image");
    this.#row.classList.add("dragged");
    this.#list.setPointerCapture(event.pointerId);
  }

  #over(event) {
    if (!this.#row) return;
    this.#scroll(event.clientY);
    const row = document.elementFromPoint(event.clientX, event.clientY)?.closest("li.image");
    if (!row || row.parentElement !== this.#list) return;
    const place = row.getBoundingClientRect();
    const isAfter = event.clientY > place.top + place.height / 2;
    this.#mark(row === this.#row ? null : { row, isAfter });
  }

  #mark(target) {
    this.#target?.row.classList.remove("drop-before", "drop-after");
    this.#target = target;
    target?.row.classList.add(target.isAfter ? "drop-after" : "drop-before");
  }

  #scroll(y) {
    const pane = this.#list.closest(".pictures");
    const box = pane.scrollHeight > pane.clientHeight + 1 ? pane : document.scrollingElement;
    const bounds = box === pane ? pane.getBoundingClientRect() : { top: 0, bottom: window.innerHeight };
    if (y < bounds.top + edge) box.scrollBy(0, -edge / 3);
    if (y > bounds.bottom - edge) box.scrollBy(0, edge / 3);
  }

  #end(isDone, event) {
    if (!this.#row) return;
    const { key } = this.#row.dataset;
    const others = [...this.#list.children].filter((row) => row !== this.#row);
    const target = this.#target;
    this.#mark(null);
    this.#row.classList.remove("dragged");
    this.#row = null;
    if (isDone && document.elementFromPoint(event.clientX, event.clientY)?.closest("#text")) this.#onText(key, event);
    if (isDone && target) this.#onMove(key, others.indexOf(target.row) + (target.isAfter ? 1 : 0));
  }
}
