// The actions that a document of the library has now, as a menu.

import { formats } from "./downloads.js";
import { Menu } from "./menu.js";
import { cloudState } from "./library-row.js";
import { count, size } from "./words.js";

const words = {
  open: "Open",
  pin: "Pin to the top",
  unpin: "Unpin",
  rename: "Rename",
  duplicate: "Duplicate",
  history: "History",
  export: "Download…",
  move: "",
  download: "Bring to this computer",
  evict: "Remove the local copy",
  delete: "Delete",
};

/** The actions that a document has now. @param {Array} places the places of the library */
export function actionsOf(item, places) {
  return Object.keys(words).filter((action) => {
    switch (action) {
      case "open": case "history": case "export": return item.editable;
      case "pin": return !item.pinned;
      case "unpin": return item.pinned;
      case "move": return places.length > 1;
      case "download": return item.cloud?.status === "notDownloaded";
      case "evict": return item.cloud?.status === "current";
      default: return true;
    }
  });
}

/** The menu of a document in the library. */
export class RowMenu {
  #menu;
  #onAction;

  /** @param {(action: string, id: string, format?: string) => void} onAction */
  constructor(element, onAction) {
    this.#menu = new Menu(element);
    this.#onAction = onAction;
  }

  /** Opens the menu of a document beside a button. */
  open(item, details, places, button) {
    const target = places.find((place) => place.key !== item.place);
    const entries = actionsOf(item, places).map((action) => [action, action === "move" ? `Move to ${target.name}` : words[action]]);
    const label = `Actions for ${item.name}`;
    const row = button.closest(".row");
    this.#menu.open(button, row, { label, info: infoOf(item, details), entries }, (action) => {
      if (action !== "export") return this.#onAction(action, item.id);
      this.#menu.open(button, row, { label: `Download ${item.name}`, entries: formats }, (format) => this.#onAction(action, item.id, format));
    });
  }
}

/** The facts that a row does not show. */
function infoOf(item, details) {
  const images = details?.images > 0 ? count(details.images, "image") : "";
  return [size(item.size ?? details?.size), images, cloudState(item, details)?.words].filter(Boolean).join(" · ");
}
