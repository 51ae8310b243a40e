import assert from "node:assert/strict";
import test from "node:test";
import { pictureIn, pictureLineFrom, referenceTo } from "../../Sources/Pages/picture-lines.js";
import { ChunkedText } from "../../Sources/Pages/text.js";

test("a line names a picture as Markdown does", () => {
  const lines = {
    "![Peak](Images/7.png)": ["Peak", "Images/7.png"],
    "  ![](Images/7.png)\t\r\n": ["", "Images/7.png"],
    "![a \\] b](<Images/a b.png>)\n": ["a ] b", "Images/a b.png"],
    "![a](Images/a b (2).png)": ["a", "Images/a b (2).png"],
    "![a](Images/a%20b.png \"A title\")": ["a", "Images/a b.png"],
    "![a](Images/100%.png)": ["a", "Images/100%.png"],
    "![a](Images/a\\_b.png)": ["a", "Images/a_b.png"],
  };
  for (const [line, [words, path]] of Object.entries(lines)) {
    assert.equal(pictureIn(line)?.words, words, line);
    assert.equal(pictureIn(line).paths[0], path, line);
  }
  const others = ["", "Peak", "[Peak](Images/7.png)", "see ![Peak](Images/7.png)", "![Peak](Images/7.png).", "![Peak]()", "![Peak] (a)", "![Peak](a", "![Pe\nak](a)", `![${"a".repeat(4000)}](b)`];
  for (const line of others) assert.equal(pictureIn(line), null, line);
});

test("a name with a percent sign of its own is found, too", () => {
  assert.deepEqual(pictureIn("![](Images/a%20b.png)").paths, ["Images/a b.png", "Images/a%20b.png"]);
});

test("the line of a picture names it, whatever its name is", () => {
  const names = ["Dawn.png", "a b (2).png", "Zürich.jpeg", "100% [x].png", "a\\b.gif", "山.png", "q?#&.png", "'\"<>`.png", "no extension", "two\nlines.png", "😀.png"];
  for (const name of names) {
    const line = referenceTo(`Images/${name}`, name);
    assert.equal(pictureIn(line)?.paths[0], `Images/${name}`, line);
    assert.ok(!line.includes("\n"));
  }
  assert.equal(referenceTo("Images/Dawn.png", "Dawn.png"), "![Dawn](Images/Dawn.png)");
  assert.equal(referenceTo("Images/Zürich 2.jpeg", "Zürich 2.jpeg"), "![Zürich 2](Images/Zürich%202.jpeg)");
});

test("the first line of a picture is found", () => {
  const text = "a ![b](c)\n![d](e)\n\n ![f](g)";
  assert.deepEqual(pictureLineFrom(text, 0), { from: 10, to: 18 });
  assert.deepEqual(pictureLineFrom(text, 18), { from: 19, to: 27 });
  assert.equal(pictureLineFrom("a ![b](c)", 0), null);
});

test("the line of a picture is a chunk, and a letter elsewhere changes one chunk", () => {
  const line = "![Peak](Images/7.png)\n";
  const text = new ChunkedText(`Trip\nOne\n${line}Two\n${line}`);
  assert.deepEqual(text.chunks.map((chunk) => chunk.text), ["Trip\n", "One\n", line, "Two\n", line, ""]);
  const letter = text.splice([text.length, 0, "a"]);
  assert.deepEqual([letter.chunk, letter.replace, letter.removed, letter.added], [text.last, [0, 0, "a"], [], []]);
  // A letter behind the parenthesis makes words of the line, and its deletion makes a picture of it.
  const [, , picture] = text.chunks;
  const at = text.startOf(picture) + line.length - 1;
  for (const splice of [[at, 0, "."], [at, 1, ""]]) assert.deepEqual(text.splice(splice).added, []);
  assert.equal(text.chunks.length, 6);
});

test("a long text without pictures is cut in one walk", () => {
  const text = "words and ![no picture](here) in a line\n".repeat(50_000);
  const chunks = new ChunkedText(text).chunks.length;
  assert.ok(chunks > 400 && chunks < 600, String(chunks));
  assert.equal(new ChunkedText("![".repeat(500_000)).chunks.length, 1);
});
