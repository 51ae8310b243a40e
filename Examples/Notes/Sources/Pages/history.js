// The page of a document's versions: by day and session, with the changes of each, and restoring.

import { get, post } from "./api.js";
import { imageChange, versionImage } from "./image-view.js";
import { linesOf, textOf } from "./line-view.js";
import { attempt, confirmed } from "./notices.js";
import { daysOf, showWords, toggle } from "./session-view.js";
import { firstWords } from "./word-changes.js";
import { wholeDate } from "./words.js";

const byId = (id) => document.getElementById(id);

class HistoryPage {
  #id = location.pathname.split("/")[2];
  #shown = null;
  #request = 0;
  /** The visible versions whose changed words are not known yet. */
  #wordless = new Set();
  #isAsking = false;
  #watcher = new IntersectionObserver((entries) => this.#seen(entries));

  constructor() {
    byId("back").href = `/d/${this.#id}`;
    byId("versions").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button?.matches(".session-toggle")) toggle(button);
      else if (button) this.#show(button, true);
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
    const { name, versions } = answer;
    const computers = new Set(versions.map(({ computer }) => computer));
    const [computer] = computers.size === 1 ? computers : [""];
    byId("name").textContent = ` of ${name}`;
    document.title = `History of ${name}`;
    byId("computer").textContent = computer && `Saved on ${computer}`;
    byId("computer").hidden = !computer;
    byId("history-empty").hidden = versions.length > 1;
    byId("versions").parentElement.hidden = versions.length === 0;
    byId("versions").replaceChildren(...daysOf(versions, computers.size > 1));
    const buttons = byId("versions").querySelectorAll(".version");
    for (const button of buttons) this.#watcher.observe(button);
    if (buttons.length > 0) await this.#show(buttons[0], false);
    document.body.dataset.ready = "true";
  }

  async #show(button, focus) {
    const number = ++this.#request;
    for (const one of byId("versions").querySelectorAll(".version")) {
      if (one === button) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
    const { version, since, current } = button.dataset;
    const details = await attempt(() => get(this.#addressOf(button)));
    if (!details || number !== this.#request) return;
    this.#shown = { version, ...details };
    const isPresent = current === "true";
    byId("version").hidden = false;
    byId("version-title").textContent = isPresent ? "The present version" : wholeDate(details.date);
    byId("version-from").textContent = [details.computer && `Saved on ${details.computer}`, isPresent && wholeDate(details.date)].filter(Boolean).join(", ");
    byId("restore").hidden = isPresent;
    this.#showChanges(details.changes, since);
    this.#showWhole(details, isPresent);
    this.#showPart();
    if (focus && matchMedia("(max-width: 760px)").matches) byId("version-title").focus();
  }

  #addressOf({ dataset: { version, since } }, part = "") {
    const query = since ? `?since=${encodeURIComponent(since)}` : "";
    return `${this.#path}/versions/${encodeURIComponent(version)}${part}${query}`;
  }

  // The changed words of the versions that a person can see, one request after the other

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#wordless.add(target);
      else this.#wordless.delete(target);
    }
    if (!this.#isAsking) this.#askForWords();
  }

  async #askForWords() {
    this.#isAsking = true;
    for (const button of this.#wordless) {
      this.#wordless.delete(button);
      this.#watcher.unobserve(button);
      try {
        const { lines } = await get(this.#addressOf(button, "/words"));
        showWords(button, firstWords(lines));
      } catch {
        // The row tells in general what changed, and the page of the version tells the error.
      }
    }
    this.#isAsking = false;
  }

  #showChanges({ lines, images }, since) {
    byId("text-changes").replaceChildren(...linesOf(lines));
    byId("image-changes").replaceChildren(...images.map(imageChange));
    const nothing = lines.length + images.length === 0;
    byId("no-changes").hidden = !nothing;
    byId("no-changes").textContent = !since ? "This is the oldest version." : "This version has no visible changes.";
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
    const buttons = [...byId("versions").querySelectorAll(".version")].filter((button) => button.checkVisibility());
    const next = buttons[buttons.indexOf(document.activeElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
    this.#show(next, false);
  }
}

new HistoryPage();
