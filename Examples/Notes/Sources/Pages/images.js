// The images of a document: a list in order, each with its caption and its tools.

import { send } from "./api.js";
import { ImageDrag } from "./image-drag.js";
import { PictureView } from "./picture-view.js";
import { count } from "./words.js";

const captionPause = 800;

/** The list of images. It shows what the server says and asks for changes; it decides nothing. */
export class ImageList {
  #list;
  #template;
  #ask;
  #rows = new Map();
  #images = new Map();
  #captions = new Map();
  #isOff = true;
  #view;

  /**
   * @param {object} ask what the server can do: caption(key, text), move(key, to), remove(key), replace(key); and
   *   place(image, event), which names an image in the text: under the pointer of an event, or at the caret
   * @param {() => void} onChange `isPending` may be another
   */
  constructor(list, template, ask, onChange) {
    this.#view = new PictureView(document.getElementById("picture"));
    this.#list = list;
    this.#template = template;
    this.#ask = ask;
    this.onChange = onChange;
    list.addEventListener("click", (event) => this.#click(event));
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("input", (event) => this.#typed(event.target));
    list.addEventListener("focusout", (event) => event.target.matches(".caption") && this.#sendCaption(keyOf(event.target)));
    // An image's own events do not bubble.
    list.addEventListener("error", (event) => event.target.matches("img") && this.#explain(event.target), { capture: true });
    new ImageDrag(list, (key, to) => this.#move(key, to), (key, event) => this.#isOff || this.#ask.place(this.#images.get(key), event));
  }

  /** Whether a change of the page is not saved yet. */
  get isPending() {
    return this.#captions.size > 0;
  }

  set isReadOnly(value) {
    if (value === this.#isOff) return;
    this.#isOff = value;
    for (const control of this.#list.querySelectorAll(".image-tools button")) control.disabled = value;
    for (const caption of this.#list.querySelectorAll(".caption")) caption.readOnly = value;
  }

  /**
   * Shows the images. Rows that stay keep their elements, so focus and typing stay too.
   * @param {string[]} missing the names of images whose files are gone
   */
  show(images, missing) {
    this.#view.update(images);
    this.#images = new Map(images.map((image) => [image.key, image]));
    const note = document.getElementById("images-missing");
    note.hidden = missing.length === 0;
    note.textContent = `${missing.map((name) => `“${name}”`).join(", ")} ${missing.length === 1 ? "is" : "are"} missing in the document's folder.`;
    const keys = new Set(images.map((image) => image.key));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
      this.#forgetCaption(key);
    }
    let next = this.#list.firstElementChild;
    images.forEach((image, index) => {
      const row = this.#rows.get(image.key) ?? this.#newRow(image);
      this.#fill(row, image, index, images.length);
      if (row === next) next = next.nextElementSibling;
      else this.#put(row, next);
    });
    document.getElementById("image-count").textContent = images.length > 0 ? images.length.toLocaleString("en") : "";
    document.getElementById("images-empty").hidden = images.length > 0;
  }

  /** Opens an image as large as the window. */
  open(key) {
    this.#view.open(key);
  }

  /** Marks the images that the text shows. */
  markShown(keys) {
    for (const [key, row] of this.#rows) row.classList.toggle("in-text", keys.has(key));
  }

  /** Sends captions again that could not be sent. */
  resend() {
    for (const key of this.#captions.keys()) this.#sendCaption(key);
  }

  /** The place at which a point of the page would put a new image. */
  indexAt(element) {
    const row = element?.closest?.("li.image");
    return row ? [...this.#list.children].indexOf(row) : this.#list.children.length;
  }

  #newRow(image) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    row.dataset.key = image.key;
    for (const control of row.querySelectorAll(".image-tools button")) control.disabled = this.#isOff;
    row.querySelector(".caption").readOnly = this.#isOff;
    this.#rows.set(image.key, row);
    return row;
  }

  #fill(row, image, index, total) {
    const picture = row.querySelector("img");
    if (picture.getAttribute("src") !== image.url) {
      picture.width = image.width;
      picture.height = image.height;
      this.#showProblem(row, "");
      picture.src = image.url;
      picture.dataset.format = image.format;
      row.style.setProperty("--ratio", image.height / Math.max(1, image.width));
    }
    const caption = row.querySelector(".caption");
    const isOwn = this.#captions.has(image.key);
    if (!isOwn && caption.value !== image.caption) caption.value = image.caption;
    const words = caption.value || image.name;
    if (picture.alt !== words) picture.alt = words;
    if (row.dataset.number === `${index + 1}/${total}`) return;
    row.dataset.number = `${index + 1}/${total}`;
    caption.setAttribute("aria-label", `Caption of image ${index + 1}`);
    for (const button of row.querySelectorAll("button")) button.setAttribute("aria-label", `${button.title} image ${index + 1}`);
  }

  /** The reason why a picture is not shown: that of the server, or the browser does not know it. */
  async #explain(picture) {
    const { src } = picture;
    let reason = "The picture is damaged, or the browser does not know its format.";
    try {
      const response = await send(picture.getAttribute("src"));
      await response.body.cancel();
      if (["heic", "tiff"].includes(picture.dataset.format)) reason = `The browser does not show ${picture.dataset.format.toUpperCase()} pictures.`;
    } catch (error) {
      reason = error.message;
    }
    if (picture.src === src) this.#showProblem(picture.closest("li.image"), reason);
  }

  #showProblem(row, words) {
    const problem = row.querySelector(".frame-problem");
    problem.textContent = words;
    problem.hidden = words === "";
    row.querySelector("img").hidden = words !== "";
    row.querySelector(".image-open").disabled = words !== "";
  }

  #put(row, next) {
    const focused = row.contains(document.activeElement) ? document.activeElement : null;
    this.#list.insertBefore(row, next);
    focused?.focus({ preventScroll: true });
    if (focused) row.scrollIntoView({ block: "nearest" });
  }

  #click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const key = keyOf(button);
    if (button.matches(".image-open")) this.#view.open(key);
    if (button.matches(".image-up")) this.#moveBy(key, -1);
    if (button.matches(".image-down")) this.#moveBy(key, 1);
    if (button.matches(".image-place")) this.#ask.place(this.#images.get(key));
    if (button.matches(".image-replace")) this.#ask.replace(key);
    if (button.matches(".image-remove")) this.#remove(key);
  }

  #key(event) {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#moveBy(keyOf(event.target), by);
  }

  #moveBy(key, by) {
    const to = [...this.#list.children].indexOf(this.#rows.get(key)) + by;
    if (to >= 0 && to < this.#list.children.length) this.#move(key, to);
  }

  /** Moves at once in the page; the server's list follows. */
  #move(key, to) {
    if (this.#isOff) return;
    const row = this.#rows.get(key);
    const others = [...this.#list.children].filter((other) => other !== row);
    this.#put(row, others[to] ?? null);
    this.#ask.move(key, to);
  }

  #remove(key) {
    const row = this.#rows.get(key);
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    (neighbour?.querySelector(".image-remove") ?? document.getElementById("add-image")).focus();
    this.#ask.remove(key);
  }

  #typed(field) {
    const key = keyOf(field);
    this.#forgetCaption(key);
    this.#captions.set(key, { timer: setTimeout(() => this.#sendCaption(key), captionPause) });
    this.onChange();
  }

  #forgetCaption(key) {
    clearTimeout(this.#captions.get(key)?.timer);
    this.#captions.delete(key);
  }

  async #sendCaption(key) {
    const typed = this.#captions.get(key);
    if (!typed || typed.isSent) return;
    clearTimeout(typed.timer);
    typed.isSent = true;
    const isSaved = await this.#ask.caption(key, this.#rows.get(key).querySelector(".caption").value);
    typed.isSent = false;
    if (isSaved && this.#captions.get(key) === typed) this.#captions.delete(key);
    this.onChange();
  }
}

/** "3 images were added." */
export function addedWords(number) {
  return `${count(number, "image")} ${number === 1 ? "was" : "were"} added.`;
}

function keyOf(element) {
  return element.closest("li.image").dataset.key;
}
