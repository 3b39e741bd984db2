import { Agent, request as httpsRequest } from "node:https";
import { hasRealCluster, startRealCluster } from "./real-cluster.ts";

/** An API server under test, seen as any HTTP client sees it. */
export interface TestServer {
  readonly url: string;
  readonly kubeconfig: string;
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
  start(): Promise<TestServer>;
}

/** The servers that this machine can run: one suite, the same cases against each. */
export const servers: readonly ServerKind[] = hasRealCluster() ? [{ name: "real", start: startReal }] : [];

async function startReal(): Promise<TestServer> {
  const cluster = await startRealCluster();
  const agent = new Agent({
    ca: cluster.ca,
    cert: cluster.admin.cert,
    key: cluster.admin.key,
    keepAlive: true,
  });
  return {
    url: cluster.url,
    kubeconfig: cluster.kubeconfig,
    request: async (method, path, body, headers) => call(agent, cluster.url, method, path, body, headers),
    stream: async (path, onDocument) => streamLines(agent, cluster.url, path, onDocument),
    stop: async () => {
      agent.destroy();
      await cluster.stop();
    },
  };
}

async function call(
  agent: Agent,
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      url + path,
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
  return contentType.includes("json") && text !== "" ? (JSON.parse(text) as unknown) : text;
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
          if (line === "" || onDocument(JSON.parse(line) as unknown)) continue;
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
