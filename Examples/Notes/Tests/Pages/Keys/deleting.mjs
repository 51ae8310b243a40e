// Real keys in the editor of `docpkg serve`, compared with a model after each event.
//
// usage: DOCPKG=… node deleting.mjs chromium|firefox [first seed] [number of seeds] [events]
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomNumbers } from "../server.mjs";
import { charactersOf, deleted, pieces, textOf } from "./model.mjs";
import { countAnswers, look, paste, select, Server } from "./page.mjs";
import { until } from "./webdriver.mjs";

const [engine = "chromium", first = "0", count = "3", events = "60"] = process.argv.slice(2);

const fire = (inputType) => document.querySelector("#text").dispatchEvent(new InputEvent("beforeinput", { inputType, bubbles: true, cancelable: true }));

const keys = {
  deleteContentBackward: "backspace",
  deleteContentForward: "delete",
  deleteWordBackward: "control+backspace",
  deleteWordForward: "control+delete",
};
const lineKinds = ["deleteSoftLineBackward", "deleteSoftLineForward", "deleteHardLineBackward", "deleteHardLineForward"];
const moves = ["left", "right", "up", "down", "home", "end", "control+left", "control+right", "control+home", "control+end", "shift+left", "shift+right", "shift+up", "shift+end", "shift+control+left"];

class Round {
  constructor(browser, random, name) {
    Object.assign(this, { browser, random, name, events: 0, log: [] });
  }

  async state() {
    const state = await this.browser.run(look);
    return { ...state, from: Math.min(state.anchor, state.focus), to: Math.max(state.anchor, state.focus) };
  }

  /** Offsets between characters: a caret is nowhere else. */
  offsets(text) {
    const offsets = [0];
    for (const [, part] of charactersOf(text)) offsets.push(offsets.at(-1) + part.length);
    return offsets;
  }

  /** A place: anywhere, or at a border of chunks. */
  place(state, offsets) {
    const { random } = this;
    if (random(2) === 0 && state.chunks.length > 1) {
      let border = 0;
      for (let index = random(state.chunks.length) + 1; index > 0; index--) border += state.chunks[index - 1];
      const near = offsets.findIndex((offset) => offset >= border);
      return offsets[Math.max(0, Math.min(offsets.length - 1, near + random(3) - 1))];
    }
    return offsets[random(4) === 0 ? offsets.length - 1 : random(offsets.length)];
  }

  /** Moves or selects, without a model of its own. */
  async move(state) {
    const { random } = this;
    const offsets = this.offsets(state.text);
    if (random(2) === 0) {
      await this.browser.press(moves[random(moves.length)]);
    } else {
      const anchor = this.place(state, offsets);
      const isRange = random(3) === 0;
      const near = offsets[Math.max(0, Math.min(offsets.length - 1, offsets.indexOf(anchor) + random(41) - 20))];
      await this.browser.run(select, anchor, !isRange ? anchor : random(3) === 0 ? this.place(state, offsets) : near);
    }
    let now = await this.state();
    const after = this.offsets(now.text);
    if (now.anchor === null || !after.includes(now.anchor) || !after.includes(now.focus)) {
      await this.browser.run(select, after.at(-1), after.at(-1));
      now = await this.state();
    }
    if (random(3) === 0) await this.browser.run((part) => scrollTo(0, part * document.documentElement.scrollHeight), random(5) / 4);
    return now;
  }

  /** One edit by real keys: the page then has the model's text and caret. Undo may go back to what it passes. */
  async edit(before) {
    const { random, browser } = this;
    const { text, from, to } = before;
    const lineEnd = /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n";
    const replace = (ins) => ({ text: text.slice(0, from) + ins + text.slice(to), caret: from + ins.length });
    const kinds = [...Object.keys(keys), ...Object.keys(keys), ...lineKinds];
    const kind = kinds[random(kinds.length)];
    switch (random(12)) {
      case 0: case 1: {
        const letters = Array.from({ length: 1 + random(4) }, () => pieces.typed[random(pieces.typed.length)]);
        await browser.press(...letters.flatMap((letter) => [...letter]));
        const typed = [...letters.join("")];
        return ["type " + letters.join(""), replace(letters.join("")), typed.map((_, end) => replace(typed.slice(0, end).join("")))];
      }
      case 2:
        await browser.press("enter");
        return ["enter", replace(lineEnd)];
      case 3: {
        const words = textOf(random, 1 + random(12));
        await browser.run(paste, words);
        return ["paste " + words, replace(words.replace(/\r?\n/g, lineEnd))];
      }
      case 4:
        await browser.press("enter", "backspace", "x", "backspace");
        return ["enter, backspace, x, backspace", replace(""), [lineEnd, "x"].map(replace)];
      default: {
        // A line that the window shows as several lines is tested by itself.
        const wraps = kind.includes("SoftLine") && text.split("\n").some((line) => line.length > 60);
        const used = wraps ? "deleteContentBackward" : kind;
        if (keys[used]) await browser.press(keys[used]);
        else await browser.run(fire, used);
        const range = from < to ? { from, to } : deleted(text, from, used);
        return [used, { text: text.slice(0, range.from) + text.slice(range.to), caret: range.from }];
      }
    }
  }

