// A document as a file of another format, or on paper.

/** The formats of a menu. */
export const formats = [
  ["zip", "Zip with all files"],
  ["markdown", "Markdown"],
  ["html", "Web page"],
  ["print", "Print or PDF…"],
];

/** Downloads a document, or opens it to print it. */
export function download(id, format) {
  if (format === "print") return location.assign(`/d/${id}#print`);
  const link = document.createElement("a");
  link.href = `/api/documents/${id}/export?as=${format}`;
  link.download = "";
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
