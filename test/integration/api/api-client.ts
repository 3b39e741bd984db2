import { afterAll, beforeAll, describe } from "vitest";
import { servers, type TestResponse, type TestServer } from "../../harness/servers.ts";

type Json = Record<string, unknown>;

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly managedFields?: readonly Json[];
}

/** The body of an answer, with the members that cases look at. */
export interface Body extends Json {
  readonly kind: string;
  readonly metadata: Meta;
  readonly items: readonly Body[];
  readonly message: string;
  readonly reason: string;
  readonly details: Json;
  readonly spec: Json;
  readonly status: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: TestResponse["headers"];
  readonly body: Body;
}

export interface StreamedEvent {
  readonly type: string;
  readonly object: Body;
}

/** Cases speak HTTP and nothing else, each in a namespace of its own. */
export class ApiClient {
  readonly #server: TestServer;
  readonly #run: string;
  #namespaces = 0;

  constructor(server: TestServer, run: string) {
    this.#server = server;
    this.#run = run;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    // Without its length, the body of a DELETE is not part of the request.
    const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
    const answer = await this.#server.request(method, path, text, { ...length, ...headers });
    return { status: answer.status, headers: answer.headers, body: answer.body as Body };
  }

  async get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  async patch(path: string, type: "json" | "merge" | "strategic", body: unknown): Promise<Answer> {
    const media = type === "strategic" ? "strategic-merge-patch" : `${type}-patch`;
    return this.send("PATCH", path, body, { "content-type": `application/${media}+json` });
  }

  async apply(path: string, manager: string, body: unknown, force = false): Promise<Answer> {
    const query = `?fieldManager=${manager}${force ? "&force=true" : ""}`;
    return this.send("PATCH", path + query, body, { "content-type": "application/apply-patch+yaml" });
  }

  /**
   * Waits until the cache of the server has what it answered. A write that it begins on an older state it begins
   * again, and then admission is asked twice.
   */
  async caughtUp(path: string, { body }: Answer): Promise<void> {
    await this.get(`${path}?resourceVersion=${body.metadata.resourceVersion}`);
  }

  /** Events until there are `count`, or until the server ends the watch; into `events` as they come. */
  async watch(path: string, count: number, events: StreamedEvent[] = []): Promise<readonly StreamedEvent[]> {
    await this.#server.stream(path, (document) => events.push(document as StreamedEvent) < count);
    return events;
  }

  async namespace(): Promise<string> {
    const name = `${this.#run}-${this.#namespaces++}`;
    await this.send("POST", "/api/v1/namespaces", { metadata: { name } });
    // Pods are not admitted without it, and nobody is there to make it.
    await this.send("POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
    return name;
  }

  /** The path of the ConfigMaps in a namespace of its own: the plainest objects that there are. */
  async configMaps(): Promise<string> {
    return `/api/v1/namespaces/${await this.namespace()}/configmaps`;
  }
}

/** Runs the same cases against every server. The flags are for kube-apiserver. */
export function describeApi(
  name: string,
  cases: (api: () => ApiClient) => void,
  flags: readonly string[] = [],
): void {
  describe.each(servers)(`${name} ($name)`, (kind) => {
    let server: TestServer;
    let client: ApiClient;
    beforeAll(async () => {
      server = await kind.start(flags);
      client = new ApiClient(server, name.replaceAll(/[^a-z]+/g, "-").slice(0, 20));
    });
    afterAll(async () => server.stop());
    cases(() => client);
  });
}
