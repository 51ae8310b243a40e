import assert from "node:assert/strict";
import test from "node:test";
import { deletionRange } from "../../Sources/Pages/deletion.js";
import { ChunkedText } from "../../Sources/Pages/text.js";
import { charactersOf, deleted, textOf } from "./Keys/model.mjs";
import { randomNumbers } from "./server.mjs";

const units = ["Content", "Word", "SoftLine", "HardLine"];
const kinds = units.flatMap((unit) => [`delete${unit}Backward`, `delete${unit}Forward`]);

/** Each line of the window is its line: the layout is the browser's. */
const softLine = (text, caret) => () => text.lineAt(caret);

test("a deletion takes a character, a word or a line, across chunks too", () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = randomNumbers(seed);
    const whole = textOf(random, random(4) === 0 ? 12000 : 60);
    const text = new ChunkedText(whole);
    const offsets = [0];
    for (const [, part] of charactersOf(whole)) offsets.push(offsets.at(-1) + part.length);
    // The borders of some chunks, and other places.
    const some = Array.from({ length: 4 }, () => text.chunks[random(text.chunks.length)]);
    const borders = [...some, text.last].flatMap((chunk) => [-1, 0, 1].map((step) => offsets[offsets.indexOf(text.startOf(chunk)) + step] ?? 0));
    for (const caret of [...borders, ...Array.from({ length: 40 }, () => offsets[random(offsets.length)]), 0, whole.length]) {
      for (const kind of kinds) {
        const around = JSON.stringify(whole.slice(Math.max(0, caret - 30), caret + 30));
        assert.deepEqual(deletionRange(text, kind, caret, softLine(text, caret)), deleted(whole, caret, kind), `seed ${seed}, ${kind} at ${caret} of ${around}`);
      }
    }
  }
});

test("a line end at the end of the text can be deleted, and so can the last word", () => {
  const text = new ChunkedText("one two\n");
  assert.deepEqual(deletionRange(text, "deleteContentBackward", 8), { from: 7, to: 8 });
  assert.deepEqual(deletionRange(text, "deleteContentBackward", 7), { from: 6, to: 7 });
  assert.deepEqual(deletionRange(text, "deleteWordBackward", 7), { from: 4, to: 7 });
  assert.deepEqual(deletionRange(text, "deleteContentForward", 7), { from: 7, to: 8 });
  assert.deepEqual(deletionRange(text, "deleteContentForward", 8), { from: 8, to: 8 });
  assert.deepEqual(deletionRange(new ChunkedText(""), "deleteContentBackward", 0), { from: 0, to: 0 });
});

test("a deletion by the window's line takes its part of the line, and beyond it one character", () => {
  const text = new ChunkedText("one two three\n");
  const lineAt = () => ({ from: 4, to: 8 });
  assert.deepEqual(deletionRange(text, "deleteSoftLineBackward", 6, lineAt), { from: 4, to: 6 });
  assert.deepEqual(deletionRange(text, "deleteSoftLineForward", 6, lineAt), { from: 6, to: 8 });
  assert.deepEqual(deletionRange(text, "deleteSoftLineBackward", 4, lineAt), { from: 3, to: 4 });
  assert.deepEqual(deletionRange(text, "deleteEntireSoftLine", 6, lineAt), { from: 4, to: 8 });
});

test("a caret inside of a character deletes it as a whole, and a line of a million characters costs little", () => {
  const text = new ChunkedText("a👨‍👩‍👧b");
  assert.deepEqual(deletionRange(text, "deleteContentBackward", 3), { from: 1, to: 9 });
  assert.deepEqual(deletionRange(text, "deleteContentForward", 4), { from: 1, to: 9 });
  const long = new ChunkedText("words ".repeat(200_000));
  assert.deepEqual(deletionRange(long, "deleteWordBackward", 600_005), { from: 600_000, to: 600_005 });
  assert.deepEqual(deletionRange(long, "deleteHardLineBackward", 600_005), { from: 0, to: 600_005 });
});

test("an event that deletes a selection deletes nothing at a caret", () => {
  assert.deepEqual(deletionRange(new ChunkedText("one"), "deleteByCut", 1), { from: 1, to: 1 });
});
