import { expect, test } from "vitest";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import { answerPort } from "./hollow-ports.ts";

const running = (name: string) => ({
  name,
  image: "",
  imageID: "",
  ready: true,
  restartCount: 0,
  state: { running: {} },
});
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "shop" },
  spec: {
    containers: [
      { name: "web", ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }] },
      { name: "down", ports: [{ containerPort: 81 }] },
    ],
  },
  status: { containerStatuses: [running("web")] },
};

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  for (const letter of text) yield Buffer.from(letter);
}

async function answered(
  port: number,
  text: string,
  podNow: () => Pod | undefined = () => pod,
): Promise<string> {
  let answer = "";
  const send = async (data: Uint8Array): Promise<void> => void (answer += Buffer.from(data).toString());
  await answerPort({ pod, podNow, port }, { incoming: chunksOf(text), send });
  return answer;
}

test("a declared port says who has been asked for what", async () => {
  const body = "shop: GET /a (container web, port 80)\n";
  expect(await answered(80, "GET /a HTTP/1.1\r\nHost: b\r\n\r\nmore")).toBe(
    `HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  const head = await answered(80, "HEAD /a HTTP/1.0\r\n\r\n");
  expect(head.split("\r\n\r\n")).toEqual([expect.stringContaining("content-length: 39"), ""]);
});

test("what is no request has no answer", async () => {
  expect(await answered(80, "GET /a HTTP/1.1\r\nHost")).toBe("");
  expect(await answered(80, "\u0016\u0003\u0001 hello\r\n\r\n")).toBe("");
  expect(await answered(80, "x".repeat(70_000))).toBe("");
});

test.each([
  ["no container declares", 8080, pod],
  ["is not of TCP", 53, pod],
  ["belongs to a container that does not run", 81, pod],
  ["was a container's that runs no more", 80, { ...pod, status: {} }],
])("nobody listens at a port that %s", async (_, port, now) => {
  await expect(answered(port, "", () => now)).rejects.toThrow(
    `error forwarding port ${port} to pod default/shop: dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
});
