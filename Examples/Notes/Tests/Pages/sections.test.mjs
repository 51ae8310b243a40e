import assert from "node:assert/strict";
import test from "node:test";
import { Lines, sectionOf } from "../../Sources/Pages/library-sections.js";

const now = new Date(2026, 10, 26, 14, 30);
const at = (...parts) => new Date(...parts).getTime();

test("documents are in sections by the day of their last change", () => {
  const cases = [
    [at(2026, 10, 26, 0, 0), "Today"],
    [at(2026, 10, 27, 9, 0), "Today"],
    [at(2026, 10, 25, 23, 59), "Yesterday"],
    [at(2026, 10, 24, 12, 0), "Previous 7 days"],
    [at(2026, 10, 19, 0, 0), "Previous 7 days"],
    [at(2026, 10, 18, 23, 59), "November"],
    [at(2026, 0, 1, 12, 0), "January"],
    [at(2025, 11, 31, 12, 0), "December 2025"],
  ];
  for (const [modified, name] of cases) assert.equal(sectionOf({ modified }, "newest", now), name);
  assert.equal(sectionOf({ modified: cases[0][0], pinned: true }, "newest", now), "Pinned");
  assert.equal(sectionOf({ modified: cases[0][0] }, "name", now), "Documents");
});

const heights = { row: 70, head: 50 };
const items = [..."aabbb"].map((name, index) => ({ id: `${name}${index}`, name }));

test("a section has its heading before its first document", () => {
  const lines = new Lines(items, ({ name }) => name, heights);
  const shown = lines.between(0, 1000, 0).map(({ key, top }) => `${key} ${top}`);
  assert.deepEqual(shown, ["section a 0", "a0 50", "a1 120", "section b 190", "b2 240", "b3 310", "b4 380"]);
  assert.equal(lines.height, 450);
  assert.equal(lines.of(2).top, 240);
});

test("the lines between two heights are those that a window shows", () => {
  const lines = new Lines(items, ({ name }) => name, heights);
  assert.deepEqual(lines.between(130, 260, 0).map(({ key }) => key), ["a1", "section b", "b2"]);
  assert.deepEqual(lines.between(130, 260, 1).map(({ key }) => key), ["a0", "a1", "section b", "b2", "b3"]);
  assert.deepEqual(lines.between(900, 1200, 0), []);
});

test("a selection, and a list with no section but that of all documents, have no headings", () => {
  for (const sectionOf of [null, () => "Documents"]) assert.equal(new Lines(items, sectionOf, heights).height, 350);
  assert.equal(new Lines([], null, heights).height, 0);
});
