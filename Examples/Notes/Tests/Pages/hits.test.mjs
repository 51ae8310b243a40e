import assert from "node:assert/strict";
import test from "node:test";
import { nearHit, Search } from "../../Sources/Pages/hits.js";

const hits = (text, search) => new Search(search).hits(text).map(([from, to]) => text.slice(from, to));

test("hits are the words that begin with a word of the search", () => {
  assert.deepEqual(hits("Three valleys, one Valley; evaluation", "val"), ["valleys", "Valley"]);
  assert.deepEqual(hits("a hut and huts", "hut and"), ["hut", "and", "huts"]);
  assert.deepEqual(hits("nothing", "else"), []);
  assert.deepEqual(hits("", "else"), []);
});

test("case, accents and the form of Unicode make no difference", () => {
  assert.deepEqual(hits("Zürich, ZU\u0308RICH, zurich", "ZÜR"), ["Zürich", "ZU\u0308RICH", "zurich"]);
  assert.deepEqual(hits("Ελλάδα", "ελλαδ"), ["Ελλάδα"]);
  assert.deepEqual(hits("Ёлка", "елка"), ["Ёлка"]);
});

test("signs inside of a word of the search part it, and its parts follow each other", () => {
  assert.deepEqual(hits("don't, don one t", "don't"), ["don't"]);
  assert.deepEqual(hits("rows 12-34 and 12 34", "12-3"), ["12-34", "12 34"]);
  assert.deepEqual(hits("any text", "-- !"), []);
});

test("scripts without spaces are found inside of a line", () => {
  assert.deepEqual(hits("今日は東京都です", "東京"), ["東京"]);
  assert.deepEqual(hits("ไปกรุงเทพ", "กรุง"), ["กรุง"]);
});

test("the number of hits has a bound", () => {
  assert.equal(new Search("a").hits("a ".repeat(100), 7).length, 7);
});

test("an excerpt begins some words before its first hit", () => {
  const text = "A long beginning of a sentence that goes on and on up to the valley and beyond";
  assert.equal(nearHit(text, new Search("valley")), "… on and on up to the valley and beyond");
  assert.equal(nearHit(text, new Search("long")), text);
  assert.equal(nearHit("x".repeat(50) + "谷", new Search("谷")), "… 谷");
});
