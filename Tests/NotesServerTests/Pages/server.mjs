// A tiny server for tests: one text, its events, and the server's side of the transform.
import { applied, primitives, transform } from "../../../Sources/CNotesPages/pages/splices.js";

export class TinyServer {
  constructor(text, epoch = "one") {
    Object.assign(this, { text, epoch, seq: 0, saved: 0, durable: text, events: [], clients: new Set() });
  }

  opened() {
    const { epoch, seq, saved, text } = this;
    return { epoch, seq, saved, text };
  }

  post({ tab, op, epoch, seq, splices }) {
    if (epoch !== this.epoch) return { status: 409 };
    const earlier = this.events.find((event) => event.op === op);
    if (earlier) return { status: 200, seq: earlier.seq };
    let later = primitives(splices);
    for (const event of this.events.slice(seq)) [, later] = transform(event.splices, later);
    this.text = applied(later, this.text);
    this.seq += 1;
    const event = { seq: this.seq, tab, op, splices: later };
    this.events.push(event);
    for (const client of this.clients) client.inbox.push(event);
    return { status: 200, seq: this.seq };
  }

  save() {
    Object.assign(this, { saved: this.seq, durable: this.text });
    for (const client of this.clients) client.inbox.push({ saved: this.saved });
  }

  /** A new run of the server: what was not durable is gone. */
  killed(epoch) {
    return new TinyServer(this.durable, epoch);
  }
}

/** Numbers that look random and are the same in each run. */
export function randomNumbers(seed) {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3266489917);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
}
