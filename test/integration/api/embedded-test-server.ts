import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../../pkg/clock/random.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { startEmbedded } from "../../../pkg/embedded/start-embedded.ts";
import { type ServerKind, servers, type TestResponse, type TestServer } from "../../harness/servers.ts";

/** Every server that this machine can run; the embedded one is always there. */
export const apiServers: readonly ServerKind[] = servers.some(({ name }) => name === "embedded")
  ? servers
  : [{ name: "embedded", start: startEmbeddedServer }, ...servers];

async function startEmbeddedServer(): Promise<TestServer> {
  const embedded = await startEmbedded({ clock: realClock, random: seededRandom(1) }, {});
  const { url } = embedded.http;
  const directory = await mkdtemp(join(tmpdir(), "kcm-embedded-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor(url));
  const server: TestServer = {
    url,
    kubeconfig,
    request: async (method, path, body, headers) => send(url, method, path, body, headers),
    stream: async (path, onDocument) => streamLines(url, path, onDocument),
    stop: async () => {
      await embedded.stop();
      await rm(directory, { recursive: true });
    },
  };
  for (const name of ["default", "kube-system"])
    await server.request("POST", "/api/v1/namespaces", { metadata: { name } });
  return server;
}

function kubeconfigFor(url: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "embedded", cluster: { server: url } }],
    users: [{ name: "admin", user: {} }],
    contexts: [{ name: "embedded", context: { cluster: "embedded", user: "admin" } }],
    "current-context": "embedded",
  });
}

async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const request = httpRequest(url + path, {
    method,
    headers: { accept: "application/json", "content-type": "application/json", ...headers },
  });
  request.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = (response.headers["content-type"] ?? "").includes("json") && text !== "";
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

async function streamLines(
  url: string,
  path: string,
  onDocument: (document: unknown) => boolean,
): Promise<void> {
  const response = await fetch(url + path);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "" || onDocument(JSON.parse(line) as unknown)) continue;
      return;
    }
  }
}
