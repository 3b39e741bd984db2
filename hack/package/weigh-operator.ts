import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rolldown } from "rolldown";

const REST_MS = 30_000;
const LIMIT_MS = 60_000;
const POLL_MS = 10;

/**
 * What an operator takes that does nothing: the size of a bundle of it, the time from its start until it is ready (it has
 * defined its kind, leads, and its caches are full) and its memory when it has rested. managed.js is it; its cluster is
 * that of the package.
 */
export async function weighOperator(project: string, node: string): Promise<readonly string[]> {
  const bundle = await rolldown({ input: join(project, "managed.js"), platform: "node" });
  const file = join(project, "bundle.mjs");
  const { output } = await bundle.write({ file, format: "esm", minify: true, codeSplitting: false });
  const bytes = output.reduce(
    (sum, part) => sum + (part.type === "chunk" ? Buffer.byteLength(part.code) : 0),
    0,
  );
  const cluster = await startCluster(project, node);
  try {
    const lines = [`bundle of an operator, minified: ${(bytes / 1e3).toFixed(0)} kB`];
    for (const [what, program] of [
      ["as it is", "managed.js"],
      ["bundled", "bundle.mjs"],
    ] as const)
      lines.push(`an operator ${what}: ${await weigh(node, join(project, program), cluster.kubeconfig)}`);
    return lines;
  } finally {
    await end(cluster.child);
  }
}

async function startCluster(
  project: string,
  node: string,
): Promise<{ readonly child: ChildProcess; readonly kubeconfig: string }> {
  const kcm = join(project, "node_modules/kube-controller-manager/bin/kcm.mjs");
  const kubeconfig = join(project, "kubeconfig");
  const env = { ...process.env, KCM_HOME: join(project, ".kcm") };
  const args = [kcm, "up", "--apiserver-only", "--port=0", `--kubeconfig=${kubeconfig}`];
  const child = spawn(node, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes("ready after")) break;
  }
  child.stdout.resume();
  return { child, kubeconfig };
}

async function weigh(node: string, program: string, kubeconfig: string): Promise<string> {
  const port = await freePort();
  const startMs = performance.now();
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const child = spawn(node, [program, String(port)], { env, stdio: ["ignore", "ignore", "ignore"] });
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`${program} has ended with ${child.exitCode}`);
      if (performance.now() - startMs > LIMIT_MS)
        throw new Error(`${program} is not ready within ${LIMIT_MS} ms`);
      await sleep(POLL_MS);
    }
    const readyMs = performance.now() - startMs;
    await sleep(REST_MS);
    return `ready after ${(readyMs / 1e3).toFixed(2)} s, at rest ${residentMb(child.pid ?? 0).toFixed(0)} MB`;
  } finally {
    await end(child);
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    // Nobody listens yet.
    return false;
  }
}

const residentMb = (pid: number): number =>
  (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024) / 1e6;

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}
