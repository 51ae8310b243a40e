// Pictures on the page of a document: large ones, broken ones, missing ones.
//
// usage: DOCPKG=… node pictures.mjs chromium|firefox
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);
const demo = fileURLToPath(new URL("../../../../../Fixtures/Demo/", import.meta.url));

/** What a person sees of the large picture. */
const large = () => {
  const dialog = document.querySelector("#picture");
  const picture = dialog.querySelector("img");
  const { width, height, right, bottom } = picture.getBoundingClientRect();
  return dialog.open && picture.complete && { words: dialog.querySelector("#picture-words").textContent, width, height, right, bottom, window: [innerWidth, innerHeight] };
};

const focused = () => document.activeElement.getAttribute("aria-label");

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    await server.openDocument(browser, "Trip", "Three valleys");
    const images = join(server.notes, "Trip.imageNotes", "Images");
    server.docpkg("", "edit", "Trip.imageNotes", "--add-image", join(demo, "Dawn.png"), "--add-image", join(demo, "Lake.jpeg"));
    // A caption makes a list of the pictures, which still names one that is gone.
    server.docpkg("", "edit", "Trip.imageNotes", "--caption", "Lake.jpeg=The lake");
    await until("two images", () => browser.run(() => document.querySelectorAll("li.image").length === 2));

    await browser.click("li.image:nth-child(1) .image-open");
    const first = await until("the first picture", () => browser.run(large));
    assert.equal(first.words, "Dawn.png (1 of 2)");
    assert.ok(first.width > 400 && first.right <= first.window[0] && first.bottom <= first.window[1], `as large as the window: ${JSON.stringify(first)}`);
    await browser.press("right");
    await until("the second picture", () => browser.run(() => document.querySelector("#picture-words").textContent === "The lake (2 of 2)"));
    assert.ok(await browser.run(() => document.querySelector("#picture-next").disabled));
    await browser.click("#picture-size");
    await until("its own size", () => browser.run(() => document.querySelector("#picture img").clientWidth === document.querySelector("#picture img").naturalWidth));
    await browser.press("escape");
    await until("no dialog", () => browser.run(() => !document.querySelector("#picture").open));
    assert.equal(await browser.run(focused), "Open image 1");

    const problem = (words) => until(`"${words}"`, () => browser.run((words) => [...document.querySelectorAll(".frame-problem:not([hidden])")].some((e) => e.textContent.includes(words)), words));
    writeFileSync(join(images, "Lake.jpeg"), "no picture");
    await problem("not a picture");
    // The header is right, and the rest is not.
    const png = readFileSync(join(demo, "Dawn.png"));
    writeFileSync(join(images, "Dawn.png"), png.fill(0, 40));
    await problem("damaged");
    rmSync(join(images, "Lake.jpeg"));
    await until("the missing picture", () => browser.run(() => document.querySelector("#images-missing:not([hidden])")?.textContent === "“Lake.jpeg” is missing in the document's folder."));
    console.log(`${engine}: pictures are right`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
