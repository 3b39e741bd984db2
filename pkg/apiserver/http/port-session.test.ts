import { expect, test } from "vitest";
import type { PortSession } from "../server/request.ts";
import { messagePipe } from "./message-pipe.ts";
import { choosePortProtocol, forwardPorts } from "./port-session.ts";
import { control, data, FIN, GOAWAY, number, SpdyClient } from "./spdy-client.test-data.ts";

/** Says what it hears, and refuses port 81. */
const echo: PortSession = {
  ports: [80, 81],
  async open(port, { incoming, send }) {
    if (port === 81) throw new Error("connection refused");
    for await (const chunk of incoming) {
      await send(chunk);
      return;
    }
  },
};

test("the tunnel is preferred to channels, and nothing else is understood", () => {
  expect(choosePortProtocol("v4.channel.k8s.io, SPDY/3.1+portforward.k8s.io")).toBe(
    "SPDY/3.1+portforward.k8s.io",
  );
  expect(choosePortProtocol("v4.channel.k8s.io")).toBe("v4.channel.k8s.io");
  expect(choosePortProtocol("v5.channel.k8s.io")).toBeUndefined();
});

test("each port has a channel for data and one for errors, which begin with its number", async () => {
  const protocol = "v4.channel.k8s.io";
  const [near, far] = messagePipe(protocol);
  const ended = forwardPorts(echo, far, protocol, new AbortController().signal);
  await near.send(Buffer.from("\u0000hello"));
  const heard = (await Array.fromAsync(near.messages())).map((message) => Buffer.from(message));
  await ended;
  const ofChannel = (channel: number): string =>
    Buffer.concat(heard.filter(([first]) => first === channel).map((one) => one.subarray(1))).toString(
      "latin1",
    );
  expect([0, 1, 2, 3].map(ofChannel)).toEqual([
    "P\u0000hello",
    "P\u0000",
    "Q\u0000",
    "Q\u0000connection refused",
  ]);
});

test("in the tunnel each connection has a stream for data and one for errors, once", async () => {
  const protocol = "SPDY/3.1+portforward.k8s.io";
  const [near, far] = messagePipe(protocol);
  const ended = forwardPorts(echo, far, protocol, new AbortController().signal);
  const client = new SpdyClient(near);
  const connect = async (id: number, port: string, requestid: string): Promise<void> => {
    await client.send(await client.opening(id, { streamtype: "error", port, requestid }));
    await client.opened(id);
    await client.send(await client.opening(id + 2, { streamtype: "data", port, requestid }));
    await client.opened(id + 2);
  };
  const told = (head: number, text: string, flags = 0): object => ({
    head,
    flags,
    payload: Buffer.from(text),
  });
  await connect(1, "80", "0");
  await client.send(data(3, "hello"));
  expect(await client.answer()).toEqual(told(3, "hello"));
  expect(await client.answer()).toEqual(told(1, "", FIN));
  expect(await client.answer()).toEqual(told(3, "", FIN));
  await connect(5, "81", "1");
  expect(await client.answer()).toEqual(told(5, "connection refused"));
  expect(await client.answer()).toEqual(told(5, "", FIN));
  expect(await client.answer()).toEqual(told(7, "", FIN));
  // Who brings no stream for errors hears of none, least of all in that of a connection that has ended.
  await client.send(await client.opening(9, { streamtype: "data", port: "81", requestid: "0" }));
  await client.opened(9);
  expect(await client.answer()).toEqual(told(9, "", FIN));
  await client.send(control(GOAWAY, number(0)));
  await ended;
  await client.close();
});
