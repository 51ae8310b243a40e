import assert from "node:assert/strict";
import test from "node:test";
import { applied } from "../../Sources/Pages/splices.js";
import { Session } from "../../Sources/Pages/session.js";
import { randomNumbers, TinyServer } from "./server.mjs";

class Page {
  constructor(name, server) {
    this.tab = name;
    this.session = new Session(name, name + "page");
    this.open(server);
  }

  /** Connects, for the first time or again, and gets what it missed. */
  open(server) {
    const { epoch, seq } = this.session;
    const opened = server.opened(epoch === null ? null : { epoch, seq });
    this.server = server;
    this.inbox = [...opened.missed];
    this.outbox = [];
    if (opened.resumes) {
      this.session.didSave(opened.saved);
    } else if (epoch === null) {
      this.session.start(opened);
      this.shown = opened.text;
    } else {
      this.shown = applied(this.session.reopen(opened), this.shown);
    }
    server.join(this);
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
    else if (event.tabs) this.session.tabsAre(event.tabs);
    else this.session.didSave(event.saved);
  }

  /** The connection is lost. What the server sent arrives. The request on its way arrives or not; its answer does not. */
  lose(arrives) {
    while (this.inbox.length > 0) this.receive();
    if (arrives) this.deliver();
    this.server.clients.delete(this);
    this.outbox = [];
  }

  resume(server) {
    this.open(server);
    while (this.inbox.length > 0) this.receive();
    const request = this.session.repeat();
    if (request) this.outbox.push(structuredClone(request));
  }

  settle() {
    while (this.outbox.length + this.inbox.length > 0 || this.session.isPending) {
      this.send();
      this.deliver();
      this.receive();
    }
  }
}

/** The number of sessions of several windows: SEEDS=1000 runs more of them. */
const seeds = Number(process.env.SEEDS ?? 150);

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
      next.text = next.first = next.durable = next.disk = "Another program's line.\n" + next.text;
    }
    const expected = [...page.shown].sort().join("");
    page.open(next);
    page.settle();
    assert.equal(page.shown, next.text);
    assert.equal([...next.text.replace("Another program's line.\n", "")].sort().join(""), expected, `seed ${seed}`);
  }
});

/** Windows, kills and edits of another program. Each edit is a word of its own, so that it can be counted. */
class Windows {
  constructor(seed) {
    Object.assign(this, { seed, random: randomNumbers(seed), runs: 1, words: [], deleted: new Set(), hasWritten: false });
    this.server = new TinyServer(Array.from({ length: 4 }, (_, line) => `Line${line} of the text\n`).join(""), "run1");
    this.pages = Array.from({ length: 1 + this.random(3) }, (_, index) => new Page(`tab${index}`, this.server));
  }

  /** A place before or after a word. */
  place(text) {
    const places = [0, ...[...text.matchAll(/\s/g)].map(({ index }) => index + 1)];
    return places[this.random(places.length)];
  }

  word(name) {
    this.words.push(`${name}w${this.words.length}`);
    return this.words.at(-1) + " ";
  }

  type(page) {
    const at = this.place(page.shown);
    const word = /^\S+ ?/.exec(page.shown.slice(at))?.[0];
    if (word && this.random(6) === 0) {
      // Two words may touch: one page took the space between them away.
      for (const [one] of word.matchAll(/(?:tab\d|other)w\d+/g)) this.deleted.add(one);
      page.type([at, word.length, ""]);
    } else {
      page.type([at, 0, this.word(page.tab)]);
    }
  }

  /** One step of a page that is connected, or typing in one that is not. */
  step() {
    const { random, server } = this;
    const page = this.pages[random(this.pages.length)];
    switch (server.clients.has(page) ? random(7) : 0) {
      case 0: return this.type(page);
      case 1: return page.send();
      case 2: return page.deliver();
      case 3: {
        if (random(8) > 0) return page.receive();
        this.hasWritten = false;
        return server.save();
      }
      default: return page.receive();
    }
  }

  /** Another program writes a word, once between two saves. */
  write() {
    if (this.hasWritten) return;
    this.hasWritten = true;
    this.server.write([this.place(this.server.disk), 0, this.word("other")]);
  }

