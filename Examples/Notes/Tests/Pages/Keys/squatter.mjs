// A program that has taken the port of a server. It writes down each request, and answers as the server would.
//
// usage: node squatter.mjs PORT
import { createServer } from "node:http";

const opened = {
  id: "AAAAAAAAAAAAAAAAAAAAAA", epoch: "squatter", seq: 0, saved: 0, name: "Trip", title: "", displayName: "Trip", text: "Nothing was here.", images: [], tabs: [],
  undo: { canUndo: false, canRedo: false, undoTitle: "", redoTitle: "" }, state: { light: "saved", saved: 0, conflicts: 0 },
};

function answer(request, response) {
  let body = "";
  request.on("data", (data) => (body += data));
  request.on("end", () => {
    console.log(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
    if (request.url.endsWith("/events") || request.url.includes("/events?")) {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(`event: open\ndata: ${JSON.stringify(opened)}\n\n`);
      return;
    }
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ proof: "A".repeat(43), number: "A".repeat(43), key: "A".repeat(43), seq: 1 }));
  });
}

const port = Number(process.argv[2]);
const listening = ["127.0.0.1", "::1"].map((host) => new Promise((resolve) => createServer(answer).listen(port, host, resolve).on("error", resolve)));
await Promise.all(listening);
console.log("ready");
