import assert from "node:assert/strict";
import test from "node:test";
import { ChunkedText, difference, normalized } from "../../Sources/Pages/text.js";
import { differences } from "../../Sources/Pages/differences.js";
import { append, applied, compact, moved, transform } from "../../Sources/Pages/splices.js";
import { randomNumbers } from "./server.mjs";

function randomText(random, length, pictures = false) {
  const parts = ["a", "word ", "line\n", "\r\n", "\r", "\n", "😀", "é", "a line that is rather long, with more words\n"];
  if (pictures) parts.push("\n![Peak](Images/7.png)\n", " ![a b](<Images/a b.png>) \r\n", "![", "](", ")");
  let text = "";
  while (text.length < length) text += parts[random(parts.length)];
  return text;
}

/** Whether a line names a picture, by a rule that is enough for these texts. */
function isPicture(line) {
  return /^[ \t]*!\[[^\]\r\n]*\]\([^\r\n]*[^ \t\r\n][^\r\n]*\)[ \t]*\r?\n?$/.test(line);
}

function boundary(text, offset) {
  const unit = text.charCodeAt(offset);
  return unit >= 0xdc00 && unit < 0xe000 ? offset - 1 : offset;
}

function checkChunks(text) {
  text.chunks.forEach((chunk, index) => {
    assert.equal(chunk.index, index);
    if (chunk !== text.last) assert.ok(chunk.text.endsWith("\n"), "PT1: a chunk ends with a line's end");
    if (chunk !== text.last) assert.notEqual(chunk.text, "", "PT1: no chunk but the last is empty");
    const lines = chunk.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    if (lines.length > 1) assert.deepEqual(lines.filter(isPicture), [], "PT5: the line of a picture is a chunk");
  });
  assert.ok(!(isPicture(text.last.text) && text.last.text.endsWith("\n")), "PT5: the last chunk is no such line with a line end");
  assert.match(text.chunks[0].text, /^[^\n]*\n?$/, "PT4: the first chunk is one line");
}

/** What a view shows after it did what a splice told it. */
function checkView(view, change, text) {
  for (const chunk of change.removed) view.delete(chunk);
  if (change.replace) view.set(change.chunk, applied([change.replace], view.get(change.chunk)));
  for (const chunk of change.added) view.set(chunk, chunk.text);
  assert.equal(view.size, text.chunks.length);
  for (const chunk of text.chunks) assert.equal(view.get(chunk), chunk.text, "the view shows the chunk");
}

test("a text in chunks is the same as a plain text", () => {
  for (let seed = 0; seed < 120; seed++) {
    const random = randomNumbers(seed);
    const pictures = seed % 2 === 1;
    let plain = randomText(random, random(seed % 4 === 3 ? 300 : 60000), pictures);
    const text = new ChunkedText(plain);
    const view = new Map(text.chunks.map((chunk) => [chunk, chunk.text]));
    checkChunks(text);
    for (let count = 0; count < 60; count++) {
      const at = boundary(plain, random(plain.length + 1));
      const far = random(5) === 0 ? random(30000) : random(20);
      const end = boundary(plain, Math.min(plain.length, at + random(far + 1)));
      const ins = random(3) === 0 ? "" : randomText(random, random(12) === 0 ? 20000 : random(20), pictures);
      const splice = [at, Math.max(0, end - at), ins];
      checkView(view, text.splice(splice), text);
      plain = applied([splice], plain);
      assert.equal(text.toString(), plain);
      assert.equal(text.length, plain.length);
      checkChunks(text);
      const from = random(plain.length + 1);
      const to = random(plain.length + 1);
      assert.equal(text.slice(from, to), plain.slice(from, Math.max(from, to)));
      const { chunk, at: inside } = text.locate(from);
      assert.equal(text.startOf(chunk) + inside, from);
    }
  }
});

test("what a view shows already is adopted and settled", () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = randomNumbers(seed + 100);
    let plain = randomText(random, seed % 3 === 0 ? 200 : 20000, true);
    const text = new ChunkedText(plain);
    for (let count = 0; count < 60; count++) {
      const chunk = text.chunks[random(text.chunks.length)];
      const at = random(chunk.text.length + 1);
      const splice = [at, random(2) === 0 ? random(chunk.text.length - at + 1) : 0, randomText(random, random(300), true)];
      const start = text.startOf(chunk);
      text.adopt(chunk, splice);
      text.settle(chunk);
      plain = applied([[start + at, splice[1], splice[2]]], plain);
      assert.equal(text.toString(), plain);
      assert.equal(text.length, plain.length);
      checkChunks(text);
    }
  }
});

