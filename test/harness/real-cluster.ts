import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../pkg/pki/certificate-authority.ts";
import { realProgram } from "./real-programs.ts";

export { hasRealCluster } from "./real-programs.ts";

const READY_LIMIT_MS = 60_000;
/** Memory is there, and a start takes a third less of CPU when it is not collected as often. */
const LAZY_GARBAGE_COLLECTION = { GOGC: "400" };

export interface RealClusterOptions {
  /** More flags for kube-apiserver; a later flag wins over an earlier one. */
  readonly apiServerFlags?: readonly string[];
  /** Writes every request at level Metadata to `auditLog`. */
  readonly audit?: boolean;
  /** Where the API server is to look for its etcd, when something is to be between the two. */
  readonly etcdFor?: (etcdUrl: string) => string;
}

/** An etcd and a kube-apiserver of the test's own, on loopback, with RBAC on. */
export interface RealCluster {
  readonly url: string;
  /** CA of the server and of client certificates, in PEM. */
  readonly ca: string;
  /** A member of system:masters. */
  readonly admin: KeyPair;
  /** A kubeconfig file of the admin. */
  readonly kubeconfig: string;
  readonly directory: string;
  readonly auditLog: string;
  readonly etcdUrl: string;
  /** Issues client certificates that the server trusts. */
  readonly authority: CertificateAuthority;
  /** Issues certificates of request-header proxies (allowed name: front-proxy-client). */
  readonly frontProxyAuthority: CertificateAuthority;
  /** Private key that signs service account tokens, as a file. */
  readonly serviceAccountKeyFile: string;
  /** Writes a kubeconfig for a user of this name and these groups and returns its path. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** Ends the API server at once (SIGKILL) and starts it again on the same port and data. */
  restartApiServer(): Promise<void>;
  /** Ends the API server at once; `restartApiServer` brings it back. */
  killApiServer(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  freezeApiServer(): void;
  thawApiServer(): void;
  stop(): Promise<void>;
}

export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const directory = await mkdtemp(join(tmpdir(), "kcm-real-"));
  const files = await writeCredentials(directory);
  const [clientPort, peerPort, apiPort] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = startProgram("etcd", directory, etcdFlags(directory, etcdUrl, `http://127.0.0.1:${peerPort}`));
  const url = `https://127.0.0.1:${apiPort}`;
  const ca = files.authority.cert;
  const flags = apiServerFlags(directory, options.etcdFor?.(etcdUrl) ?? etcdUrl, apiPort ?? 0, options);
  let apiServer = startProgram("kube-apiserver", directory, flags);
  const kubeconfig = await writeKubeconfig(directory, { url, ca }, "admin", files.admin);
  try {
    await waitUntilReady({ url, ca }, files.admin, apiServer, directory);
  } catch (error) {
    await Promise.all([endProgram(apiServer), endProgram(etcd)]);
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return {
    url,
    ca,
    admin: files.admin,
    kubeconfig,
    directory,
    auditLog: join(directory, "audit.log"),
    etcdUrl,
    authority: files.authority,
    frontProxyAuthority: files.frontProxyAuthority,
    serviceAccountKeyFile: join(directory, "service-account.key"),
    kubeconfigFor: async (user, groups = []) => {
      const pair = await files.authority.issue({ commonName: user, organizations: groups });
      return writeKubeconfig(directory, { url, ca }, user.replaceAll(/[^a-z0-9.-]/gi, "_"), pair);
    },
    killApiServer: async () => endProgram(apiServer),
    restartApiServer: async () => {
      await endProgram(apiServer);
      apiServer = startProgram("kube-apiserver", directory, flags);
      await waitUntilReady({ url, ca }, files.admin, apiServer, directory);
    },
    freezeApiServer: () => void apiServer.kill("SIGSTOP"),
    thawApiServer: () => void apiServer.kill("SIGCONT"),
    stop: async () => {
      await Promise.all([endProgram(apiServer), endProgram(etcd)]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function writeCredentials(
  directory: string,
): Promise<{ authority: CertificateAuthority; frontProxyAuthority: CertificateAuthority; admin: KeyPair }> {
  const authority = await CertificateAuthority.create("kcm-test-ca", realClock);
  const frontProxyAuthority = await CertificateAuthority.create("kcm-test-front-proxy-ca", realClock);
  const server = await authority.issue({
    commonName: "kube-apiserver",
    hosts: ["localhost", "127.0.0.1", "kubernetes.default.svc"],
  });
  const admin = await authority.issue({ commonName: "admin", organizations: ["system:masters"] });
  const serviceAccountKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  await mkdir(join(directory, "certs"), { recursive: true });
  await Promise.all([
    writeFile(join(directory, "ca.crt"), authority.cert),
    writeFile(join(directory, "front-proxy-ca.crt"), frontProxyAuthority.cert),
    writeFile(join(directory, "ca.key"), authority.key, { mode: 0o600 }),
    writeFile(join(directory, "server.crt"), server.cert),
    writeFile(join(directory, "server.key"), server.key, { mode: 0o600 }),
    writeFile(
      join(directory, "service-account.key"),
      serviceAccountKey.export({ type: "pkcs1", format: "pem" }),
      { mode: 0o600 },
    ),
    writeFile(
      join(directory, "audit-policy.yaml"),
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n",
    ),
  ]);
  return { authority, frontProxyAuthority, admin };
}

function etcdFlags(directory: string, clientUrl: string, peerUrl: string): readonly string[] {
  return [
    `--data-dir=${join(directory, "etcd")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    "--unsafe-no-fsync",
    "--quota-backend-bytes=8589934592",
    "--log-level=warn",
  ];
}

function apiServerFlags(
  directory: string,
  etcdUrl: string,
  port: number,
  options: RealClusterOptions,
): readonly string[] {
  const file = (name: string): string => join(directory, name);
  const audit = [`--audit-log-path=${file("audit.log")}`, `--audit-policy-file=${file("audit-policy.yaml")}`];
  return [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    `--secure-port=${port}`,
    `--cert-dir=${file("certs")}`,
    `--tls-cert-file=${file("server.crt")}`,
    `--tls-private-key-file=${file("server.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--service-account-key-file=${file("service-account.key")}`,
    `--service-account-signing-key-file=${file("service-account.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--authorization-mode=RBAC",
    "--allow-privileged=true",
    "--max-requests-inflight=2000",
    "--max-mutating-requests-inflight=1000",
    ...(options.audit === true ? audit : []),
    ...(options.apiServerFlags ?? []),
  ];
}

function startProgram(
  name: Parameters<typeof realProgram>[0],
  directory: string,
  flags: readonly string[],
): ChildProcess {
  const env = { ...process.env, ...LAZY_GARBAGE_COLLECTION };
  const child = spawn(realProgram(name), flags, { stdio: ["ignore", "pipe", "pipe"], env });
  const log = createWriteStream(join(directory, `${name}.log`), { flags: "a" });
  child.stdout?.pipe(log);
  child.stderr?.pipe(log);
  return child;
}

async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Where the API server is, and who vouches for it. */
interface Address {
  readonly url: string;
  readonly ca: string;
}

async function waitUntilReady(
  { url, ca }: Address,
  admin: KeyPair,
  apiServer: ChildProcess,
  directory: string,
): Promise<void> {
  const agent = new Agent({ ca, cert: admin.cert, key: admin.key });
  const startMs = performance.now();
  try {
    while (performance.now() - startMs < READY_LIMIT_MS) {
      if (apiServer.exitCode !== null) break;
      if ((await statusOf(`${url}/readyz`, agent)) === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    agent.destroy();
  }
  const log = await readFile(join(directory, "kube-apiserver.log"), "utf8");
  throw new Error(`kube-apiserver did not become ready:\n${log.slice(-3_000)}`);
}

async function statusOf(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    const call = request(url, { agent, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", () => resolve(undefined));
    call.on("timeout", () => call.destroy());
    call.end();
  });
}

async function writeKubeconfig(
  directory: string,
  { url, ca }: Address,
  user: string,
  pair: KeyPair,
): Promise<string> {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: url, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(pair.cert), "client-key-data": base64(pair.key) },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user } }],
    "current-context": "test",
  };
  const path = join(directory, `${user}.kubeconfig`);
  await writeFile(path, JSON.stringify(config, null, 2), { mode: 0o600 });
  return path;
}

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      async () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once("error", reject);
          server.listen(0, "127.0.0.1", () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
