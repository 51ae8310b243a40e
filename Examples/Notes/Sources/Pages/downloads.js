// A document as a file of another format, or on paper.

import { send } from "./api.js";
import { alertOf, attempt } from "./notices.js";

/** The formats of a menu. */
export const formats = [
  ["zip", "Zip with all files"],
  ["markdown", "Markdown"],
  ["html", "Web page"],
  ["print", "Print or PDF…"],
];

/** Downloads a document, or opens it to print it. It tells what the file of another format does not have. */
export async function download(id, format) {
  if (format === "print") return location.assign(`/d/${id}#print`);
  const path = `/api/documents/${id}/export?as=${format}`;
  // The zip has everything, and may be large: the browser writes it to the disk while it arrives.
  if (format === "zip") return save(path, "");
  await attempt(async () => {
    const response = await send(path);
    const file = URL.createObjectURL(await response.blob());
    save(file, decodeURIComponent(response.headers.get("Content-Disposition").split("''")[1]));
    // The browser reads the file after the click.
    setTimeout(() => URL.revokeObjectURL(file), 60_000);
    const leftOut = response.headers.get("Left-Out");
    if (leftOut) {
      const message = `The download is not the whole document: ${decodeURIComponent(leftOut)}.`;
      alertOf({ message, advice: "A zip with all files has everything." });
    }
  });
}

function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** Prints the page once its images are here. */
export async function print() {
  const images = [...document.querySelectorAll("#images img")];
  for (const image of images) image.loading = "eager";
  // An image that cannot be shown is printed as the page shows it.
  await Promise.all(images.map((image) => image.decode().catch(() => {})));
  window.print();
}
