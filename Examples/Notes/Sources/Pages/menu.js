// A menu beside a button: showing it, and moving in it with the keyboard.

/** A popover menu. */
export class Menu {
  #element;
  #onAction = () => {};
  #back = null;

  constructor(element) {
    this.#element = element;
    element.addEventListener("click", (event) => this.#choose(event.target.closest("[data-action]")));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Opens the menu.
   * @param {HTMLElement} button @param {HTMLElement} back gets the focus afterwards
   * @param {{label: string, info?: string, entries: Array<[action: string, words: string]>}} contents
   * @param {(action: string) => void} onAction
   */
  open(button, back, { label, info, entries }, onAction) {
    [this.#back, this.#onAction] = [back, onAction];
    const shown = entries.map(([action, words]) => {
      const entry = document.createElement("button");
      entry.type = "button";
      entry.setAttribute("role", "menuitem");
      entry.dataset.action = action;
      entry.tabIndex = -1;
      entry.textContent = words;
      return entry;
    });
    if (info) {
      const line = document.createElement("div");
      line.className = "menu-info";
      line.setAttribute("aria-hidden", "true");
      line.textContent = info;
      shown.unshift(line);
    }
    this.#element.replaceChildren(...shown);
    this.#element.setAttribute("aria-label", [label, info].filter(Boolean).join(": "));
    this.#element.showPopover();
    this.#place(button.getBoundingClientRect());
    this.#entries[0].focus();
  }

  get #entries() {
    return [...this.#element.querySelectorAll("[data-action]")];
  }

  #place(button) {
    const { offsetWidth, offsetHeight, style } = this.#element;
    const fits = button.bottom + offsetHeight + 8 < window.innerHeight;
    style.left = `${Math.max(8, Math.min(button.right - offsetWidth, window.innerWidth - offsetWidth - 8))}px`;
    style.top = `${fits ? button.bottom + 4 : Math.max(8, button.top - offsetHeight - 4)}px`;
  }

  #choose(entry) {
    if (!entry) return;
    this.#element.hidePopover();
    this.#back?.focus({ preventScroll: true });
    this.#onAction(entry.dataset.action);
  }

  #key(event) {
    const entries = this.#entries;
    const index = entries.indexOf(document.activeElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") this.#element.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    entries.at(to % entries.length).focus();
  }
}
