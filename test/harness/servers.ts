import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { type ClusterOptions, EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { CertificateAuthority, type KeyPair } from "../../pkg/pki/certificate-authority.ts";
import { parseJson } from "../../pkg/api/wire-json.ts";
import { hasRealCluster, startRealCluster } from "./real-cluster.ts";

/** An API server under test, seen as any HTTP client sees it. */
export interface TestServer {
  readonly url: string;
  /** Of the admin. */
  readonly kubeconfig: string;
  /** Writes a kubeconfig like the admin's, with these credentials, and returns its path. */
  kubeconfigWith(name: string, user: Readonly<Record<string, unknown>>): Promise<string>;
  /** A member of system:masters. */
  readonly admin: KeyPair;
  /** A directory of its own, which goes with it. */
  readonly directory: string;
  /** A request as the admin; JSON in, JSON (or text) out. The status is an answer, whatever it is. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestResponse>;
  /** As `request`, and hands over each JSON line of the answer until `onDocument` returns false or the stream ends. */
  stream(path: string, onDocument: (document: unknown) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

export interface ServerKind {
  readonly name: "embedded" | "real";
  /** The flags are for kube-apiserver. */
  start(apiServerFlags?: readonly string[]): Promise<TestServer>;
}

/** The servers that this machine can run: one suite, the same cases against each. */
export const servers: readonly ServerKind[] = [
  { name: "embedded", start: startEmbedded },
  ...(hasRealCluster() ? [{ name: "real", start: startReal } as const] : []),
];

/** What there is to know of a server that has been started. */
interface Started {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly admin: KeyPair;
  readonly directory: string;
  /** Removes the directory as well. */
  stop(): Promise<void>;
}

async function startReal(apiServerFlags: readonly string[] = []): Promise<TestServer> {
  return seen(await startRealCluster({ apiServerFlags }));
}

/** Without controllers, like the real one. */
async function startEmbedded(flags: readonly string[] = []): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), "kcm-embedded-"));
  const authority = await CertificateAuthority.create("embedded", realClock);
  const serving = await authority.issue({ commonName: "kube-apiserver", hosts: ["127.0.0.1"] });
  const cluster = await EmbeddedCluster.start({
    clock: realClock,
    random: seededRandom(1),
    ...embeddedOptions(flags),
    serviceAccountKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
    listen: { port: 0, tls: { ...serving, clientCa: authority.cert } },
  });
  return seen({
    url: cluster.http?.url ?? "",
    ca: authority.cert,
    admin: await authority.issue({ commonName: "admin", organizations: ["system:masters"] }),
    directory,
    stop: async () => {
      await cluster.stop();
      await rm(directory, { recursive: true });
    },
  });
}

/** What the flags of kube-apiserver mean here; most are about what is the same everywhere. */
export function embeddedOptions(
  flags: readonly string[],
): Pick<ClusterOptions, "eventTtlMs" | "runtimeConfig"> {
  const switchedOn = flags.flatMap((flag) => /^--runtime-config=(.*)=true$/.exec(flag)?.[1] ?? []);
  const ttl = flags.findLast((flag) => flag.startsWith("--event-ttl="));
  const seconds = /^--event-ttl=(\d+)s$/.exec(ttl ?? "")?.[1];
  return {
    ...(seconds !== undefined && { eventTtlMs: Number(seconds) * 1000 }),
    ...(switchedOn.length > 0 && { runtimeConfig: switchedOn }),
  };
}

async function seen(started: Started): Promise<TestServer> {
  const { url, ca, admin, directory } = started;
  const agent = new Agent({ ca, cert: admin.cert, key: admin.key, keepAlive: true });
  const kubeconfigWith: TestServer["kubeconfigWith"] = async (name, user) => {
    const path = join(directory, name);
    await writeFile(path, kubeconfigFor(url, ca, user));
    return path;
  };
  return {
    url,
    admin,
    directory,
    kubeconfigWith,
    kubeconfig: await kubeconfigWith("admin-of-test", {
      "client-certificate-data": Buffer.from(admin.cert).toString("base64"),
      "client-key-data": Buffer.from(admin.key).toString("base64"),
    }),
    request: async (method, path, body, headers) => call(agent, url + path, { method, body, headers }),
    stream: async (path, onDocument) => streamLines(agent, url, path, onDocument),
    stop: async () => {
      agent.destroy();
      await started.stop();
    },
  };
}

function kubeconfigFor(url: string, ca: string, user: Readonly<Record<string, unknown>>): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

interface TestRequest {
  readonly method: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

async function call(
  agent: Agent,
  url: string,
  { method, body, headers }: TestRequest,
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      url,
      {
        agent,
        method,
        headers: { accept: "application/json", "content-type": "application/json", ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: parseBody(Buffer.concat(chunks).toString(), response.headers["content-type"] ?? ""),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}

function parseBody(text: string, contentType: string): unknown {
  return contentType.includes("json") && text !== "" ? parseJson(text) : text;
}

async function streamLines(
  agent: Agent,
  url: string,
  path: string,
  onDocument: (document: unknown) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(url + path, { agent, headers: { accept: "application/json" } }, (response) => {
      let rest = "";
      response.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          if (line === "" || onDocument(parseJson(line))) continue;
          sent.destroy();
          resolve();
          return;
        }
      });
      response.on("end", resolve);
    });
    sent.on("error", reject);
    sent.end();
  });
}
