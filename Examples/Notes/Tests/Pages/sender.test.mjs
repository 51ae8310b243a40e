import assert from "node:assert/strict";
import test from "node:test";
import { Sender } from "../../Sources/Pages/sender.js";
import { Session } from "../../Sources/Pages/session.js";
import { streamIsOpen } from "../../Sources/Pages/trust.js";

/** A session with a text, its sender, and the requests that went out. */
function opened(t, answer) {
  const session = new Session("tab", "page");
  session.start({ epoch: "first", seq: 0, saved: 0, text: "One" });
  const sent = [];
  const plain = globalThis.fetch;
  t.after(() => (globalThis.fetch = plain));
  globalThis.fetch = async (path, { body }) => {
    sent.push(JSON.parse(body).op);
    return answer(sent.length);
  };
  streamIsOpen(true);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let stale = 0;
  const sender = new Sender(session, () => "", assert.fail, () => stale++);
  return { session, sender, sent, timesStale: () => stale };
}

const accepted = () => Response.json({});
const settled = () => new Promise((done) => setImmediate(done));

test("an answer of another run makes the page connect again, once", async (t) => {
  const { session, sender, sent, timesStale } = opened(t, () => new Response("{}", { status: 409 }));
  sender.start();
  session.edit([3, 0, " two"]);
  sender.push();
  for (let second = 0; second < 10; second++) {
    await settled();
    t.mock.timers.tick(1000);
  }
  assert.deepEqual([sent.length, timesStale()], [1, 1]);
});

test("an edit that waits behind a request is sent after it, also if the stream began anew meanwhile", async (t) => {
  let answer;
  const { session, sender, sent } = opened(t, (number) => (number > 1 ? accepted() : new Promise((done) => (answer = done))));
  sender.start();
  session.edit([3, 0, " two"]);
  sender.push();
  await settled();
  session.accept({ seq: 1, tab: "tab", op: sent[0], splices: [[3, 0, " two"]] });
  session.edit([7, 0, " three"]);
  sender.stop();
  sender.start();
  answer(accepted());
  await settled();
  assert.equal(sent.length, 2);
});

test("a wait for the server ends if a new run has the edit already", async (t) => {
  const { session, sender } = opened(t, () => Response.error());
  sender.start();
  session.edit([3, 0, " two"]);
  let isIdle = false;
  sender.idle().then(() => (isIdle = true));
  await settled();
  sender.stop();
  session.reopen({ epoch: "second", seq: 0, saved: 0, text: "One two" });
  sender.start();
  await settled();
  assert.ok(isIdle);
});
