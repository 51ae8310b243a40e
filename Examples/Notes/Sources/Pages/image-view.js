// Images of versions as elements.

const words = { added: "Added", removed: "Removed", changed: "Changed", caption: "New caption", moved: "Moved" };

/** One change of an image: before and after side by side. */
export function imageChange({ kind, name, before, after, caption }) {
  const element = document.createElement("article");
  element.className = "image-change";
  element.dataset.kind = kind;
  const head = document.createElement("h3");
  head.textContent = `${words[kind]}: ${name}`;
  const pair = document.createElement("div");
  pair.className = "pair";
  const isPair = kind === "changed" || kind === "caption";
  if (before && (isPair || kind === "removed")) pair.append(picture(before, "Before", caption?.[0]));
  if (after && (isPair || kind !== "removed")) pair.append(picture(after, isPair ? "After" : "", caption?.[1]));
  element.append(head, pair);
  return element;
}

/** An image of a whole version, with a button if there is something to do. */
export function versionImage(image, button) {
  const element = document.createElement("article");
  element.className = "image-change";
  element.dataset.key = image.key;
  element.append(picture(image.url, "", image.caption, image));
  if (button) element.append(button);
  return element;
}

function picture(url, label, caption, size) {
  const figure = document.createElement("figure");
  const image = document.createElement("img");
  Object.assign(image, { loading: "lazy", decoding: "async", alt: [label, caption].filter(Boolean).join(": ") });
  if (size) Object.assign(image, { width: size.width, height: size.height });
  image.src = url;
  const words = document.createElement("figcaption");
  words.textContent = [label, caption].filter(Boolean).join(" · ");
  figure.append(image, words);
  return figure;
}
