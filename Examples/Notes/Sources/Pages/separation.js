// Taking some edits out of a list of edits, so that only the rest is done.

/**
 * The splices of some edits, as they apply without the other ones. What an edit changes in the text of a left-out edit
 * is left out, too.
 * @param {Array<{splices: Array}>} edits each applies after the ones before it
 * @param {(edit: object) => boolean} isIn
 */
export function only(edits, isIn) {
  const result = [];
  if (!edits.some(isIn)) return result;
  // The text in stretches: those with `shown` are there after all edits, those with `alone` after the chosen ones.
  let runs = [{ length: Infinity, shown: true, alone: true }];
  for (const edit of edits) {
    for (const splice of edit.splices) {
      change(runs, splice, isIn(edit), result);
      runs = runs.filter(({ shown, alone }) => shown || alone);
    }
  }
  return result;
}

function change(runs, [at, del, ins], isIn, result) {
  const from = split(runs, at);
  const to = split(runs, at + del);
  const start = runs.slice(0, from).reduce((sum, run) => sum + (run.alone ? run.length : 0), 0);
  let offset = start;
  for (const run of runs.slice(from, to)) {
    if (isIn && run.alone && run.shown) {
      result.push([offset, run.length, ""]);
      run.alone = false;
    }
    if (run.alone) offset += run.length;
    run.shown = false;
  }
  if (ins === "") return;
  if (isIn) result.push([start, 0, ins]);
  runs.splice(from, 0, { length: ins.length, shown: true, alone: isIn });
}

/** Splits a stretch at an offset of the shown text. @returns the index of the stretch that begins there */
function split(runs, at) {
  let index = 0;
  for (; !runs[index].shown || at >= runs[index].length; index++) if (runs[index].shown) at -= runs[index].length;
  if (at === 0) return index;
  const run = runs[index];
  runs.splice(index, 1, { ...run, length: at }, { ...run, length: run.length - at });
  return index + 1;
}
