// The list of the library: sections, pins, quiet rows, downloads and printing.
//
// usage: DOCPKG=… node shelving.mjs chromium|firefox
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { Server } from "../Keys/page.mjs";
import { until } from "../Keys/webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

/** The lines of the list, from the top: headings and names. */
const look = () =>
  [...document.querySelectorAll(".section-row h2, .row-name")]
    .map((e) => [e.getBoundingClientRect().top, e.textContent])
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text);

const edges = () => {
  const left = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().left);
  return [left("h1"), left(".section-row h2"), left(".row-thumb")];
};

const shows = (browser, ...lines) => until(`the lines ${lines}`, async () => JSON.stringify(await browser.run(look)) === JSON.stringify(lines));

async function choose(browser, name, ...actions) {
  const button = (name) => {
    const row = [...document.querySelectorAll(".row")].find((row) => row.querySelector(".row-name").textContent === name);
    row?.querySelector(".row-menu").click();
    return row !== undefined;
  };
  await until(`the row of ${name}`, () => browser.run(button, name));
  for (const action of actions) await browser.click(`#menu [data-action=${action}]`);
}

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    const day = 86_400;
    const today = Date.now() / 1000;
    const noon = new Date().setHours(12, 0, 0, 0) / 1000;
    for (const [name, date] of [["New", today], ["Old", noon - day], ["Older", noon - 4 * day]]) {
      server.docpkg("", "new", `${name}.imageNotes`, "--text", `${name}\nThe text.`, "--quiet");
      utimesSync(join(server.notes, `${name}.imageNotes`), date, date);
    }
    browser = await server.openLibrary(engine);
    await shows(browser, "Today", "New", "Yesterday", "Old", "Previous 7 days", "Older");
    assert.deepEqual(new Set(await browser.run(edges)).size, 1, "all begin at one line");
    assert.equal(await browser.run(() => document.querySelector(".row").textContent.match(/\d B|\d KB|cloud/)), null);

    await choose(browser, "Older", "pin");
    await shows(browser, "Pinned", "Older", "Today", "New", "Yesterday", "Old");
    server.docpkg("", "edit", "Old.imageNotes", "--append", "More.", "--quiet");
    await shows(browser, "Pinned", "Older", "Today", "Old", "New");
    await browser.click("#search");
    await browser.press("o", "l");
    await shows(browser, "Old", "Older");
    await browser.press("control+a", "backspace");
    await shows(browser, "Pinned", "Older", "Today", "Old", "New");

    const facts = () => document.querySelector("#menu .menu-info")?.textContent ?? null;
    await choose(browser, "New");
    assert.match(await browser.run(facts), /^\d+ B$/, "the menu tells the size");
    await browser.click("#menu [data-action=open]");
    await until("the document", () => browser.run(() => location.pathname.startsWith("/d/") && document.body?.dataset.ready));
    await browser.click("#export");
    const entries = () => [...document.querySelectorAll("#menu [data-action]")].map((e) => e.dataset.action);
    assert.deepEqual(await browser.run(entries), ["zip", "markdown", "html", "print"]);
    await browser.press("escape");

    // The browser's own print, with the style sheet for paper.
    const pdf = Buffer.from(await browser.command("Print", "POST /print", {}), "base64");
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    await server.showLibrary(browser);
    await choose(browser, "Older", "unpin");
    await shows(browser, "Today", "Old", "New", "Previous 7 days", "Older");
    console.log(`${engine}: ${pdf.length} bytes of PDF`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
