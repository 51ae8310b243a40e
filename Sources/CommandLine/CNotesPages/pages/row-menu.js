// The menu of a document: which actions it has, and moving in it with the keyboard.

const words = {
  open: "Open",
  rename: "Rename",
  duplicate: "Duplicate",
  history: "History",
  export: "Download as zip",
  move: "",
  download: "Bring to this computer",
  evict: "Remove the local copy",
  delete: "Delete",
};

/** The actions that a document has now. @param {Array} places the places of the library */
export function actionsOf(item, places) {
  const isHere = item.cloud?.status !== "notDownloaded";
  return Object.keys(words).filter((action) => {
    switch (action) {
      case "open": case "history": return item.editable;
      case "move": return places.length > 1;
      case "download": return item.cloud?.status === "notDownloaded";
      case "evict": return item.cloud?.status === "current";
      default: return true;
    }
  });
}

/** The popover menu of the library. */
export class RowMenu {
  #element;
  #onAction;
  #id = null;
  #from = null;

  /** @param {(action: string, id: string) => void} onAction */
  constructor(element, onAction) {
    this.#element = element;
    this.#onAction = onAction;
    element.addEventListener("click", (event) => this.#choose(event.target.closest("[data-action]")));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Opens the menu of a document beside a button. */
  open(item, places, button) {
    this.#id = item.id;
    this.#from = button.closest(".row");
    const target = places.find((place) => place.key !== item.place);
    this.#element.replaceChildren(
      ...actionsOf(item, places).map((action) => {
        const entry = document.createElement("button");
        entry.type = "button";
        entry.setAttribute("role", "menuitem");
        entry.dataset.action = action;
        entry.tabIndex = -1;
        entry.textContent = action === "move" ? `Move to ${target.name}` : words[action];
        return entry;
      }),
    );
    this.#element.setAttribute("aria-label", `Actions for ${item.name}`);
    this.#element.showPopover();
    this.#place(button.getBoundingClientRect());
    this.#element.firstElementChild.focus();
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
    this.#from?.focus({ preventScroll: true });
    this.#onAction(entry.dataset.action, this.#id);
  }

  #key(event) {
    const entries = [...this.#element.children];
    const index = entries.indexOf(document.activeElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") this.#element.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    entries.at(to % entries.length).focus();
  }
}
