// Where the steps of undo begin: a pause, a sentence or a paste. The server undoes a whole step.

const pause = 1000;
// A step without the end of a sentence ends behind the word that reaches this length.
const longest = 100;
const sentenceEnd = /([.!?…]["'”’»)\]]*\s|[。！？\n])$/;

/** The steps of one page. */
export class UndoSteps {
  #page;
  #number = 0;
  #last = null;

  /** @param {string} page a name that no other page has */
  constructor(page) {
    this.#page = page;
  }

  /**
   * The name of the step to which an edit belongs.
   * @param {"typing"|"deleting"|"whole"} kind what the user did; "whole" is a step of its own, such as a paste
   * @param {Array} splice the edit
   * @param {number} now the time in milliseconds
   */
  nameFor(kind, [at, del, ins], now) {
    const last = this.#last;
    const isNext = last?.kind === kind && kind !== "whole" && now - last.time <= pause && !last.isComplete && (kind === "typing" ? del === 0 && at === last.end : at === last.at || at + del === last.at);
    if (!isNext) this.#number++;
    const typed = (isNext ? last.typed : "") + ins;
    const isComplete = sentenceEnd.test(typed) || (typed.length >= longest && /\s$/.test(typed));
    this.#last = { kind, at, end: at + ins.length, time: now, typed, isComplete };
    return `${this.#page}-${this.#number}`;
  }
}
