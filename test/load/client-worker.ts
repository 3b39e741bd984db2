import { Agent, request } from "node:http";
import { parentPort } from "node:worker_threads";
import type { WireAnswer, WireRequest } from "./client-thread.ts";

// A client in a thread of its own: what it computes does not count as the server's work.
const agent = new Agent({ keepAlive: true });
const port = parentPort;
if (port === null) throw new Error("this is to be run by client-thread.ts");
port.on("message", ({ id, request }: { readonly id: number; readonly request: WireRequest }) => {
  void send(request).then(
    (answer) => port.postMessage({ id, answer }),
    (error: unknown) => port.postMessage({ id, failure: String(error) }),
  );
});

async function send({ url, method, headers, body, until }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers }, agent }, (response) => {
      const { statusCode: status = 0 } = response;
      let length = 0;
      let beginning = "";
      let last = "";
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
        const text = chunk.toString("latin1");
        if (beginning.length < 400) beginning += text;
        if (until === undefined || !(last + text).includes(until)) {
          last = text.slice(-200);
          return;
        }
        resolve({ status, length, beginning });
        outgoing.destroy();
      });
      response.on("end", () => resolve({ status, length, beginning }));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
