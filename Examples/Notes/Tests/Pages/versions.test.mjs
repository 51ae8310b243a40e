import assert from "node:assert/strict";
import test from "node:test";
import { sessionsOf } from "../../Sources/Pages/version-sessions.js";
import { firstWords, partsOf } from "../../Sources/Pages/word-changes.js";

const minute = 60_000;
const dayOf = (date) => Math.floor(date / (1440 * minute));
const version = (minutes, computer = "one") => ({ version: `v${minutes}`, date: minutes * minute, computer });
const shown = (versions) => sessionsOf(versions, dayOf).map(({ versions, since }) => [versions.map(({ version }) => version).join(" "), since]);

test("versions that lie minutes apart are one session", () => {
  assert.deepEqual(shown([version(50), version(41), version(40), version(20), version(5)]), [["v50 v41 v40", "v20"], ["v20", "v5"], ["v5", null]]);
  assert.deepEqual(shown([]), []);
});

test("another computer and another day begin another session", () => {
  assert.deepEqual(shown([version(3, "two"), version(2), version(1)]), [["v3", "v2"], ["v2 v1", null]]);
  assert.deepEqual(shown([version(1441), version(1439)]), [["v1441", "v1439"], ["v1439", null]]);
});

test("each version of a session knows the one before it", () => {
  const [{ versions }] = sessionsOf([version(3), version(2), version(1)], dayOf);
  assert.deepEqual(versions.map(({ since }) => since), ["v2", "v1", null]);
});

test("a change of a line is its changed words", () => {
  assert.deepEqual(partsOf("and a house", "and a tent"), [["same", "and a "], ["removed", "house"], ["added", "tent"]]);
  assert.equal(partsOf("something", "else"), null);
});

test("a change in a long line has the sentences around it", () => {
  const long = "A sentence that stays as it is. ".repeat(9);
  const parts = partsOf(`${long}The hut. ${long}`, `${long}The hut at last. ${long}`);
  assert.deepEqual(parts.map(([kind]) => kind), ["same", "added", "same"]);
  assert.equal(parts[0][1], "… The hut");
  assert.equal(parts[1][1], " at last");
  assert.ok(parts[2][1].length < 10);
});

test("a row has the words that came, or else those that went", () => {
  const hunk = (...lines) => [{ lines }];
  assert.deepEqual(firstWords(hunk(["-", "The hut."], ["+", "The hut at last."])), { kind: "added", text: "at last" });
  assert.deepEqual(firstWords(hunk([" ", "One"], ["-", "gone  words"])), { kind: "removed", text: "gone words" });
  assert.equal(firstWords([]), null);
  assert.ok(firstWords(hunk(["+", "word ".repeat(100)])).text.length <= 91);
});
