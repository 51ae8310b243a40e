// A splice is [at, del, ins]: at the offset `at`, `del` UTF-16 units go and the text `ins` comes.
// The splices of a list apply one after the other. A splice is a deletion, then an insertion at the same place.
// The server's order decides. Server and page transform by the same rules:
//
//   insertion over insertion   at the same place, the one of the tab with the smaller name stays in front: words that
//                              two tabs begin at one place at one time are beside each other
//   insertion over deletion    inside the deleted range, it goes to the range's start
//   deletion over insertion    inside the range, it splits in two around the new text
//   deletion over deletion     it shrinks by what both deleted

/**
 * Transforms two lists that start from the same text, so that both orders give the same text.
 * @param {Array} accepted the list that the server accepted first
 * @param {Array} later the other list
 * @param {boolean} [inFront] whether the accepted list stays in front at the same place
 * @returns {[Array, Array]} `accepted` as it applies after `later`, and `later` as it applies after `accepted`
 */
export function transform(accepted, later, inFront = true) {
  return cross(primitives(accepted), primitives(later), inFront);
}

/** Whether a tab's edit stays in front of another tab's at the same place. An edit of no tab does. */
export function isInFront(tab, other) {
  return tab === undefined || tab <= other;
}

/** Each splice as a deletion and an insertion, without empty ones. */
export function primitives(splices) {
  const result = [];
  for (const [at, del, ins] of splices) {
    if (del > 0) result.push([at, del, ""]);
    if (ins !== "") result.push([at, 0, ins]);
  }
  return result;
}

/** Adds a splice to the end of a list. It becomes one with the last splice if the two touch. */
export function append(splices, splice) {
  const last = splices.at(-1);
  const one = last && joined(last, splice);
  if (one) splices[splices.length - 1] = one;
  else splices.push(splice);
  return splices;
}

/** The list with as few splices as possible; it makes the same text. */
export function compact(splices) {
  return splices.reduce(append, []).filter(([, del, ins]) => del > 0 || ins !== "");
}

/** The text that a list makes of a text. */
export function applied(splices, text) {
  for (const [at, del, ins] of splices) text = text.slice(0, at) + ins + text.slice(at + del);
  return text;
}

/** Where an offset is after a list of splices. Text that comes in exactly there goes after it. */
export function moved(offset, splices) {
  for (const [at, del, ins] of splices) {
    if (offset > at) offset = Math.max(at, offset - del);
    if (offset > at) offset += ins.length;
  }
  return offset;
}

function joined([at, del, ins], [nextAt, nextDel, nextIns]) {
  const end = at + ins.length;
  const nextEnd = nextAt + nextDel;
  if (nextAt > end || nextEnd < at) return null;
  const before = Math.max(0, at - nextAt);
  const after = Math.max(0, nextEnd - end);
  const text = ins.slice(0, Math.max(0, nextAt - at)) + nextIns + ins.slice(Math.min(ins.length, nextEnd - at));
  return [Math.min(at, nextAt), before + del + after, text];
}

function cross(accepted, later, inFront) {
  if (accepted.length === 0 || later.length === 0) return [accepted, later];
  if (accepted.length === 1 && later.length === 1) {
    return [over(accepted[0], later[0], inFront), over(later[0], accepted[0], !inFront)];
  }
  if (accepted.length >= later.length) {
    const middle = accepted.length >> 1;
    const [first, between] = cross(accepted.slice(0, middle), later, inFront);
    const [second, last] = cross(accepted.slice(middle), between, inFront);
    return [first.concat(second), last];
  }
  const middle = later.length >> 1;
  const [between, first] = cross(accepted, later.slice(0, middle), inFront);
  const [last, second] = cross(between, later.slice(middle), inFront);
  return [last, first.concat(second)];
}

/** One primitive over another one. `inFront`: it stays in front at the same place. */
function over([at, del, ins], [otherAt, otherDel, otherIns], inFront) {
  const otherEnd = otherAt + otherDel;
  if (del === 0) {
    if (otherDel > 0) {
      if (at <= otherAt) return [[at, 0, ins]];
      return [[Math.max(otherAt, at - otherDel), 0, ins]];
    }
    const before = at < otherAt || (at === otherAt && inFront);
    return [[before ? at : at + otherIns.length, 0, ins]];
  }
  const end = at + del;
  if (otherDel === 0) {
    if (otherAt >= end) return [[at, del, ""]];
    if (otherAt <= at) return [[at + otherIns.length, del, ""]];
    return [
      [at, otherAt - at, ""],
      [at + otherIns.length, end - otherAt, ""],
    ];
  }
  const both = Math.max(0, Math.min(end, otherEnd) - Math.max(at, otherAt));
  if (both === del) return [];
  const start = at <= otherAt ? at : Math.max(otherAt, at - otherDel);
  return [[start, del - both, ""]];
}
