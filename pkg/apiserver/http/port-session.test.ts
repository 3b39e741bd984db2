import { expect, test } from "vitest";
import type { PortSession } from "../server/request.ts";
import { messagePipe } from "./message-pipe.ts";
import { choosePortProtocol, forwardPorts } from "./port-session.ts";

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
