// What a person can ask of the library: new, rename, duplicate, delete, move, download, import.

import { post, put } from "./api.js";
import { alertOf, attempt, notice } from "./notices.js";
import { count } from "./words.js";

/** The library's actions. They ask the server; the list follows the server's events. */
export class LibraryCommands {
  #items;
  #list;
  places = [];

  constructor(items, list) {
    this.#items = items;
    this.#list = list;
  }

  /** Does an action of the menu. */
  run(action, id) {
    const actions = {
      open: () => this.open(id),
      history: () => location.assign(`/d/${id}/history`),
      rename: () => this.rename(id),
      duplicate: () => this.#ask(id, "duplicate"),
      export: () => this.#export(id),
      move: () => this.#move(id),
      download: () => this.#ask(id, "download"),
      evict: () => this.#ask(id, "evict"),
      delete: () => this.delete(id),
    };
    actions[action]?.();
  }

  async new() {
    const made = await attempt(() => post("/api/library/new"));
    if (made) location.assign(`/d/${made.id}`);
  }

  open(id) {
    if (this.#items.item(id)?.editable) location.assign(`/d/${id}`);
    else notice("This page cannot open documents of this type.");
  }

  /** Renames in place: the name becomes a field. */
  rename(id) {
    const row = this.#list.rowOf(id);
    const item = this.#items.item(id);
    if (!row || !item || row.querySelector(".row-rename")) return;
    const field = document.createElement("input");
    field.className = "row-rename";
    field.value = item.name;
    field.setAttribute("aria-label", "New name");
    row.querySelector(".row-name").after(field);
    row.classList.add("renaming");
    this.#list.pin(id);
    field.focus();
    field.select();
    const end = (takes, focus) => {
      if (!row.classList.contains("renaming")) return;
      row.classList.remove("renaming");
      this.#list.pin(null);
      const name = field.value.trim();
      field.remove();
      if (focus) row.focus({ preventScroll: true });
      if (takes && name !== "" && name !== item.name) attempt(() => post(`/api/documents/${row.dataset.id}/rename`, { name }));
    };
    field.addEventListener("blur", () => end(true, false));
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Enter") end(true, true);
      if (event.key === "Escape") end(false, true);
    });
  }

  async delete(id) {
    const answer = await attempt(() => post(`/api/documents/${id}/delete`));
    if (!answer) return;
    notice(`“${answer.name}” was deleted.`, { label: "Undo", run: () => this.restore(answer.deleted) });
  }

  async restore(deleted) {
    const answer = await attempt(() => post(`/api/deleted/${deleted}/restore`));
    if (answer) notice(`“${answer.name}” is back.`);
  }

  /** Imports files one after the other. */
  async import(files) {
    if (files.length === 0) return;
    if (files.length > 1) notice(`${files.length} files are on their way.`);
    let imported = 0;
    let last = null;
    for (const file of files) {
      try {
        last = await put(`/api/library/import?${new URLSearchParams({ name: file.name })}`, file);
        imported++;
        for (const remark of last.remarks ?? []) notice(remark);
      } catch (error) {
        alertOf(error);
      }
    }
    if (imported === 0) return;
    const { id, name } = last;
    const words = imported === 1 ? `“${name}” was imported.` : `${count(imported, "document")} were imported.`;
    notice(words, imported === 1 ? { label: "Open", run: () => this.open(id) } : undefined);
  }

  async #ask(id, what) {
    const answer = await attempt(() => post(`/api/documents/${id}/${what}`));
    if (answer && what === "duplicate") notice(`“${answer.name}” is the copy.`);
  }

  async #move(id) {
    const place = this.places.find((one) => one.key !== this.#items.item(id)?.place);
    const answer = place && (await attempt(() => post(`/api/documents/${id}/move`, { place: place.key })));
    if (answer) notice(`“${answer.name}” is in ${place.name} now.`);
  }

  #export(id) {
    const link = document.createElement("a");
    link.href = `/api/documents/${id}/export`;
    link.download = "";
    link.click();
  }
}
