import assert from "node:assert/strict";
import test from "node:test";
import { insertionOf, Places } from "../../Sources/Pages/places.js";
import { applied } from "../../Sources/Pages/splices.js";
import { ChunkedText } from "../../Sources/Pages/text.js";

test("lines that are put in are lines of their own", () => {
  const cases = [
    // The text with a caret, and the text afterwards with the caret behind the lines.
    ["|", "X\n|"],
    ["one|", "one\nX\n|"],
    ["|one", "X\n|one"],
    ["o|ne\ntwo", "o\nX\n|ne\ntwo"],
    ["one|\ntwo", "one\nX\n|two"],
    ["one\n|", "one\nX\n|"],
    ["one\n|\ntwo", "one\nX\n|\ntwo"],
    ["one|\r\ntwo\r\n", "one\r\nX\r\n|two\r\n"],
    ["![a](b)\n|", "![a](b)\nX\n|"],
  ];
  for (const [before, after] of cases) {
    const offset = before.indexOf("|");
    const plain = before.replace("|", "");
    const splice = insertionOf(["X"], new ChunkedText(plain), offset);
    const result = applied([splice], plain);
    const behind = splice[0] + splice[2].length;
    assert.equal(result.slice(0, behind) + "|" + result.slice(behind), after, JSON.stringify(before));
  }
  assert.deepEqual(insertionOf(["X", "Y"], new ChunkedText("a"), 0), [0, 0, "X\nY\n"]);
});

test("a place stays at its text until it is taken", () => {
  const places = new Places();
  const place = places.add(5);
  places.move([0, 1, "abc"]);
  assert.equal(places.take(place), 7);
  places.move([0, 0, "x"]);
  assert.equal(place.at, 7);
});
