// The differences of two texts: first by line, then by word inside of changed lines.

const mostSteps = 1000;

/**
 * The changes from one text to another.
 * @returns {Array} splices [at, del, ins] in ascending order; all offsets count in `before`
 */
export function differences(before, after) {
  const lines = compare(before, after, linesOf);
  return lines.flatMap(([at, del, ins]) =>
    compare(before.slice(at, at + del), ins, wordsOf).map(([inner, ...rest]) => [at + inner, ...rest]),
  );
}

/** Changes whose offsets count in the old text, as splices that apply one after the other. */
export function inOrder(changes) {
  let shift = 0;
  return changes.map(([at, del, ins]) => {
    const splice = [at + shift, del, ins];
    shift += ins.length - del;
    return splice;
  });
}

function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function wordsOf(text) {
  return text.match(/[\p{L}\p{N}_]+|\s|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function compare(before, after, tokensOf) {
  const old = tokensOf(before);
  const now = tokensOf(after);
  const offsets = [0];
  for (const token of old) offsets.push(offsets.at(-1) + token.length);
  return runs(old, now).map(([from, to, nowFrom, nowTo]) => [
    offsets[from],
    offsets[to] - offsets[from],
    now.slice(nowFrom, nowTo).join(""),
  ]);
}

/** Ranges [from, to, nowFrom, nowTo] in which the token lists differ (Myers, "An O(ND) Difference Algorithm"). */
function runs(old, now) {
  let head = 0;
  const shorter = Math.min(old.length, now.length);
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const oldEnd = old.length - tail;
  const nowEnd = now.length - tail;
  if (head === oldEnd && head === nowEnd) return [];
  const steps = path(old, now, head, oldEnd, nowEnd);
  if (!steps) return [[head, oldEnd, head, nowEnd]];
  const result = [];
  let [x, y] = [head, head];
  for (const [nextX, nextY, length] of [...steps, [oldEnd, nowEnd, 0]]) {
    if (nextX > x || nextY > y) result.push([x, nextX, y, nextY]);
    [x, y] = [nextX + length, nextY + length];
  }
  return result;
}

/** The equal stretches [x, y, length], or null if the texts have too little in common. */
function path(old, now, head, oldEnd, nowEnd) {
  const rows = oldEnd - head;
  const columns = nowEnd - head;
  const most = Math.min(rows + columns, mostSteps);
  let reach = new Int32Array(2 * most + 3);
  const trace = [];
  for (let step = 0; step <= most; step++) {
    trace.push(reach.slice());
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const place = diagonal + most + 1;
      const down = diagonal === -step || (diagonal !== step && reach[place - 1] < reach[place + 1]);
      let x = down ? reach[place + 1] : reach[place - 1] + 1;
      while (x < rows && x - diagonal < columns && old[head + x] === now[head + x - diagonal]) x++;
      reach[place] = x;
      if (x >= rows && x - diagonal >= columns) return backwards(trace, most, rows, columns, head);
    }
  }
  return null;
}

function backwards(trace, most, rows, columns, head) {
  const result = [];
  let [x, y] = [rows, columns];
  for (let step = trace.length - 1; step >= 0; step--) {
    const reach = trace[step];
    const diagonal = x - y;
    const place = diagonal + most + 1;
    const down = diagonal === -step || (diagonal !== step && reach[place - 1] < reach[place + 1]);
    const previousX = step === 0 ? 0 : down ? reach[place + 1] : reach[place - 1];
    const previousY = step === 0 ? 0 : previousX - (down ? diagonal + 1 : diagonal - 1);
    const startX = step === 0 ? 0 : down ? previousX : previousX + 1;
    const length = x - startX;
    if (length > 0) result.unshift([head + startX, head + y - length, length]);
    [x, y] = [previousX, previousY];
  }
  return result;
}