test("one splice tells the difference of two texts and divides no surrogate pair", () => {
  assert.deepEqual(difference("aaa", "aaaa", 2), [1, 0, "a"]);
  assert.deepEqual(difference("aaaa", "aaa", 1), [1, 1, ""]);
  assert.deepEqual(difference("x😀y", "x😁y"), [1, 2, "😁"]);
  assert.deepEqual(difference("😀😁", "😀"), [2, 2, ""]);
  for (let seed = 0; seed < 500; seed++) {
    const random = randomNumbers(seed);
    const [before, now] = [randomText(random, random(20)), randomText(random, random(20))];
    const splice = difference(before, now, random(2) === 0 ? random(now.length + 1) : undefined);
    assert.equal(applied([splice], before), now);
    assert.ok(splice[2].isWellFormed() && before.slice(0, splice[0]).isWellFormed());
    assert.ok(before.slice(splice[0] + splice[1]).isWellFormed());
  }
});

test("differences by line and word make the new text", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = randomNumbers(seed);
    const before = randomText(random, random(400));
    const now = applied([[Math.min(5, before.length), Math.min(random(20), Math.max(0, before.length - 5)), randomText(random, random(30))]], before);
    let shift = 0;
    const splices = differences(before, now).map(([at, del, ins]) => {
      const splice = [at + shift, del, ins];
      shift += ins.length - del;
      return splice;
    });
    assert.equal(applied(splices, before), now);
  }
  assert.deepEqual(differences("one two three\n", "one 2 three\n"), [[4, 3, "2"]]);
  assert.deepEqual(differences("a\nb\nc\n", "a\nc\nd\n"), [[2, 2, ""], [6, 0, "d\n"]]);
});

test("joined splices make the same text", () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = randomNumbers(seed);
    let text = "0123456789";
    const start = text;
    const list = [];
    for (let count = 0; count < 6; count++) {
      const at = random(text.length + 1);
      const splice = [at, Math.min(random(4), text.length - at), "xyz".slice(random(4))];
      text = applied([splice], text);
      append(list, splice);
    }
    assert.equal(applied(compact(list), start), text);
  }
  assert.deepEqual(compact([[5, 0, "a"], [6, 0, "b"]]), [[5, 0, "ab"]]);
  assert.deepEqual(compact([[5, 1, ""], [4, 1, ""]]), [[4, 2, ""]]);
});

test("both orders of two lists make the same text", () => {
  for (let seed = 0; seed < 3000; seed++) {
    const random = randomNumbers(seed);
    const text = "0123456789";
    const lists = ["abc", "XYZ"].map((letters) => {
      let length = text.length;
      return Array.from({ length: random(4) }, () => {
        const at = random(length + 1);
        const splice = [at, Math.min(random(5), length - at), letters.slice(random(4))];
        length += splice[2].length - splice[1];
        return splice;
      });
    });
    const [first, second] = transform(...lists);
    assert.equal(applied(second, applied(lists[0], text)), applied(first, applied(lists[1], text)));
  }
});

test("the rules of the transform", () => {
  assert.deepEqual(transform([[3, 0, "a"]], [[3, 0, "b"]]), [[[3, 0, "a"]], [[4, 0, "b"]]]);
  assert.deepEqual(transform([[2, 4, ""]], [[4, 0, "b"]]), [[[2, 2, ""], [3, 2, ""]], [[2, 0, "b"]]]);
  assert.deepEqual(transform([[2, 4, ""]], [[4, 4, ""]]), [[[2, 2, ""]], [[2, 2, ""]]]);
});

test("an offset stays at its text", () => {
  assert.equal(moved(5, [[2, 0, "abc"]]), 8);
  assert.equal(moved(5, [[5, 0, "abc"]]), 5);
  assert.equal(moved(5, [[3, 4, "x"]]), 3);
  assert.equal(moved(8, [[3, 4, "x"]]), 5);
});

test("text from outside gets plain line ends and whole characters", () => {
  assert.equal(normalized("a\r\nb\rc\nd\ud800"), "a\nb\nc\nd\ufffd");
  assert.equal(normalized("😀"), "😀");
});

test("a slice beyond the ends is what is there", () => {
  const text = new ChunkedText("one\ntwo");
  assert.equal(text.slice(-1, 1), "o");
  assert.equal(text.slice(5, 99), "wo");
  assert.equal(new ChunkedText("").slice(-1, 1), "");
});
