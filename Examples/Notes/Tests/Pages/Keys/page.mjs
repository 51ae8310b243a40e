// A server with documents in a folder of its own, and what a test sees and does in a document's page.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open, until } from "./webdriver.mjs";

const docpkg = process.env.DOCPKG ?? "docpkg";

// What the page shows, read without the editor's own modules.
export const look = () => {
  const host = document.querySelector("#text");
  const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
  const place = (node, offset) => {
    if (!host.contains(node)) return null;
    const range = document.createRange();
    range.selectNodeContents(host);
    range.setEnd(node, offset);
    return range.toString().length;
  };
  const chunks = [...host.children].map((chunk) => chunk.textContent.length);
  return { text: host.textContent, anchor: place(anchorNode, anchorOffset), focus: place(focusNode, focusOffset), chunks };
};

export const select = (anchor, focus) => {
  const walker = document.createTreeWalker(document.querySelector("#text"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const place = (offset) => {
    for (const node of nodes) {
      if (offset < node.length || node === nodes.at(-1)) return [node, offset];
      offset -= node.length;
    }
    return [document.querySelector("#text"), 0];
  };
  document.querySelector("#text").focus({ preventScroll: true });
  getSelection().setBaseAndExtent(...place(anchor), ...place(focus));
};

export const paste = (text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  // Firefox has names of its own.
  const init = { clipboardData, data: text, dataType: "text/plain", bubbles: true, cancelable: true };
  document.querySelector("#text").dispatchEvent(new ClipboardEvent("paste", init));
};

/** The number of answers to undo and redo. */
export const countAnswers = () => performance.getEntriesByType("resource").filter(({ name }) => /\/(un|re)do$/.test(name)).length;

export class Server {
  async start() {
    this.root = mkdtempSync(join(tmpdir(), "pages-"));
    this.notes = join(this.root, "Notes");
    mkdirSync(this.notes);
    this.env = { ...process.env, XDG_STATE_HOME: join(this.root, "state"), XDG_CACHE_HOME: join(this.root, "cache") };
    this.process = spawn(docpkg, ["serve", this.notes, "--port", "0"], { env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    this.process.stdout.on("data", (data) => (output += data));
    this.address = await until("the server's address", () => /^(http\S+)\n/.exec(output)?.[1]);
  }

  docpkg(input, ...args) {
    const run = spawnSync(docpkg, args, { input, env: this.env, cwd: this.notes });
    assert.equal(run.status, 0, String(run.stderr));
    return String(run.stdout);
  }

  /** Makes a document with the images of some files, opens it in the browser, and puts the caret into it. */
  async openDocument(browser, name, text, images = []) {
    const options = images.flatMap((image) => ["--image", image]);
    this.docpkg(text, "new", `${name}.imageNotes`, "--text-file", "-", ...options, "--quiet");
    await browser.go(new URL("/", this.address).href);
    const find = (name) => [...document.querySelectorAll(".row-name")].find((e) => e.textContent === name)?.href;
    await browser.go(await until("the document's row", () => browser.run(find, name)));
    await until("the document", () => browser.run(() => document.body?.dataset.ready));
    await browser.run(() => performance.setResourceTimingBufferSize(100_000));
    // A click may hit a picture.
    await browser.run(select, 0, 0);
    assert.equal((await browser.run(look)).text, text, "the page shows the text");
  }

  /** The saved text, once the light says that all edits are durable. */
  async saved(browser, name) {
    await until("the save", () => browser.run(() => document.querySelector("#light")?.dataset.light === "saved"));
    return this.docpkg("", "cat", `${name}.imageNotes`, "Text.txt");
  }

  /** Opens a browser, and the library in it. */
  async openLibrary(name) {
    const browser = await open(name);
    await this.showLibrary(browser);
    return browser;
  }

  /** Goes to the address that the server printed, and waits for the list. */
  async showLibrary(browser) {
    await browser.go(this.address);
    await until("the library", () => browser.run(() => location.pathname === "/" && location.search === "" && document.body?.dataset.ready));
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill();
    await ended;
    rmSync(this.root, { recursive: true, force: true });
  }
}
