import { Agent, request as httpsRequest } from "node:https";
import { collectionOf } from "./case.ts";
import type { KeyPair } from "../../pkg/pki/certificate-authority.ts";

/** What one server answered. */
export interface Answer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly contentType: string;
  readonly retryAfter: string;
  readonly text: string;
}

export interface SideRequest {
  readonly method: string;
  readonly path: string;
  readonly user: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SideOptions {
  readonly name: "real" | "embedded";
  readonly url: string;
  readonly ca: string;
  readonly admin: KeyPair;
  /** Lists that name a version come from caches, which do not have everything that was written at once. */
  readonly caches: boolean;
  readonly stop: () => Promise<void>;
}

/** No request of the fuzzer takes longer than this: watches end by themselves. */
const LIMIT_MS = 30_000;

/** One of the two servers, as its clients see it. */
export class Side {
  readonly name: SideOptions["name"];
  readonly #url: string;
  readonly #admin: Agent;
  readonly #anonymous: Agent;
  readonly #caches: boolean;
  readonly #stop: () => Promise<void>;

  constructor({ name, url, ca, admin, caches, stop }: SideOptions) {
    this.name = name;
    this.#caches = caches;
    this.#url = url;
    this.#stop = stop;
    const common = { ca, keepAlive: true, maxSockets: 64, scheduling: "fifo" } as const;
    this.#admin = new Agent({ ...common, cert: admin.cert, key: admin.key });
    this.#anonymous = new Agent(common);
  }

  /** Whatever is answered is an answer; a connection that breaks off and a hang are status 0. */
  async send(request: SideRequest): Promise<Answer> {
    try {
      const [path = "", query = ""] = request.path.split("?");
      if (this.#caches && ["GET", "DELETE"].includes(request.method) && query.includes("resourceVersion="))
        await this.#waitForCache(collectionOf(path));
      return await this.#send(request);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { status: 0, warnings: [], contentType: "", retryAfter: "", text };
    }
  }

  async stop(): Promise<void> {
    this.#admin.destroy();
    this.#anonymous.destroy();
    await this.#stop();
  }

  /** A list without a version waits until the cache has what was written before. */
  async #waitForCache(collection: string): Promise<void> {
    const path = `${collection}?labelSelector=nothing-has-this`;
    await this.#send({ method: "GET", path, user: "admin", headers: {} });
  }

  async #send({ method, path, user, headers, body }: SideRequest): Promise<Answer> {
    const isAdmin = user !== "anonymous" && user !== "nobody";
    const all: Record<string, string> = { "user-agent": "fuzzer/1", accept: "application/json", ...headers };
    if (user === "nobody") all["authorization"] = "Bearer nobody-has-this";
    if (isAdmin && user !== "admin") all["impersonate-user"] = user;
    if (body !== undefined) all["content-length"] = String(Buffer.byteLength(body));
    const agent = isAdmin ? this.#admin : this.#anonymous;
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(`${this.#url}${path}`, { method, agent, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const warnings: unknown = response.headers["warning"];
          resolve({
            status: response.statusCode ?? 0,
            warnings: typeof warnings === "string" ? warnings.split(/, (?=299 )/) : [],
            contentType: response.headers["content-type"] ?? "",
            retryAfter: response.headers["retry-after"] ?? "",
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.setTimeout(LIMIT_MS, () => sent.destroy(new Error("no answer in 30 s")));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}