  /** Kills the server, which another run follows. The pages come back one after the other. */
  kill(writes) {
    const { random } = this;
    for (const page of this.pages) if (this.server.clients.has(page)) page.lose(random(2) === 0);
    this.server = this.server.killed(`run${++this.runs}`);
    this.hasWritten = false;
    if (writes) {
      const word = this.word("other");
      const at = this.place(this.server.text);
      this.server = new TinyServer(applied([[at, 0, word]], this.server.text), this.server.epoch);
    }
    const pages = this.pages.toSorted(() => random(3) - 1);
    for (const page of pages) {
      for (let count = random(12); count > 0; count--) this.step();
      page.open(this.server);
    }
  }

  /** A window that the server has all words of is closed. The others know it. */
  close() {
    if (this.pages.length < 2) return;
    for (const page of this.pages) page.settle();
    const [page] = this.pages.splice(this.random(this.pages.length), 1);
    this.server.leave(page);
    for (const page of this.pages) while (page.inbox.length > 0) page.receive();
  }

  end() {
    for (let round = 0; round < 4; round++) for (const page of this.pages) page.settle();
  }

  /** Each word is there as often as its page says. */
  check(counts) {
    for (const page of this.pages) assert.equal(page.shown, this.server.text, `seed ${this.seed}: a page shows the text`);
    for (const word of this.words) {
      const count = [...this.server.text.matchAll(new RegExp(`${word}(?!\\d)`, "g"))].length;
      const isRight = this.deleted.has(word) ? count <= 1 : count === 1;
      if (!isRight) counts.push(`seed ${this.seed}: ${word} is there ${count} times`);
    }
  }
}

test("several windows and servers that are killed: each word is there once", () => {
  const wrong = [];
  for (let seed = 0; seed < seeds; seed++) {
    const windows = new Windows(seed);
    for (let count = 0; count < 160; count++) {
      if (windows.random(45) === 0) windows.kill(false);
      else if (windows.random(150) === 0) windows.close();
      else windows.step();
    }
    windows.kill(false);
    windows.end();
    windows.check(wrong);
  }
  assert.deepEqual(wrong, []);
});

test("several windows, killed servers and another program: no word is lost", () => {
  const wrong = [];
  for (let seed = 0; seed < seeds; seed++) {
    const windows = new Windows(seed + 10_000);
    for (let count = 0; count < 160; count++) {
      if (windows.random(60) === 0) windows.kill(windows.random(2) === 0);
      else if (windows.random(60) === 0) windows.write();
      else windows.step();
    }
    windows.kill(true);
    windows.end();
    windows.check(wrong);
  }
  assert.deepEqual(wrong, []);
});

test("an edit that the new server has already is not made twice", () => {
  const server = new TinyServer("One line.\n");
  const pages = ["a", "b"].map((name) => new Page(name, server));
  pages[0].type([9, 0, " And more."]);
  for (const page of pages) page.settle();
  for (const page of pages) page.lose(false);
  const next = server.killed("two");
  for (const page of pages) {
    page.open(next);
    page.settle();
  }
  assert.equal(next.text, "One line. And more.\n");
});

test("a page that loads anew while words are not durable loses none of them to a killed server", () => {
  const server = new TinyServer("One line.\n");
  const old = new Page("a", server);
  old.type([9, 0, " And more."]);
  old.settle();
  old.lose(false);
  const page = new Page("a", server);
  page.settle();
  assert.equal(page.shown, "One line. And more.\n");
  page.lose(false);
  const next = server.killed("two");
  page.open(next);
  page.settle();
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

test("words that two tabs begin at one place at one time do not divide each other", () => {
  for (const names of [["a", "b"], ["b", "a"]]) {
    const server = new TinyServer("End");
    const [first, second] = names.map((name) => new Page(name, server));
    first.type([3, 0, " aft"]);
    second.type([3, 0, " other"]);
    first.send();
    first.deliver();
    first.receive();
    first.receive();
    second.send();
    second.deliver();
    // The word's end is written before the other tab's word comes.
    first.type([7, 0, "er"]);
    for (const page of [first, second, first, second]) page.settle();
    assert.equal(server.text.replace(" after", "").replace(" other", ""), "End");
    assert.deepEqual([first.shown, second.shown], [server.text, server.text]);
  }
});

test("a missing event is noticed", () => {
  const page = new Page("a", new TinyServer("Text\n"));
  assert.equal(page.session.accept({ seq: 2, tab: "b", op: "x", splices: [] }), null);
});
