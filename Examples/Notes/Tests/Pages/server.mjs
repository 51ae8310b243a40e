// A tiny server for tests: one text, its events, and the server's side of the transform.
import { applied, isInFront, primitives, transform } from "../../Sources/Pages/splices.js";

export class TinyServer {
  constructor(text, epoch = "one") {
    Object.assign(this, { text, epoch, seq: 0, saved: 0, first: text, durable: text, disk: text, events: [], clients: new Set() });
  }

  /** What the server tells a page first, by the rules of `NotesSession`. `known`: the run and the number of the page. */
  opened(known) {
    const { epoch, saved } = this;
    if (known?.epoch === epoch) return { resumes: true, saved, missed: this.events.slice(known.seq) };
    const start = known ? { seq: 0, text: this.first } : { seq: saved, text: this.durable };
    return { epoch, saved, ...start, missed: this.events.slice(start.seq) };
  }

  join(client) {
    this.clients.add(client);
    this.tellTabs();
  }

  leave(client) {
    this.clients.delete(client);
    this.tellTabs();
  }

  tellTabs() {
    const tabs = [...this.clients].map(({ tab }) => tab);
    for (const client of this.clients) client.inbox.push({ tabs });
  }

  post({ tab, op, epoch, seq, splices }) {
    if (epoch !== this.epoch) return { status: 409 };
    const earlier = this.events.find((event) => event.op === op);
    if (earlier) return { status: 200, seq: earlier.seq };
    let later = primitives(splices);
    for (const event of this.events.slice(seq)) [, later] = transform(event.splices, later, isInFront(event.tab, tab));
    return { status: 200, seq: this.change({ tab, op, splices: later }) };
  }

  /** Another program writes the document: its edit is on the disk, and those of the pages are not. */
  write(splice) {
    let later = primitives([splice]);
    for (const event of this.events.slice(this.saved)) [, later] = transform(event.splices, later);
    this.disk = applied([splice], this.disk);
    this.change({ splices: later, why: "outside" });
  }

  change(event) {
    this.text = applied(event.splices, this.text);
    this.seq += 1;
    this.events.push({ seq: this.seq, ...event });
    for (const client of this.clients) client.inbox.push(this.events.at(-1));
    return this.seq;
  }

  save() {
    Object.assign(this, { saved: this.seq, durable: this.text, disk: this.text });
    for (const client of this.clients) client.inbox.push({ saved: this.saved });
  }

  /** A new run of the server: what was not durable is gone. */
  killed(epoch) {
    return new TinyServer(this.disk, epoch);
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
