import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ObjectRef } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { HttpServer } from "../../pkg/apiserver/http/http-server.ts";
import type { PodProcesses } from "../../pkg/apiserver/server/pod-processes.ts";
import { clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import { connect, type Connected } from "../../pkg/client/connect.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { copyFromPod, copyToPod } from "../../pkg/client/pods/copy.ts";
import { podLogs } from "../../pkg/client/pods/logs.ts";
import { portForward } from "../../pkg/client/pods/port-forward.ts";
import { attach, exec } from "../../pkg/client/pods/processes.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ContainerLog, LOG_LINES, LocalNode } from "../harness/local-node.ts";
import { runLocally } from "../harness/local-processes.ts";
import { hasRealCluster, startRealCluster } from "../harness/real-cluster.ts";

interface Stage {
  readonly cluster: Pick<Connected, "rest" | "clientFor">;
  /** Of all containers. */
  readonly log: ContainerLog;
  stop(): Promise<void>;
}

const processesOf = (log: ContainerLog): PodProcesses => ({
  // Text has no half letters: this server has its logs in memory.
  logs: async ({ follow }) => textOf(log.read(follow)),
  exec: async ({ command }, streams, signal) => runLocally(command, streams, signal),
  attach: async (_request, streams, signal) => runLocally(["cat"], streams, signal),
});

async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
}

async function embedded(): Promise<Stage> {
  const log = new ContainerLog();
  const server = embeddedServer({ clock: realClock, random: seededRandom(1), processes: processesOf(log) });
  const http = await HttpServer.start({ server });
  const cluster = await connect({ access: { server: new URL(http.url), identity: {} }, qps: -1, env: {} });
  return {
    cluster,
    log,
    stop: async () => {
      await cluster.close();
      await http.close();
      await server.close();
    },
  };
}

/** Without a network. */
async function inProcess(): Promise<Stage> {
  const log = new ContainerLog();
  const server = embeddedServer({ clock: realClock, random: seededRandom(1), processes: processesOf(log) });
  const builder = clientBuilder({
    transports: sharedTransports(new DirectTransport(server)),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    host: "in-process",
    userAgent: "test",
    qps: -1,
    burst: 1,
  });
  return {
    cluster: builder.client("test"),
    log,
    stop: async () => {
      await builder.close();
      await server.close();
    },
  };
}

/** Its API server hands sessions on to a node that says it speaks WebSocket. */
async function real(): Promise<Stage> {
  const log = new ContainerLog();
  const [servers, node] = await Promise.all([startRealCluster(), LocalNode.start(log)]);
  const cluster = await connect({ kubeconfig: servers.kubeconfig, qps: -1, env: {} });
  await cluster.clientFor(resources.nodes).create({ metadata: { name: "node" } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: node.port } },
    declaredFeatures: ["ExtendWebSocketsToKubelet"],
  };
  const patch = { type: "merge", body: { status } } as const;
  await cluster.clientFor(resources.nodes).patch({ name: "node" }, patch, { subresource: "status" });
  return {
    cluster,
    log,
    stop: async () => {
      await cluster.close();
      await node.stop();
      await servers.stop();
    },
  };
}

const stages = [
  { name: "embedded", start: embedded, forwards: false },
  { name: "in-process", start: inProcess, forwards: false },
  ...(hasRealCluster() ? [{ name: "real", start: real, forwards: true }] : []),
];

const pod: ObjectRef = { namespace: "pods", name: "p" };

