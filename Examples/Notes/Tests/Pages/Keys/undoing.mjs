// Undo in the editor of `docpkg serve`, by real keys.
//
// usage: DOCPKG=… node undoing.mjs chromium|firefox
import assert from "node:assert/strict";
import { look, paste, select, Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium"] = process.argv.slice(2);

class Page {
  constructor(browser) {
    this.browser = browser;
  }

  async text(expected) {
    const has = (text) => document.querySelector("#text").textContent === text;
    await until(`the text ${JSON.stringify(expected)} instead of ${JSON.stringify((await this.browser.run(look)).text.slice(0, 200))}`, () => this.browser.run(has, expected));
  }

  async type(text) {
    await this.browser.press(...[...text].map((letter) => (letter === "\n" ? "enter" : letter)));
  }

  async undo(...texts) {
    for (const text of texts) {
      await this.browser.press("control+z");
      await this.text(text);
    }
  }

  async redo(...texts) {
    for (const text of texts) {
      await this.browser.press("control+shift+z");
      await this.text(text);
    }
  }
}

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    const page = new Page(browser);
    const open = async (name, text) => {
      await server.openDocument(browser, name, text);
      // A slow machine makes pauses between keys, which are steps of their own.
      await browser.run(() => void (performance.now = () => 0));
    };

    await open("Steps", "");
    await page.type("One two. Three (four!) five\nsix");
    await browser.run(paste, "P. Q. R.");
    await page.type("seven");
    await browser.press("backspace", "backspace");
    const steps = ["", "One two. ", "One two. Three (four!) ", "One two. Three (four!) five\n", "One two. Three (four!) five\nsix"];
    steps.push(steps.at(-1) + "P. Q. R.", steps.at(-1) + "P. Q. R.seven", steps.at(-1) + "P. Q. R.sev");
    await page.text(steps.at(-1));
    await page.undo(...steps.slice(0, -1).reverse());
    await page.redo(...steps.slice(1));

    await open("Long sentence", "");
    const words = "and so on ".repeat(24);
    await page.type(words);
    await page.text(words);
    await page.undo(words.slice(0, 200), words.slice(0, 100), "");

    await open("Other program", "One");
    await browser.press("control+end");
    await page.type(" two");
    await server.saved(browser, "Other program");
    server.docpkg("", "edit", "Other program.imageNotes", "--append", "three");
    await page.text("One two\nthree\n");
    await page.undo("One\nthree\n");
    await page.redo("One two\nthree\n");

    // The view goes to the place, also if the keyboard's focus is on the button.
    const lines = Array.from({ length: 300 }, (_, index) => `Line ${index}\n`).join("");
    await open("Far away", lines);
    for (const byButton of [false, true]) {
      await browser.run(select, 0, 0);
      await page.type("Top ");
      await page.text("Top " + lines);
      await browser.run(() => scrollTo(0, document.documentElement.scrollHeight));
      if (byButton) await browser.click("#undo");
      else await browser.press("control+z");
      await page.text(lines);
      await until("the place of the undo in sight", () => browser.run(() => scrollY < 300));
    }
    console.log(`${engine}: undo is right`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
