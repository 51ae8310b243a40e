// A folder that is dropped on the pages of `docpkg serve`.
//
// usage: DOCPKG=… node dropping.mjs chromium|firefox
import { Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

/** Drops a file, which the browser takes for a folder. */
const dropFolder = (selector) => {
  DataTransferItem.prototype.webkitGetAsEntry = function () {
    return { isDirectory: true, name: this.getAsFile().name };
  };
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["x"], "Trip.textbundle"));
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector(selector).dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
};

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    const says = (advice) =>
      until(`"is a folder. ${advice}"`, () => browser.run((words) => document.querySelector("#alerts .alert-text")?.textContent === words, `“Trip.textbundle” is a folder. ${advice}`));
    await browser.run(dropFolder, "body");
    await says("Zip it, and drop the zip.");
    await server.openDocument(browser, "Trip", "Three valleys");
    await browser.run(dropFolder, "#text");
    await says("Drop the pictures that are in it.");
    console.log(`${engine}: a folder is told`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
