// The history of a document by sessions, with the changed words.
//
// usage: DOCPKG=… node remembering.mjs chromium|firefox
import assert from "node:assert/strict";
import { Server } from "../Keys/page.mjs";
import { until } from "../Keys/webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

const look = () => {
  const visible = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).map((e) => e.textContent);
  return {
    title: document.querySelector("h1").textContent,
    computer: visible("#computer")[0] ?? null,
    rows: visible("button.version").length,
    opener: visible(".session-toggle")[0] ?? null,
    words: visible(".version-words"),
    rest: visible(".version-rest"),
    added: visible("#text-changes ins"),
    removed: visible("#text-changes del"),
  };
};

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    const sentence = "A sentence of the beginning that stays as it is. ";
    server.docpkg("", "new", "Alps.imageNotes", "--text", `${sentence.repeat(8)}The hut.`, "--quiet");
    server.docpkg("", "versions", "start", "Alps.imageNotes");
    for (const end of ["The hut at", "The hut at last", "The hut at last, and snow."]) {
      server.docpkg("", "edit", "Alps.imageNotes", "--text", sentence.repeat(8) + end, "--quiet");
    }
    browser = await server.openLibrary(engine);
    const find = () => document.querySelector(".row-name")?.href;
    await browser.go(`${await until("the row", () => browser.run(find))}/history`);
    await until("the history", () => browser.run(() => document.body?.dataset.ready));
    await until("the words", async () => (await browser.run(look)).words.length > 0);
    const first = await browser.run(look);
    assert.equal(first.title, "History of Alps");
    assert.match(first.computer, /^Saved on ./);
    assert.deepEqual(first.rest, [], "the computer is named once");
    assert.equal(first.rows, 1, "a minute of writing is one row");
    assert.match(first.opener, /^\d+ versions$/);

    await browser.click(".session-toggle");
    await until("all words", async () => (await browser.run(look)).words.length >= 4);
    const opened = await browser.run(look);
    assert.ok(opened.rows >= 4);
    assert.ok(opened.words.some((words) => words.includes("and snow")));
    await browser.click(".session li button.version");
    // The words of the session, which the page shows before, are all words of the beginning.
    await until("the changed words alone", async () => {
      const added = (await browser.run(look)).added.join("");
      return added.includes("and snow") && !added.includes("sentence");
    });
    console.log(`${engine}: ${opened.rows} rows`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
