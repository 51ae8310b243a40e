import assert from "node:assert/strict";
import test from "node:test";
import { marksIn, shownLine } from "../../Sources/Pages/text-marks.js";

/** The marks of a text, each as [kind, words]. */
const marks = (text) => marksIn(text).map(({ kind, from, to }) => [kind, text.slice(from, to)]);

test("lists have markers", () => {
  assert.deepEqual(marks("- one\n  * two\n12. three\r\n1) four\n• five"), [
    ["bullet", "-"],
    ["bullet", "*"],
    ["number", "12."],
    ["number", "1)"],
    ["bullet", "•"],
  ]);
  assert.deepEqual(marks("-one\n3.14 is pi\n---\nwell - no"), []);
});

test("check boxes are open or done", () => {
  assert.deepEqual(marks("[ ] milk\n- [x] bread and butter\r\n[X] \n[y] no\n[ ]"), [
    ["box", "[ ]"],
    ["lead", "-"],
    ["box", "[x]"],
    ["done", "bread and butter"],
    ["box", "[X]"],
    ["box", "[ ]"],
  ]);
});

test("links end before the signs of the sentence", () => {
  assert.deepEqual(marks("See https://example.org/a?b=c#d. (http://localhost:80/), or ftp://no"), [
    ["link", "https://example.org/a?b=c#d"],
    ["link", "http://localhost:80/"],
  ]);
});

test("a list of documents shows signs for marks", () => {
  const lines = ["- [ ] milk", "  * [X] bread", "[x] tea", "- two", "12. months", "a - b [ ]"];
  assert.deepEqual(lines.map(shownLine), ["☐ milk", "☑ bread", "☑ tea", "• two", "12. months", "a - b [ ]"]);
});
