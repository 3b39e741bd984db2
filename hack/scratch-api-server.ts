// A real etcd and kube-apiserver with every API version and feature on, for generators that read its facts.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { realProgram } from "../test/harness/real-programs.ts";

const startupTimeoutMs = 120_000;

export interface ScratchApiServer {
  getJson(path: string, accept?: string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startScratchApiServer(): Promise<ScratchApiServer> {
  const dir = mkdtempSync(join(tmpdir(), "scratch-api-server-"));
  const [clientPort, peerPort, apiPort] = await freePorts(3);
  const token = randomUUID();
  writeFileSync(join(dir, "tokens.csv"), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  writeFileSync(join(dir, "sa.key"), key.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const children = [
    run(dir, "etcd", [
      `--data-dir=${dir}/etcd`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      "--unsafe-no-fsync",
    ]),
    run(dir, "kube-apiserver", apiServerFlags(dir, etcdUrl, apiPort ?? 0)),
  ];
  const get = async (path: string, accept = "application/json"): Promise<string> =>
    httpsGet({ port: apiPort ?? 0, path, token, accept, ca: join(dir, "certs/apiserver.crt") });
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(ended));
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await untilReady(get, children, dir);
  } catch (error) {
    await stop();
    throw error;
  }
  return { getJson: async (path, accept) => JSON.parse(await get(path, accept)) as unknown, stop };
}

function apiServerFlags(dir: string, etcdUrl: string, port: number): string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${dir}/certs`,
    "--service-cluster-ip-range=10.0.0.0/24",
    `--token-auth-file=${dir}/tokens.csv`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${dir}/sa.key`,
    `--service-account-signing-key-file=${dir}/sa.key`,
    "--authorization-mode=RBAC",
    "--runtime-config=api/all=true",
    "--feature-gates=AllAlpha=true,AllBeta=true",
  ];
}

async function freePorts(count: number): Promise<number[]> {
  // All are held before any is released, so that no two are the same.
  const servers = await Promise.all(
    Array.from(
      { length: count },
      async () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer().once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function run(dir: string, name: Parameters<typeof realProgram>[0], args: readonly string[]): ChildProcess {
  const log = openSync(join(dir, `${name}.log`), "w");
  return spawn(realProgram(name), args, { stdio: ["ignore", log, log] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

async function untilReady(
  get: (path: string) => Promise<string>,
  children: readonly ChildProcess[],
  dir: string,
): Promise<void> {
  const deadline = Date.now() + startupTimeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    if (children.some((child) => child.exitCode !== null)) {
      throw new Error(`did not start: ${readFileSync(join(dir, "kube-apiserver.log"), "utf8").slice(-2000)}`);
    }
    try {
      await get("/readyz");
      return;
    } catch (error) {
      last = error;
      await sleep(250);
    }
  }
  throw new Error("the API server did not become ready", { cause: last });
}

interface Get {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly accept: string;
  /** The path of the server's self-signed certificate, which it writes when it starts. */
  readonly ca: string;
}

async function httpsGet({ port, path, token, accept, ca }: Get): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, accept };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, ca: readFileSync(ca) }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`GET ${path}: ${response.statusCode} ${body.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
