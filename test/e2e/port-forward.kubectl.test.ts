import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../pkg/client/connect.ts";
import { portForward } from "../../pkg/client/pods/port-forward.ts";
import { until } from "../harness/until.ts";
import { kubectls } from "./kcm-process.ts";
import { KubectlStage } from "./kubectl-stage.ts";

const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
  }
});

/** All that is answered to one connection. */
async function said(port: number, sent: string): Promise<string> {
  const socket = createConnection(port, "127.0.0.1");
  // Who does not read all that was sent resets the connection.
  socket.on("error", () => undefined);
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(sent);
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

const request = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

describe.each(kubectls())("%s port-forward to pods of a cluster of kcm up", (path) => {
  const stage = KubectlStage.use(path);
  const { output } = stage;

  beforeAll(async () => {
    await output("run", "shop", "--image=nginx", "--port=8080");
    await output("wait", "--for=condition=Ready", "pod/shop", "--timeout=60s");
  });

  /** Resolves with the port here, and what the command writes to its standard error. */
  async function forwarded(
    remote: number,
    websockets: boolean,
  ): Promise<{ port: number; stderr: () => string }> {
    const env = { ...process.env, ...stage.env, KUBECTL_PORT_FORWARD_WEBSOCKETS: String(websockets) };
    const child = spawn(path, ["port-forward", "pod/shop", `:${remote}`], { env });
    running.push(child);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await until("it listens", () => stdout.includes("Forwarding from 127.0.0.1:"));
    return { port: Number(/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1]), stderr: () => stderr };
  }

  test.each([
    ["WebSockets", true],
    ["SPDY", false],
  ])("by %s: a declared port says who has been asked for what", async (_, websockets) => {
    const { port } = await forwarded(8080, websockets);
    const paths = ["/", "/a?b=c", "/long"];
    const long = `X: ${"x".repeat(20_000)}\r\n`;
    const answers = await Promise.all(paths.map(async (one) => said(port, request(one, long))));
    const [heads, bodies] = [0, 1].map((part) => answers.map((one) => one.split("\r\n\r\n")[part] ?? ""));
    expect(heads?.every((head) => head.startsWith("HTTP/1.1 200 OK\r\n"))).toBe(true);
    expect(bodies).toEqual(paths.map((one) => `shop: GET ${one} (container shop, port 8080)\n`));
    expect(await said(port, "no HTTP\r\n\r\n")).toBe("");
  });

  test.each([
    ["WebSockets", true],
    ["SPDY", false],
  ])("by %s: at another port nobody listens", async (_, websockets) => {
    const { port, stderr } = await forwarded(81, websockets);
    expect(await said(port, request("/"))).toBe("");
    await until("it says why", () => stderr().includes("connection refused"));
    expect(stderr()).toContain("error forwarding port 81 to pod default/shop");
  });

  test("our own client, too", async () => {
    const cluster = await connect({ kubeconfig: join(stage.directory, "kubeconfig"), env: {} });
    const errors: unknown[] = [];
    const forward = await portForward(
      cluster,
      { namespace: "default", name: "shop" },
      { ports: [{ remote: 8080 }, { remote: 81 }], onError: (error) => errors.push(error) },
    );
    try {
      const [good, bad] = forward.ports.map(({ local }) => local);
      expect(await said(good ?? 0, request("/ours"))).toContain("\r\n\r\nshop: GET /ours (container shop");
      expect(await said(bad ?? 0, request("/"))).toBe("");
      await until("it says why", () => errors.length > 0);
      expect(String(errors[0])).toContain("connection refused");
    } finally {
      await forward.close();
      await cluster.close();
    }
  });
});