  async undo(seen, key) {
    const before = await this.state();
    const isOn = await this.browser.run((id) => !document.getElementById(id).disabled, key === "control+z" ? "undo" : "redo");
    if (!isOn) return;
    const answers = await this.browser.run(countAnswers);
    await this.browser.press(key);
    await until("the answer", async () => (await this.browser.run(countAnswers)) > answers);
    // An edit that changed nothing, such as a letter and its deletion, changes nothing.
    let now = await this.state();
    for (let count = 0; count < 20 && now.text === before.text; count++) now = await this.state();
    assert.ok(seen.has(now.text), `${this.name}: ${key} leads to a text that was there before: ${JSON.stringify(now.text.slice(0, 300))}`);
    this.log.push(key);
  }

  async run(count) {
    const seen = new Set();
    for (; this.events < count; this.events++) {
      const before = await this.move(await this.state());
      seen.add(before.text);
      if (this.random(20) === 0) {
        await this.undo(seen, this.random(3) > 0 ? "control+z" : "control+shift+z");
        continue;
      }
      const [what, expected, passed = []] = await this.edit(before);
      for (const { text } of passed) seen.add(text);
      this.log.push(`${what} at ${before.from}..${before.to} of ${before.text.length}`);
      const after = await this.state();
      const place = (text, at) => JSON.stringify([text.slice(Math.max(0, at - 25), at), text.slice(at, at + 25)]);
      const context = `${this.name}, event ${this.events}, ${what}, before ${place(before.text, before.from)} to ${before.to}, chunks ${before.chunks}\n  model ${place(expected.text, expected.caret)}\n  page  ${place(after.text, after.focus)}`;
      if (after.text !== expected.text) throw new Error(`The texts differ (${expected.text.length} and ${after.text.length} units): ${context}`);
      if (after.anchor !== expected.caret || after.focus !== expected.caret) throw new Error(`The caret is at ${after.anchor}..${after.focus}, not at ${expected.caret}: ${context}`);
      seen.add(after.text);
    }
  }
}

/** The offsets of the units beside a caret that the window shows in the caret's line, measured one by one. */
const windowLine = (caret) => {
  const walker = document.createTreeWalker(document.querySelector("#text"), NodeFilter.SHOW_TEXT);
  let start = 0;
  while (walker.nextNode() && start + walker.currentNode.length <= caret) start += walker.currentNode.length;
  const node = walker.currentNode;
  const middle = (at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const { top, bottom } = range.getBoundingClientRect();
    return (top + bottom) / 2;
  };
  const own = middle(caret - start);
  const isHere = (at) => at >= 0 && at < node.length && node.data[at] !== "\n" && Math.abs(middle(at) - own) < 8;
  let [from, to] = [caret - start, caret - start];
  while (isHere(from - 1)) from--;
  while (isHere(to)) to++;
  return { from: from + start, to: to + start };
};

/** Deletions to the start and the end of a line that the window shows as several lines, also out of sight. */
async function checkWindowLines(browser, random) {
  for (let count = 0; count < 12; count++) {
    const { text } = await browser.run(look);
    let caret = random(text.length - 400) + 200;
    while (/\n/.test(text.slice(caret - 3, caret + 3))) caret += 3;
    await browser.run(select, caret, caret);
    const { from, to } = await browser.run(windowLine, caret);
    await browser.run((part) => scrollTo(0, part * document.documentElement.scrollHeight), (count % 3) / 2);
    const isForward = random(2) === 0;
    await browser.run(fire, isForward ? "deleteSoftLineForward" : "deleteSoftLineBackward");
    const [start, end] = isForward ? [caret, to] : [from < caret ? from : caret - 1, caret];
    const after = await browser.run(look);
    assert.equal(after.text, text.slice(0, start) + text.slice(end > start ? end : start + 1), `${engine}, count ${count}: the window's line from ${from} to ${to} at ${caret}`);
    assert.equal(after.focus, start);
  }
}

/** Waits until the light says that all edits are durable. */
const isSaved = (browser) => browser.run(() => document.querySelector("#light")?.dataset.light === "saved");

async function main() {
  const server = new Server();
  await server.start();
  let browser = null;
  try {
    browser = await server.openLibrary(engine);
    const picture = join(server.root, "b.png");
    copyFileSync(fileURLToPath(new URL("../../../../../Fixtures/Demo/Dawn.png", import.meta.url)), picture);
    let total = 0;
    let shown = 0;
    for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
      const random = randomNumbers(seed);
      // Short texts have one chunk, and the others have borders between chunks that are far below the window.
      const start = textOf(random, [0, 3, 40, 400, 9000][seed % 5]) + ["", "\n", "\r\n"][random(3)];
      await server.openDocument(browser, `Seed ${seed}`, start, [picture]);
      const round = new Round(browser, random, `${engine}, seed ${seed}`);
      await round.run(Number(events));
      total += round.events;
      shown += await browser.run(() => document.querySelectorAll(".picture-line").length);
      const saved = await server.saved(browser, `Seed ${seed}`);
      assert.equal(saved, (await round.state()).text, `${round.name}: the saved text is the page's text`);
    }
    const line = "A line that is longer than the window, with words as people write them. ".repeat(9);
    await server.openDocument(browser, "Long lines", `${line}\n`.repeat(30));
    await checkWindowLines(browser, randomNumbers(Number(first)));
    console.log(`${engine}: ${total} events in ${count} texts with ${shown} pictures, no difference`);
  } finally {
    await browser?.close();
    await server.stop();
  }
}

await main();
