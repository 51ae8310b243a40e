// The page of a document's conflict versions: side by side, and the decision.

import { get, post } from "./api.js";
import { versionImage } from "./image-view.js";
import { linesOf, textOf } from "./line-view.js";
import { attempt, confirmed } from "./notices.js";
import { count, wholeDate } from "./words.js";

const byId = (id) => document.getElementById(id);

class ConflictsPage {
  #id = location.pathname.split("/")[2];
  // The versions that the page shows; a decision is about no others.
  #look = "";

  constructor() {
    byId("back").href = `/d/${this.#id}`;
    byId("show-merge").addEventListener("click", () => byId("merge").showModal());
    byId("merge").addEventListener("close", () => {
      if (byId("merge").returnValue === "yes") this.#resolve("merge", null);
    });
    this.#load();
  }

  get #path() {
    return `/api/documents/${this.#id}/conflicts`;
  }

  async #load() {
    const answer = await attempt(() => get(this.#path));
    if (!answer) return;
    const { name, present, versions, merge, look } = answer;
    this.#look = look;
    byId("name").textContent = ` in ${name}`;
    document.title = `Conflict in ${name}`;
    byId("no-conflicts").hidden = versions.length > 0;
    byId("conflicts-intro").hidden = versions.length === 0;
    byId("show-merge").hidden = versions.length === 0 || !merge;
    if (merge) this.#showMerge(merge);
    const sides = versions.length > 0 ? [this.#presentSide(present), ...versions.map((side) => this.#versionSide(side))] : [];
    byId("sides").replaceChildren(...sides);
    document.body.dataset.ready = "true";
  }

  #showMerge({ text, conflicts }) {
    byId("merge-text").replaceChildren(...textOf(text));
    byId("merge-conflicts").textContent =
      conflicts === 0
        ? "All changes fit together."
        : `Both sides changed ${count(conflicts, "place")}. The text has both wordings there.`;
  }

  #presentSide(side) {
    const element = sideElement(side, "The present version", textOf(side.text));
    element.dataset.side = "present";
    const keep = button("Keep only this", "keep-present", () =>
      this.#ask("Keep only the present version? The other versions go.", "present", side.version),
    );
    keep.id = "keep-present";
    element.querySelector(".side-actions").append(keep);
    return element;
  }

  #versionSide(side) {
    const lines = side.lines.length > 0 ? linesOf(side.lines) : [sameText()];
    const element = sideElement(side, side.computer ? `The version from ${side.computer}` : "The other version", lines);
    element.dataset.side = "version";
    element.querySelector(".side-actions").append(
      button("Keep only this", "keep-version", () => this.#ask("Keep only this version? It takes the place of the present one.", "version", side.version)),
      button("Keep both", "keep-both", () => this.#ask("Keep both? This version becomes a document of its own.", "both", side.version)),
    );
    return element;
  }

  async #ask(question, keep, version) {
    if (await confirmed(question, keep === "both" ? "Keep both" : "Keep only this")) this.#resolve(keep, version);
  }

  async #resolve(keep, version) {
    const done = await attempt(() => post(`${this.#path}/resolve`, { keep, version, look: this.#look }));
    if (done) location.assign(`/d/${this.#id}`);
    else this.#load();
  }
}

function sideElement({ version, date, computer, title, images }, heading, content) {
  const element = document.createElement("article");
  element.className = "side";
  element.dataset.version = version;
  const head = document.createElement("header");
  const name = document.createElement("h2");
  name.textContent = heading;
  const about = document.createElement("p");
  about.className = "quiet-text";
  about.textContent = [title, wholeDate(date), computer].filter(Boolean).join(" · ");
  const actions = document.createElement("div");
  actions.className = "side-actions";
  head.append(name, about, actions);
  const text = document.createElement("div");
  text.className = "side-text lines";
  text.append(...content);
  const pictures = document.createElement("div");
  pictures.className = "image-changes";
  pictures.append(...images.map((image) => versionImage(image)));
  element.append(head, text, pictures);
  return element;
}

function button(words, name, action) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = name;
  element.textContent = words;
  element.addEventListener("click", action);
  return element;
}

function sameText() {
  const element = document.createElement("p");
  element.className = "empty-note";
  element.textContent = "The text is the same.";
  return element;
}

new ConflictsPage();
