import assert from "node:assert/strict";
import test from "node:test";
import { UndoSteps } from "../../Sources/Pages/undo-steps.js";

/** The numbers of the steps of edits, each as [kind, splice, time]. */
function steps(...edits) {
  const steps = new UndoSteps("page");
  return edits.map(([kind, splice, time]) => Number(steps.nameFor(kind, splice, time).split("-")[1]));
}

const typed = (text, time = () => 0) => [...text].map((letter, index) => ["typing", [index, 0, letter], time(index)]);

test("a pause begins a step", () => {
  assert.deepEqual(steps(...typed("abcd", (index) => (index < 2 ? index : 2000 + index))), [1, 1, 2, 2]);
});

test("a sentence or a line is a step", () => {
  assert.deepEqual(steps(...typed("A. b\nc")), [1, 1, 1, 2, 2, 3]);
  assert.deepEqual(steps(...typed("3.14 ")), [1, 1, 1, 1, 1]);
});

test("a minute of even typing is many steps", () => {
  const numbers = steps(...typed("words and more ".repeat(20), (index) => index * 200));
  assert.equal(numbers[0], 1);
  for (let number = 1; number <= numbers.at(-1); number++) {
    const length = numbers.filter((other) => other === number).length;
    assert.ok(length < 110, `step ${number} has ${length} letters`);
  }
});

test("a paste, and typing at another place, are steps", () => {
  assert.deepEqual(steps(["typing", [0, 0, "a"], 0], ["whole", [1, 0, "x. y"], 0], ["typing", [5, 0, "b"], 0]), [1, 2, 3]);
  assert.deepEqual(steps(["whole", [0, 0, "a"], 0], ["whole", [1, 0, "b"], 0]), [1, 2]);
  assert.deepEqual(steps(["typing", [0, 0, "a"], 0], ["typing", [0, 0, "b"], 0]), [1, 2]);
});

test("deletions in one direction are a step", () => {
  assert.deepEqual(steps(["deleting", [9, 1, ""], 0], ["deleting", [8, 1, ""], 0], ["deleting", [8, 1, ""], 0], ["deleting", [2, 1, ""], 0]), [1, 1, 1, 2]);
});
