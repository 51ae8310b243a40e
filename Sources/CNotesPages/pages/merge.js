// Merging after the connection was lost: the page's text and the server's text both come from one older text.

import { differences } from "./differences.js";
import { compact, transform } from "./splices.js";

/**
 * Merges two texts that come from `base`. A change that both made counts once.
 * @returns {{forMine: Array, forTheirs: Array}} splices that bring each text to the merged one; theirs was accepted first
 */
export function merge(base, mine, theirs) {
  const [own, other] = withoutCommon(differences(base, mine), differences(base, theirs));
  const [forMine, forTheirs] = transform(inOrder(other), inOrder(own));
  return { forMine: compact(forMine), forTheirs: compact(forTheirs) };
}

/** Changes of both lists without those that are in both; offsets count in the base with the common changes made. */
function withoutCommon(own, other) {
  const kept = [[], []];
  let shift = 0;
  let [i, j] = [0, 0];
  while (i < own.length || j < other.length) {
    const a = own[i];
    const b = other[j];
    if (a && b && a[0] === b[0] && a[1] === b[1]) {
      const same = commonLength(a[2], b[2]);
      if (same > 0 || a[1] > 0) {
        shift += same - a[1];
        const at = a[0] + a[1] + shift;
        if (a[2].length > same) kept[0].push([at, 0, a[2].slice(same)]);
        if (b[2].length > same) kept[1].push([at, 0, b[2].slice(same)]);
        i++;
        j++;
        continue;
      }
    }
    const first = !b || (a && a[0] <= b[0]);
    const [at, del, ins] = first ? own[i++] : other[j++];
    kept[first ? 0 : 1].push([at + shift, del, ins]);
  }
  return kept;
}

function commonLength(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  const high = a.charCodeAt(length - 1);
  return high >= 0xd800 && high < 0xdc00 ? length - 1 : length;
}

/** Changes whose offsets count in the old text, as splices that apply one after the other. */
function inOrder(changes) {
  let shift = 0;
  return changes.map(([at, del, ins]) => {
    const splice = [at + shift, del, ins];
    shift += ins.length - del;
    return splice;
  });
}
