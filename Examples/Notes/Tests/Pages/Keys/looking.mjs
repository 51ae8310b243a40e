// What a text looks like in the editor of `docpkg serve`: its first line, lists, check boxes, links, and directions.
//
// usage: DOCPKG=… node looking.mjs chromium|firefox
import assert from "node:assert/strict";
import { look, Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

/** The words that the browser paints as a mark of a kind. */
const painted = (kind) => [...CSS.highlights.get(kind)].map(({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset));

/** The place of the first occurrence of words: the rectangle of their first letter. */
const placeOf = (words) => {
  const walker = document.createTreeWalker(document.querySelector("#text"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + 1);
    const { left, right, top, bottom, height } = range.getBoundingClientRect();
    return { left, right, top, bottom, height };
  }
  return null;
};

/** The pictures of bullets and boxes, each with its name and the height of its middle in the window. */
const pictures = () =>
  [...document.querySelectorAll(".chunk")].flatMap((chunk) =>
    [...chunk.style.background.matchAll(/static\/([a-z-]+\.svg)"\) (?:no-repeat )?(-?\d+)px (-?\d+)px \/ (\d+)px/g)].map(([, name, , top, size]) => ({ name, y: chunk.getBoundingClientRect().top + Number(top) + Number(size) / 2 })),
  );

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    const text = "Shopping\n\n- [ ] milk\n- [x] bread\n* eggs\n1. see https://example.org/shop.\nend\n";
    await server.openDocument(browser, "List", text);
    const paints = (kind, expected) => until(`${kind} ${expected}`, async () => JSON.stringify(await browser.run(painted, kind)) === JSON.stringify(expected));
    await paints("bullet", ["*"]);
    await paints("box-lead", ["-", "-"]);
    await paints("list-number", ["1."]);
    await paints("check-box", ["[ ]", "[x]"]);
    await paints("done-words", ["bread"]);
    await paints("link", ["https://example.org/shop"]);

    // The document has one name for its text, and that is its first line.
    const heights = [await browser.run(placeOf, "Shopping"), await browser.run(placeOf, "end")].map(({ height }) => height);
    assert.ok(heights[0] > 1.3 * heights[1], `the first line is larger: ${heights}`);
    assert.equal(await browser.run(() => document.querySelector("#title").checkVisibility()), false);
    assert.equal(await browser.run(() => document.querySelector("h1").textContent), "List");
    server.docpkg("", "edit", "List.imageNotes", "--title", "A week");
    await until("the title", () => browser.run(() => document.querySelector("#title").checkVisibility() && document.querySelector("#title").value === "A week"));
    const { height } = await browser.run(placeOf, "Shopping");
    assert.ok(height < 1.1 * heights[1], `beside a title, the first line is a line: ${height}`);

    // Each bullet and each box is a picture at the place of its sign, also in a narrow window.
    const pictured = () => until("the pictures", async () => {
      const shown = await browser.run(pictures);
      const names = ["box.svg", "box-checked.svg", "bullet.svg"];
      const signs = [];
      for (const words of ["[ ] milk", "[x] bread", "* eggs"]) signs.push(await browser.run(placeOf, words));
      const fits = ({ top, bottom }, { y }) => y > top && y < bottom;
      return JSON.stringify(shown.map(({ name }) => name)) === JSON.stringify(names) && signs.every((sign, index) => fits(sign, shown[index]));
    });
    await pictured();
    await browser.run(() => (document.querySelector(".writing").style.width = "22em"));
    await pictured();
    await browser.run(() => (document.querySelector(".writing").style.width = ""));

    // A click on a box sets it, and undo clears it. The text stays plain.
    const click = async (words) => {
      const { left, right, top, bottom } = await browser.run(placeOf, words);
      await browser.clickAt(Math.round((left + right) / 2), Math.round((top + bottom) / 2));
    };
    const has = (expected) => until(expected, async () => (await browser.run(look)).text === expected);
    const done = text.replace("[ ] milk", "[x] milk");
    await click(" ] milk");
    await has(done);
    await paints("done-words", ["milk", "bread"]);
    assert.equal(await server.saved(browser, "List"), done);
    await browser.press("control+z");
    await has(text);
    await paints("done-words", ["bread"]);
    await click("x] bread");
    await has(text.replace("[x] bread", "[ ] bread"));
    await paints("done-words", []);

    // A Hebrew line begins at the right, its letters go to the left, and its full stop is the last of them.
    await server.openDocument(browser, "Hebrew", "Words\nשלום עולם.\nend\n");
    const places = [];
    for (const words of ["end", ".\nend", "ם.", "שלום"]) places.push((await browser.run(placeOf, words)).left);
    assert.deepEqual(places, places.toSorted((a, b) => a - b), `from the right: ${places}`);
    console.log(`${engine}: a text looks right`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
