import assert from "node:assert/strict";
import test from "node:test";
import { isMarkdown, missingWords, namedIn } from "../../Sources/Pages/loose-files.js";

test("a text has the files whose names are in it", () => {
  const files = ["Dawn.png", "a b.png", "Zürich.png", "Other.png", "DAWN.png"].map((name) => ({ name }));
  const text = "![](img/dawn.png) ![](a%20b.png) ![](Zu\u0308rich.png)";
  assert.deepEqual(namedIn(text, files).map(({ name }) => name), ["Dawn.png", "a b.png", "Zürich.png"]);
  assert.deepEqual(namedIn("", files), []);
});

test("Markdown is known by its extension", () => {
  assert.ok(["a.md", "a.MARKDOWN", "a.b.mkd"].every((name) => isMarkdown({ name })));
  assert.ok(!["md", "a.md.png", "a.txt"].some((name) => isMarkdown({ name })));
});

test("missing pictures are named with the thing to do", () => {
  const { message, advice } = missingWords("Trip", ["a.png", "b.png"]);
  assert.equal(message, "“Trip” was imported without the pictures “a.png”, “b.png”.");
  assert.match(advice, /together/);
});
