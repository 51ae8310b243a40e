// The page of a document's versions: by day, with what each changed, and restoring.

import { get, post } from "./api.js";
import { imageChange, versionImage } from "./image-view.js";
import { linesOf, textOf } from "./line-view.js";
import { attempt, confirmed } from "./notices.js";
import { count, dayName, timeOfDay, wholeDate } from "./words.js";

const byId = (id) => document.getElementById(id);

class HistoryPage {
  #id = location.pathname.split("/")[2];
  #shown = null;
  #request = 0;

  constructor() {
    byId("back").href = `/d/${this.#id}`;
    byId("versions").addEventListener("click", (event) => {
      const button = event.target.closest(".version");
      if (button) this.#show(button.dataset.version, true);
    });
    byId("versions").addEventListener("keydown", (event) => this.#key(event));
    for (const id of ["show-changes", "show-text"]) byId(id).addEventListener("change", () => this.#showPart());
    byId("restore").addEventListener("click", () => this.#restore());
    this.#load();
  }

  get #path() {
    return `/api/documents/${this.#id}`;
  }

  async #load() {
    const answer = await attempt(() => get(`${this.#path}/versions`));
    if (!answer) return;
    const { versions } = answer;
    byId("history-empty").hidden = versions.length > 1;
    byId("versions").hidden = versions.length === 0;
    byId("versions").replaceChildren(...days(versions).flatMap(dayElements));
    if (versions.length > 0) await this.#show(versions[0].version, false);
    document.body.dataset.ready = "true";
  }

  async #show(version, focus) {
    const number = ++this.#request;
    for (const button of byId("versions").querySelectorAll(".version")) {
      if (button.dataset.version === String(version)) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const details = await attempt(() => get(`${this.#path}/versions/${encodeURIComponent(version)}`));
    if (!details || number !== this.#request) return;
    this.#shown = { version, ...details };
    const button = byId("versions").querySelector('[aria-current="true"]');
    const isPresent = button?.dataset.current === "true";
    byId("version").hidden = false;
    byId("version-title").textContent = isPresent ? "The present version" : wholeDate(details.date);
    byId("version-from").textContent = [details.computer && `Saved on ${details.computer}`, isPresent && wholeDate(details.date)].filter(Boolean).join(", ");
    byId("restore").hidden = isPresent;
    this.#showChanges(details);
    this.#showWhole(details, isPresent);
    this.#showPart();
    if (focus && matchMedia("(max-width: 760px)").matches) byId("version-title").focus();
  }

  #showChanges({ changes, previous }) {
    const { lines, images } = changes;
    byId("text-changes").replaceChildren(...linesOf(lines));
    byId("image-changes").replaceChildren(...images.map(imageChange));
    const nothing = lines.length + images.length === 0;
    byId("no-changes").hidden = !nothing;
    byId("no-changes").textContent = !previous ? "This is the oldest version." : "This version has no visible changes.";
  }

  #showWhole({ text, images }, isPresent) {
    byId("version-text").replaceChildren(...textOf(text));
    byId("version-images").replaceChildren(...images.map((image) => versionImage(image, isPresent ? null : this.#imageButton(image))));
  }

  #showPart() {
    const isWhole = byId("show-text").checked;
    byId("changes").hidden = isWhole;
    byId("whole").hidden = !isWhole;
  }

  #imageButton(image) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "restore-image";
    button.textContent = "Restore this image";
    button.setAttribute("aria-label", `Restore this image: ${image.caption || image.name}`);
    button.addEventListener("click", async () => {
      if (!(await confirmed("Restore this image in the document? Undo takes it back.", "Restore the image"))) return;
      this.#send({ image: image.key });
    });
    return button;
  }

  async #restore() {
    const { date } = this.#shown;
    const question = `Restore the version of ${wholeDate(date)}? The present version stays in the history.`;
    if (await confirmed(question, "Restore")) this.#send({});
  }

  async #send(body) {
    const done = await attempt(() => post(`${this.#path}/versions/${encodeURIComponent(this.#shown.version)}/restore`, body));
    if (done) location.assign(`/d/${this.#id}`);
  }

  #key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    const buttons = [...byId("versions").querySelectorAll(".version")];
    const next = buttons[buttons.indexOf(document.activeElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
    this.#show(next.dataset.version, false);
  }
}

/** The versions in groups of one day each. */
function days(versions) {
  const result = new Map();
  for (const version of versions) {
    const name = dayName(version.date);
    result.set(name, [...(result.get(name) ?? []), version]);
  }
  return [...result];
}

function dayElements([name, versions]) {
  const head = document.createElement("h2");
  head.className = "day";
  head.textContent = name;
  const list = document.createElement("ul");
  list.setAttribute("role", "list");
  list.append(...versions.map(versionRow));
  return [head, list];
}

function versionRow({ version, date, computer, current, changed }) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "version";
  button.dataset.version = version;
  button.dataset.current = current;
  const lines = [
    ["version-time", current ? `Now · ${timeOfDay(date)}` : timeOfDay(date)],
    ["version-what", wordsOf(changed)],
    ["version-rest", computer],
  ];
  for (const [name, text] of lines) {
    const line = document.createElement("span");
    line.className = name;
    line.textContent = text;
    button.append(line);
  }
  row.append(button);
  return row;
}

/** What a version changed, in a few words; `changed` is missing for the oldest one. */
function wordsOf(changed) {
  if (!changed) return "Oldest version";
  const images = changed.filter((path) => path.startsWith("Images/")).length;
  const parts = [changed.includes("Text.txt") && "Text", images > 0 && count(images, "image")].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : changed.length > 0 ? "Title or order" : "Nothing visible";
}

new HistoryPage();
