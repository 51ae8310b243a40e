// A search of the library, from the list to the hits in a document.
//
// usage: DOCPKG=… node searching.mjs chromium|firefox
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Server } from "../Keys/page.mjs";
import { until } from "../Keys/webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

const look = () => ({
  rows: [...document.querySelectorAll(".row")].map((row) => ({
    name: row.querySelector(".row-name").textContent,
    line: row.querySelector(".row-line").textContent,
    marks: [...row.querySelectorAll("mark")].map((mark) => mark.textContent),
  })),
  count: document.querySelector("#count").textContent,
});

const lookAtHits = () => {
  const words = (name) => [...(CSS.highlights.get(name) ?? [])].map(String);
  const [now] = CSS.highlights.get("hit") ?? [];
  const place = now?.getBoundingClientRect();
  return {
    hits: words("hits"),
    hit: words("hit"),
    count: document.querySelector("#found").hidden ? null : document.querySelector("#found-count").textContent,
    isVisible: place ? place.top > 0 && place.bottom < window.innerHeight : false,
  };
};

async function search(browser, words) {
  await browser.click("#search");
  await browser.press("control+a", ...words);
}

async function rows(browser, names) {
  await until(`the rows ${names}`, async () => {
    const { rows } = await browser.run(look);
    return JSON.stringify(rows.map(({ name }) => name).sort()) === JSON.stringify(names);
  });
}

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    const filler = "A line of the long text.\n".repeat(800);
    server.docpkg(`First line\n\n${filler}The Zürich valley,\n${filler}and a VALLEY.\n`, "new", "Long.imageNotes", "--text-file", "-", "--quiet");
    server.docpkg("Boats\nin the harbour", "new", "Short.imageNotes", "--text-file", "-", "--quiet");
    browser = await server.openLibrary(engine);

    await search(browser, "valley");
    await rows(browser, ["Long"]);
    await until("the excerpt", async () => (await browser.run(look)).rows[0].marks.includes("valley"));
    assert.match((await browser.run(look)).rows[0].line, /Zürich valley/);
    await search(browser, "zurich val");
    await until("both words", async () => (await browser.run(look)).rows[0]?.marks.join() === "Zürich,valley");
    await search(browser, "sho");
    await rows(browser, ["Short"]);

    // A change of another program, while the search is on.
    await search(browser, "anchor");
    await rows(browser, []);
    server.docpkg("", "edit", "Short.imageNotes", "--append", "The anchor.", "--quiet");
    await rows(browser, ["Short"]);

    await search(browser, "valley");
    await rows(browser, ["Long"]);
    await browser.press("enter", "enter");
    await until("the document", () => browser.run(() => location.pathname.startsWith("/d/") && document.body?.dataset.ready));
    await until("the first hit", async () => (await browser.run(lookAtHits)).isVisible);
    assert.deepEqual(await browser.run(lookAtHits), { hits: ["valley", "VALLEY"], hit: ["valley"], count: "1 of 2", isVisible: true });
    await browser.click("#found-next");
    await until("the second hit", async () => (await browser.run(lookAtHits)).isVisible);
    assert.deepEqual((await browser.run(lookAtHits)).hit, ["VALLEY"]);
    await browser.click("#found-end");
    assert.deepEqual(await browser.run(lookAtHits), { hits: [], hit: [], count: null, isVisible: false });

    // A hit in a caption marks the caption.
    const picture = fileURLToPath(new URL("../../../../../Fixtures/Images/ridge.png", import.meta.url));
    await server.openDocument(browser, "Walk", "Walks\nwith a lantern", [picture]);
    await browser.click(".caption");
    await browser.press(..."Its lantern");
    await browser.click("#text");
    await until("the caption", () => browser.run(() => document.querySelector("#light").dataset.light === "saved"));
    await browser.go(new URL("/", server.address).href);
    await search(browser, "lantern");
    await rows(browser, ["Walk"]);
    await browser.press("enter", "enter");
    await until("the document", () => browser.run(() => location.pathname.startsWith("/d/") && document.body?.dataset.ready));
    await until("the hit in the text", async () => (await browser.run(lookAtHits)).count === "1 of 2");
    await browser.click("#found-next");
    const marked = () => [...document.querySelectorAll(".caption.has-hit.hit")].map((field) => field.value);
    await until("the hit in the caption", async () => (await browser.run(marked)).join() === "Its lantern");
    assert.deepEqual((await browser.run(lookAtHits)).hit, []);
    await browser.click("#found-end");
    assert.equal(await browser.run(() => document.querySelectorAll(".has-hit, .hit").length), 0);
    console.log(`${engine}: searched`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
