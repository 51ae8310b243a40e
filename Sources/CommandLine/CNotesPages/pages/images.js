// The images of a document: a list in order, each with its caption and its tools.

import { ImageDrag } from "./image-drag.js";
import { count } from "./words.js";

const captionPause = 800;

/** The list of images. It shows what the server says and asks for changes; it decides nothing. */
export class ImageList {
  #list;
  #template;
  #ask;
  #rows = new Map();
  #captions = new Map();
  #requests = 0;
  #isOff = true;

  /**
   * @param {object} ask what the server can do: caption(key, text), move(key, to), remove(key), replace(key)
   * @param {() => void} onChange `isPending` may be another
   */
  constructor(list, template, ask, onChange) {
    this.#list = list;
    this.#template = template;
    this.#ask = ask;
    this.onChange = onChange;
    list.addEventListener("click", (event) => this.#click(event));
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("input", (event) => this.#typed(event.target));
    list.addEventListener("focusout", (event) => event.target.matches(".caption") && this.#sendCaption(keyOf(event.target)));
    new ImageDrag(list, (key, to) => this.#move(key, to));
  }

  /** Whether a change of the page is not saved yet. */
  get isPending() {
    return this.#captions.size > 0 || this.#requests > 0;
  }

  set isReadOnly(value) {
    if (value === this.#isOff) return;
    this.#isOff = value;
    for (const control of this.#list.querySelectorAll("button")) control.disabled = value;
    for (const caption of this.#list.querySelectorAll(".caption")) caption.readOnly = value;
  }

  /** Shows the images. Rows that stay keep their elements, so focus and typing stay too. */
  show(images) {
    const keys = new Set(images.map((image) => image.key));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
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
    for (const control of row.querySelectorAll("button")) control.disabled = this.#isOff;
    row.querySelector(".caption").readOnly = this.#isOff;
    this.#rows.set(image.key, row);
    return row;
  }

  #fill(row, image, index, total) {
    const picture = row.querySelector("img");
    if (picture.getAttribute("src") !== image.url) {
      picture.width = image.width;
      picture.height = image.height;
      picture.src = image.url;
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
    if (button.matches(".image-up")) this.#moveBy(key, -1);
    if (button.matches(".image-down")) this.#moveBy(key, 1);
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
    this.#request(this.#ask.move(key, to));
  }

  #remove(key) {
    const row = this.#rows.get(key);
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    (neighbour?.querySelector(".image-remove") ?? document.getElementById("add-image")).focus();
    this.#request(this.#ask.remove(key));
  }

  #typed(field) {
    const key = keyOf(field);
    clearTimeout(this.#captions.get(key)?.timer);
    this.#captions.set(key, { timer: setTimeout(() => this.#sendCaption(key), captionPause) });
    this.onChange();
  }

  async #sendCaption(key) {
    const typed = this.#captions.get(key);
    const field = this.#rows.get(key)?.querySelector(".caption");
    if (!typed || typed.isSent || !field) return;
    clearTimeout(typed.timer);
    typed.isSent = true;
    const isSaved = await this.#ask.caption(key, field.value);
    typed.isSent = false;
    if (isSaved && this.#captions.get(key) === typed) this.#captions.delete(key);
    this.onChange();
  }

  async #request(promise) {
    this.#requests++;
    this.onChange();
    await promise;
    this.#requests--;
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