describe.each(stages)("pods of the $name server", ({ start, forwards }) => {
  let stage: Stage;
  let cluster: Stage["cluster"];
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "client-pods-"));
    stage = await start();
    cluster = stage.cluster;
    await cluster.clientFor(resources.namespaces).create({ metadata: { name: "pods" } });
    await cluster
      .clientFor(resources.serviceAccounts)
      .create({ metadata: { namespace: "pods", name: "default" } });
    const spec = {
      nodeName: "node",
      automountServiceAccountToken: false,
      containers: [{ name: "c", image: "i" }],
    };
    await cluster.clientFor(resources.pods).create({ metadata: pod, spec });
  });
  afterAll(async () => {
    await stage.stop();
    await rm(directory, { recursive: true });
  });

  async function* input(...chunks: readonly string[]): AsyncGenerator<string> {
    yield* chunks;
  }

  test("a log is read line by line", async () => {
    expect(await Array.fromAsync(podLogs(cluster, pod))).toEqual(LOG_LINES);
  });

  test("a log is followed: lines come as they are written, and nobody has to wait for the end", async () => {
    for await (const line of podLogs(cluster, pod, { follow: true, container: "c" })) {
      expect(line).toBe("first");
      break;
    }
    const lines: string[] = [];
    for await (const line of podLogs(cluster, pod, { follow: true })) {
      lines.push(line);
      stage.log.letGo();
    }
    expect(lines).toEqual(LOG_LINES);
  }, 30_000);

  test("the log of a pod that is not there is refused as any request is", async () => {
    const error: unknown = await Array.fromAsync(podLogs(cluster, { ...pod, name: "q" })).catch(
      (e: unknown) => e,
    );
    expect(isNotFound(error)).toBe(true);
  });

  test("a command has its output, its errors and its exit code", async () => {
    const script = "echo out; echo err >&2; exit 3";
    expect(await exec(cluster, pod, { command: ["sh", "-c", script] })).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("a command reads its input to the end", async () => {
    const large = "0123456789".repeat(20_000);
    const result = await exec(cluster, pod, { command: ["wc", "-c"], stdin: input("a", large) });
    expect([result.exitCode, result.stdout.trim()]).toEqual([0, "200001"]);
    const said = await attach(cluster, pod, { stdin: input("hello ", "wörld") });
    expect(said.stdout).toBe("hello wörld");
  });

  test("output is handed over as it comes, as slowly as it is taken", async () => {
    let bytes = 0;
    const result = await exec(cluster, pod, {
      command: ["head", "-c", "3000000", "/dev/zero"],
      onStdout: async (chunk) => {
        bytes += chunk.length;
        await realClock.turn();
      },
    });
    expect([result, bytes]).toEqual([{ exitCode: 0, stdout: "", stderr: "" }, 3_000_000]);
  });

  test("a command ends with the signal", async () => {
    const stop = new AbortController();
    const running = exec(
      cluster,
      pod,
      { command: ["sh", "-c", "echo started; sleep 600"], onStdout: () => stop.abort(new Error("enough")) },
      stop.signal,
    );
    await expect(running).rejects.toThrow("enough");
  });

  test("input that cannot be read ends the command", async () => {
    async function* broken(): AsyncGenerator<string> {
      yield "a";
      throw new Error("the file is gone");
    }
    await expect(exec(cluster, pod, { command: ["cat"], stdin: broken() })).rejects.toThrow(
      "the file is gone",
    );
  });

  test("a session that is refused says why", async () => {
    await expect(exec(cluster, { ...pod, name: "q" }, { command: ["true"] })).rejects.toThrow(
      'pods "q" not found',
    );
    await expect(exec(cluster, pod, { command: ["true"], container: "x" })).rejects.toThrow(
      "container x is not valid for pod p",
    );
  });

  test("directories are copied in and out, without links", async () => {
    const from = join(directory, "from");
    await mkdir(join(from, "deep", "x".repeat(120)), { recursive: true });
    await writeFile(join(from, "deep", "x".repeat(120), "ä"), "long");
    await writeFile(join(from, "run.sh"), "#!/bin/sh\n", { mode: 0o750 });
    await symlink("/etc/passwd", join(from, "link"));
    const there = join(directory, "there");
    await copyToPod(cluster, pod, { from, to: there });
    expect(await readFile(join(there, "deep", "x".repeat(120), "ä"), "utf8")).toBe("long");
    expect((await stat(join(there, "run.sh"))).mode & 0o777).toBe(0o750);
    await symlink("/etc/passwd", join(there, "link"));
    const back = join(directory, "back");
    await copyFromPod(cluster, pod, { from: there, to: back });
    expect(await readFile(join(back, "deep", "x".repeat(120), "ä"), "utf8")).toBe("long");
    expect((await stat(join(back, "run.sh"))).mode & 0o777).toBe(0o750);
    await expect(stat(join(back, "link"))).rejects.toThrow("ENOENT");
  });

  test("a file goes into a directory that is there, and under a new name otherwise", async () => {
    const from = join(directory, "one");
    await writeFile(from, "content".repeat(10_000));
    const place = join(directory, "place");
    await mkdir(place);
    await copyToPod(cluster, pod, { from, to: place });
    await copyToPod(cluster, pod, { from, to: join(place, "other") });
    await copyFromPod(cluster, pod, { from: join(place, "other"), to: directory });
    for (const path of [join(place, "one"), join(place, "other"), join(directory, "other")])
      expect(await readFile(path, "utf8")).toBe("content".repeat(10_000));
    await expect(copyFromPod(cluster, pod, { from: join(directory, "none"), to: directory })).rejects.toThrow(
      /tar in the container has ended with/,
    );
  });

  if (forwards) {
    test("a port is forwarded, connection by connection", async () => {
      const server = createServer((request, response) => response.end(`seen ${request.url}`));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port: remote } = server.address() as AddressInfo;
      const forwarded = await portForward(cluster, pod, { ports: [{ remote }] });
      try {
        const [{ local } = { local: 0 }] = forwarded.ports;
        const get = async (path: string): Promise<string> =>
          (await fetch(`http://127.0.0.1:${local}${path}`, { headers: { connection: "close" } })).text();
        expect(await Promise.all(["/a", "/b"].map(get))).toEqual(["seen /a", "seen /b"]);
      } finally {
        await forwarded.close();
        server.closeAllConnections();
        server.close();
      }
    });

    test("a port that nobody listens on is told of", async () => {
      const errors: unknown[] = [];
      const forwarded = await portForward(cluster, pod, {
        ports: [{ remote: 1 }],
        onError: (error) => errors.push(error),
      });
      try {
        const [{ local } = { local: 0 }] = forwarded.ports;
        await expect(fetch(`http://127.0.0.1:${local}/`)).rejects.toThrow();
        await expect.poll(() => String(errors[0])).toContain("ECONNREFUSED");
      } finally {
        await forwarded.close();
      }
    });
  }
});
