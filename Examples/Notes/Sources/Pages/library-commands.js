// What a person can ask of the library: new, rename, duplicate, delete, move, download, import.

import { post, put } from "./api.js";
import { download } from "./downloads.js";
import { addressOf } from "./library-row.js";
import { isMarkdown, missingWords, namedIn } from "./loose-files.js";
import { alertOf, attempt, notice } from "./notices.js";
import { count } from "./words.js";

/** The library's actions. They ask the server; the list follows the server's events. */
export class LibraryCommands {
  #items;
  #list;
  #search;
  places = [];

  constructor(items, list, search) {
    this.#items = items;
    this.#list = list;
    this.#search = search;
  }

  /** Does an action of the menu. */
  run(action, id, format) {
    const actions = {
      open: () => this.open(id),
      history: () => location.assign(`/d/${id}/history`),
      rename: () => this.rename(id),
      duplicate: () => this.#ask(id, "duplicate"),
      pin: () => this.#pin(id, true),
      unpin: () => this.#pin(id, false),
      export: () => download(id, format),
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
    const item = this.#items.item(id);
    if (item?.editable) location.assign(addressOf(item, this.#search));
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

  /** Imports files one after the other: texts in Markdown first, with the pictures that they name. */
  async import(files) {
    if (files.length === 0) return;
    if (files.length > 1) notice(`${files.length} files are on their way.`);
    let imported = 0;
    let last = null;
    const used = new Set();
    const texts = files.filter(isMarkdown);
    const others = files.filter((file) => !isMarkdown(file));
    for (const file of [...texts, ...others]) {
      if (used.has(file)) continue;
      try {
        const query = new URLSearchParams({ name: file.name });
        const pictures = isMarkdown(file) ? namedIn(await file.text(), others) : [];
        if (pictures.length > 0) query.set("parts", await this.#sendParts(pictures));
        last = await put(`/api/library/import?${query}`, file);
        imported++;
        for (const picture of pictures) if (last.used?.includes(picture.name)) used.add(picture);
        for (const remark of last.remarks ?? []) notice(remark);
        if (last.missing?.length > 0) alertOf(missingWords(last.name, last.missing));
      } catch (error) {
        alertOf(error);
      }
    }
    if (imported === 0) return;
    const { id, name } = last;
    const words = imported === 1 ? `“${name}” was imported.` : `${count(imported, "document")} were imported.`;
    notice(words, imported === 1 ? { label: "Open", run: () => this.open(id) } : undefined);
  }

  /** Sends the pictures of a text. @returns the word that the import has for them */
  async #sendParts(pictures) {
    const query = new URLSearchParams();
    for (const picture of pictures) {
      query.set("name", picture.name);
      const { parts } = await put(`/api/library/import/parts?${query}`, picture);
      query.set("parts", parts);
    }
    return query.get("parts");
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

  #pin(id, pinned) {
    attempt(() => post(`/api/documents/${id}/pin`, { pinned }));
  }
}
