import assert from "node:assert/strict";
import test from "node:test";
import { applied } from "../../../Sources/CNotesPages/pages/splices.js";
import { Session } from "../../../Sources/CNotesPages/pages/session.js";
import { randomNumbers, TinyServer } from "./server.mjs";

class Page {
  constructor(name, server) {
    this.session = new Session(name, name + "page");
    this.session.start(server.opened());
    this.shown = server.text;
    this.join(server);
  }

  join(server) {
    this.server = server;
    this.inbox = [];
    this.outbox = [];
    server.clients.add(this);
  }

  type(splice) {
    this.shown = applied([splice], this.shown);
    this.session.edit(splice);
  }

  send() {
    const request = this.session.next();
    if (request) this.outbox.push(structuredClone(request));
  }

  deliver() {
    if (this.outbox.length > 0) this.server.post(this.outbox.shift());
  }

  receive() {
    const event = this.inbox.shift();
    if (!event) return;
    if (event.splices) this.shown = applied(this.session.accept(structuredClone(event)), this.shown);
    else this.session.didSave(event.saved);
  }

  /** The connection is lost. The request on its way arrives or not; its answer does not. */
  lose(arrives) {
    this.server.clients.delete(this);
    if (arrives) this.deliver();
    this.outbox = [];
  }

  resume(server) {
    const missed = server.events.slice(this.session.seq);
    this.join(server);
    this.inbox.push(...missed);
    while (this.inbox.length > 0) this.receive();
    this.session.didSave(server.saved);
    const request = this.session.repeat();
    if (request) this.outbox.push(structuredClone(request));
  }

  reopen(server) {
    this.shown = applied(this.session.reopen(server.opened()), this.shown);
    this.join(server);
  }

  settle() {
    while (this.outbox.length + this.inbox.length > 0 || this.session.isPending) {
      this.send();
      this.deliver();
      this.receive();
    }
  }
}

function randomSplice(random, length) {
  const at = random(length + 1);
  const del = random(3) === 0 ? Math.min(random(6), length - at) : 0;
  const ins = random(4) === 0 && del > 0 ? "" : "abcdefghij\n".slice(random(8)).slice(0, 1 + random(3));
  return [at, del, ins];
}

function step(random, page, server) {
  switch (random(6)) {
    case 0: return page.type(randomSplice(random, page.shown.length));
    case 1: return page.send();
    case 2: return page.deliver();
    case 5: return random(6) === 0 ? server.save() : page.receive();
    default: return page.receive();
  }
}

test("pages that type at once show the same text in the end", () => {
  for (let seed = 0; seed < 400; seed++) {
    const random = randomNumbers(seed);
    const server = new TinyServer("A first line.\nA second line.\n");
    const pages = ["a", "b", "c"].map((name) => new Page(name, server));
    for (let count = 0; count < 150; count++) {
      const page = pages[random(3)];
      step(random, page, server);
      assert.equal(page.session.text, page.shown, `seed ${seed}: the session's text is what the page shows`);
    }
    for (let round = 0; round < 3; round++) for (const page of pages) page.settle();
    for (const page of pages) assert.equal(page.shown, server.text, `seed ${seed}`);
  }
});

test("a page that resumes sends its open edit again, and the server accepts it once", () => {
  for (let seed = 0; seed < 400; seed++) {
    const random = randomNumbers(seed + 1000);
    const server = new TinyServer("0123456789\n");
    const pages = ["a", "b"].map((name) => new Page(name, server));
    for (let count = 0; count < 120; count++) {
      const page = pages[random(2)];
      if (random(12) === 0) {
        page.lose(random(2) === 0);
        for (let more = 0; more < 6; more++) step(random, pages[0] === page ? pages[1] : pages[0], server);
        if (random(2) === 0) page.type(randomSplice(random, page.shown.length));
        page.resume(server);
      } else {
        step(random, page, server);
      }
    }
    for (let round = 0; round < 3; round++) for (const page of pages) page.settle();
    for (const page of pages) assert.equal(page.shown, server.text, `seed ${seed}`);
  }
});

test("typed text survives a server that was killed", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = randomNumbers(seed + 5000);
    const server = new TinyServer(Array.from({ length: 12 }, (_, line) => `Line ${line} of the text.\n`).join(""));
    const page = new Page("a", server);
    const words = [];
    for (let count = 0; count < 60; count++) {
      if (random(4) === 0) {
        const word = `<${seed}.${words.length}>`;
        words.push(word);
        page.type([random(page.shown.length + 1), 0, word]);
      } else {
        step(random, { shown: "", type() {}, send: () => page.send(), deliver: () => page.deliver(), receive: () => page.receive() }, server);
      }
    }
    page.lose(random(2) === 0);
    const next = server.killed("two");
    if (random(2) === 0) {
      next.text = next.durable = "Another program's line.\n" + next.text;
    }
    const expected = [...page.shown].sort().join("");
    page.reopen(next);
    page.settle();
    assert.equal(page.shown, next.text);
    assert.equal([...next.text.replace("Another program's line.\n", "")].sort().join(""), expected, `seed ${seed}`);
  }
});

test("an edit that the new server has already is not made twice", () => {
  const server = new TinyServer("One line.\n");
  const pages = ["a", "b"].map((name) => new Page(name, server));
  pages[0].type([9, 0, " And more."]);
  for (const page of pages) page.settle();
  for (const page of pages) page.lose(false);
  const next = server.killed("two");
  for (const page of pages) {
    page.reopen(next);
    page.settle();
  }
  assert.equal(next.text, "One line. And more.\n");
});

test("edits are durable when the server says so", () => {
  const server = new TinyServer("Text\n");
  const page = new Page("a", server);
  assert.ok(page.session.isDurable);
  page.type([0, 0, "New "]);
  assert.ok(!page.session.isDurable);
  page.settle();
  assert.ok(!page.session.isPending && !page.session.isDurable);
  server.save();
  page.receive();
  assert.ok(page.session.isDurable);
});

test("a missing event is noticed", () => {
  const page = new Page("a", new TinyServer("Text\n"));
  assert.equal(page.session.accept({ seq: 2, tab: "b", op: "x", splices: [] }), null);
});
