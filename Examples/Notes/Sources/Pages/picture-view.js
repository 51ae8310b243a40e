// One picture of a document, as large as the window or in its own size.

/** The dialog with the picture. The arrow keys and two buttons lead to the others. */
export class PictureView {
  #dialog;
  #images = [];
  #key = null;

  constructor(dialog) {
    this.#dialog = dialog;
    this.#on("#picture-previous", () => this.#step(-1));
    this.#on("#picture-next", () => this.#step(1));
    this.#on("#picture-close", () => dialog.close());
    this.#on("#picture-size", () => this.#setSize(!dialog.classList.contains("own-size")));
    dialog.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#step(by);
    });
    // Outside of its content, the dialog itself is the target.
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  /** Takes the images of the document, as the server tells them. */
  update(images) {
    this.#images = images;
    if (!this.#dialog.open) return;
    if (images.some(({ key }) => key === this.#key)) this.#show(this.#key);
    else this.#dialog.close();
  }

  open(key) {
    this.#show(key);
    this.#setSize(false);
    this.#dialog.showModal();
  }

  #on(selector, action) {
    this.#dialog.querySelector(selector).addEventListener("click", action);
  }

  #step(by) {
    const next = this.#images[this.#images.findIndex(({ key }) => key === this.#key) + by];
    if (!next) return;
    this.#setSize(false);
    this.#show(next.key);
  }

  #show(key) {
    this.#key = key;
    const index = this.#images.findIndex((image) => image.key === key);
    const { url, caption, name, width, height } = this.#images[index];
    const picture = this.#dialog.querySelector("img");
    if (picture.getAttribute("src") !== url) Object.assign(picture, { src: url, width, height });
    picture.alt = caption || name;
    this.#dialog.querySelector("#picture-words").textContent = `${caption || name} (${index + 1} of ${this.#images.length})`;
    this.#dialog.querySelector("#picture-previous").disabled = index === 0;
    this.#dialog.querySelector("#picture-next").disabled = index === this.#images.length - 1;
  }

  #setSize(isOwn) {
    this.#dialog.classList.toggle("own-size", isOwn);
    this.#dialog.querySelector("#picture-size").setAttribute("aria-pressed", String(isOwn));
  }
}
