// Pictures within a text of `docpkg serve`: shown, opened, dropped, pasted, removed, replaced; and a text that is imported
// with its pictures.
//
// usage: DOCPKG=… node placing.mjs chromium|firefox
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { look, select, Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);
const demo = fileURLToPath(new URL("../../../../../Fixtures/Demo/", import.meta.url));
const bytesOf = (name) => readFileSync(join(demo, name)).toString("base64");

/** The pictures of the text: their lines, and the size of each as the page shows it. */
const shown = () =>
  [...document.querySelectorAll(".picture-line")].map((chunk) => {
    const { width, aspectRatio, backgroundImage } = getComputedStyle(chunk, "::after");
    const { top, bottom, left } = chunk.getBoundingClientRect();
    return { line: chunk.textContent, width: parseFloat(width), ratio: aspectRatio, address: backgroundImage, top, bottom, left, room: chunk.clientWidth };
  });

/** Gives files to the page by an event of the clipboard or of a drag. */
const give = (kind, selector, files) => {
  const data = new DataTransfer();
  for (const [name, base64] of files) data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type: "image/png" }));
  const target = document.querySelector(selector);
  if (kind === "paste") {
    // A ClipboardEvent of Firefox takes no files.
    const event = new Event("paste", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "clipboardData", { value: data });
    target.dispatchEvent(event);
    return;
  }
  const walker = document.createTreeWalker(target, NodeFilter.SHOW_TEXT);
  let place = target.getBoundingClientRect();
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf("drop");
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + 1);
    place = range.getBoundingClientRect();
  }
  for (const type of ["dragenter", "dragover", "drop"]) {
    target.dispatchEvent(new DragEvent(type, { dataTransfer: data, clientX: place.left + 1, clientY: place.top + place.height / 2, bubbles: true, cancelable: true }));
  }
};

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    const has = (expected) => until(JSON.stringify(expected), async () => (await browser.run(look)).text === expected);
    const shows = (...lines) => until(`the pictures of ${JSON.stringify(lines)}`, async () => JSON.stringify((await browser.run(shown)).map(({ line }) => line)) === JSON.stringify(lines));
    const text = "Trip\nOne\n![Dawn](Images/Dawn.png)\nTwo drop here\n![Gone](Images/Gone.png)\n";
    await server.openDocument(browser, "Trip", text, [join(demo, "Dawn.png")]);

    // The picture has its own proportions and is as wide as the text at most. The text is in one node.
    const [first] = await browser.run(shown);
    assert.equal(first.line, "![Dawn](Images/Dawn.png)\n");
    const [width, height] = await browser.run(() => ["picture-width", "picture-height"].map((name) => Number(document.querySelector(".picture-line").style.getPropertyValue(`--${name}`))));
    assert.ok(first.width > 200 && first.width < first.room + 1 && first.width <= width, JSON.stringify(first));
    assert.ok(Math.abs(first.bottom - first.top - (first.width * height) / width) < 60, JSON.stringify(first));
    assert.equal(await browser.run(() => document.querySelector(".picture-line").childNodes.length), 1);
    assert.equal(await browser.run(() => document.querySelector(".missing-picture").textContent), "![Gone](Images/Gone.png)\n");

    // A click opens it, and leaves the caret.
    await browser.run(select, 6, 6);
    await browser.clickAt(Math.round(first.left + first.width / 2), Math.round(first.bottom - 60));
    await until("the large picture", () => browser.run(() => document.querySelector("#picture").open && document.querySelector("#picture-words").textContent === "Dawn.png (1 of 1)"));
    await browser.press("escape");
    await until("no dialog", () => browser.run(() => !document.querySelector("#picture").open));
    assert.equal((await browser.run(look)).focus, 6);

    // A sign behind the parenthesis makes words of the line.
    const end = text.indexOf(")") + 1;
    await browser.run(select, end, end);
    await browser.press(".");
    await shows();
    await browser.press("backspace");
    await shows("![Dawn](Images/Dawn.png)\n");

    // A drop puts the picture where it falls, with a line of its own. Undo takes the line, then the image.
    await browser.run(give, "drop", "#text", [["A lake.png", bytesOf("Dawn.png")], ["Hut.png", bytesOf("Dawn.png")]]);
    const dropped = text.replace("Two drop", "Two \n![A lake](Images/A%20lake.png)\n![Hut](Images/Hut.png)\ndrop");
    await has(dropped);
    await shows("![Dawn](Images/Dawn.png)\n", "![A lake](Images/A%20lake.png)\n", "![Hut](Images/Hut.png)\n");
    assert.equal(await browser.run(() => document.querySelectorAll("li.image").length), 3);
    assert.equal((await browser.run(look)).focus, dropped.indexOf("drop"));
    assert.equal(await server.saved(browser, "Trip"), dropped);
    await browser.press("control+z");
    await has(text);
    assert.equal(await browser.run(() => document.querySelectorAll("li.image").length), 3);
    await browser.press("control+shift+z");
    await has(dropped);

    // A paste at the end of a line puts it below, with the caret behind it. In the column there is no line.
    const behind = dropped.indexOf("One") + 3;
    await browser.run(select, behind, behind);
    await browser.run(give, "paste", "#text", [["Pasted.png", bytesOf("Dawn.png")]]);
    const pasted = dropped.replace("One\n", "One\n![Pasted](Images/Pasted.png)\n");
    await has(pasted);
    await until("the fourth image", () => browser.run(() => document.querySelectorAll("li.image").length === 4));
    assert.equal((await browser.run(look)).focus, pasted.indexOf("![Dawn]"));
    await browser.run(give, "drop", "#images", [["Column.png", bytesOf("Dawn.png")]]);
    await until("the fifth image", () => browser.run(() => document.querySelectorAll("li.image").length === 5));
    assert.equal((await browser.run(look)).text, pasted);

    // The handle of an image in the column brings it into the text.
    let last = "";
    const [handle, target] = await until("a handle at rest", async () => {
      const places = await browser.run(() => {
        const rows = [...document.querySelectorAll("li.image")];
        const row = rows.find((one) => one.querySelector("img").alt === "Column.png");
        row.scrollIntoView({ block: "center" });
        scrollTo(0, 0);
        const ends = [row.querySelector(".handle"), document.querySelector(".first-line")].map((element) => {
          const { left, top, height } = element.getBoundingClientRect();
          const [x, y] = [Math.round(left + 2), Math.round(top + height / 2)];
          return { x, y, isThere: element.contains(document.elementFromPoint(x, y)) };
        });
        // A picture that arrives moves the rows below it.
        return ends.every(({ isThere }) => isThere) && rows.every((one) => one.querySelector("img").complete) ? ends : null;
      });
      const isAtRest = places && JSON.stringify(places) === last;
      last = JSON.stringify(places);
      return isAtRest ? places.map(({ x, y }) => ({ x, y })) : null;
    });
    await browser.dragTo(handle, target);
    const dragged = `![Column](Images/Column.png)\n${pasted}`;
    await has(dragged);
    await shows("![Column](Images/Column.png)\n", ...["Pasted](Images/Pasted", "Dawn](Images/Dawn", "A lake](Images/A%20lake", "Hut](Images/Hut"].map((part) => `![${part}.png)\n`));
    await browser.press("control+z");
    await has(pasted);

    // Without a mouse, the image comes to the last caret, which the keys of the column have left. Another edit moves it.
    const caret = pasted.indexOf("One");
    await browser.run(select, caret, caret);
    await browser.run(() => [...document.querySelectorAll("li.image")].find((row) => row.querySelector("img").alt === "Column.png").querySelector(".image-place").focus());
    server.docpkg(`A ${pasted}`, "edit", "Trip.imageNotes", "--text-file", "-");
    await has(`A ${pasted}`);
    await browser.press("enter");
    const placed = pasted.replace("One", "![Column](Images/Column.png)\nOne");
    await has(`A ${placed}`);
    assert.equal(await browser.run(() => document.activeElement.title), "Put into the text");
    await browser.press("control+z");
    await has(`A ${pasted}`);
    server.docpkg(pasted, "edit", "Trip.imageNotes", "--text-file", "-");
    await has(pasted);

    // Another picture of the same name is shown, and the line of a removed one stays as words.
    const [, before] = await browser.run(shown);
    const other = join(server.root, "Dawn.png");
    writeFileSync(other, Buffer.concat([readFileSync(join(demo, "Dawn.png")), Buffer.from("more")]));
    server.docpkg("", "edit", "Trip.imageNotes", "--replace-image", `Dawn.png=${other}`);
    await until("the other picture", async () => (await browser.run(shown))[1].address !== before.address);
    server.docpkg("", "edit", "Trip.imageNotes", "--remove-image", "Dawn.png");
    await until("words only", () => browser.run(() => [...document.querySelectorAll(".missing-picture")].map((e) => e.textContent).includes("![Dawn](Images/Dawn.png)\n")));
    assert.equal((await browser.run(look)).text, pasted);

    // On paper, the column shows the pictures that the text does not.
    const inColumn = await browser.run(() => {
      dispatchEvent(new Event("beforeprint"));
      return [...document.querySelectorAll("li.image:not(.in-text) img")].map((image) => image.alt);
    });
    assert.deepEqual(inColumn, ["Column.png"]);

    // A text of Markdown is imported with the pictures that are chosen together with it.
    await server.showLibrary(browser);
    const markdown = Buffer.from("# Peaks\n\n![Dawn](img/Dawn.png)\n\nand ![no](img/Gone.png)\n").toString("base64");
    await browser.run(give, "drop", "body", [["Peaks.md", markdown], ["Dawn.png", bytesOf("Dawn.png")], ["Other.png", bytesOf("Dawn.png")]]);
    await until("the missing picture", () => browser.run(() => document.querySelector("#alerts .alert-text")?.textContent === "“Peaks” was imported without the picture “img/Gone.png”. To import them, too, choose the text and its pictures together."));
    await until("two documents more", () => browser.run(() => document.querySelectorAll(".row-name").length === 3));
    assert.equal(server.docpkg("", "cat", "Peaks.imageNotes", "Text.txt"), "# Peaks\n\n![Dawn](Images/Dawn.png)\n\nand ![no](img/Gone.png)\n");
    assert.deepEqual(JSON.parse(server.docpkg("", "show", "Peaks.imageNotes", "--json")).images.map(({ name }) => name), ["Dawn.png"]);
    assert.equal(JSON.parse(server.docpkg("", "show", "Other.imageNotes", "--json")).images.length, 1);
    console.log(`${engine}: pictures are in their places`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
