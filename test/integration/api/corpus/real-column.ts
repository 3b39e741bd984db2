import { Agent, request } from "node:https";
import type { Status } from "../../../../pkg/api/object.ts";
import type { BuiltInResource } from "../../../../pkg/api/resource.ts";
import { resourcePath } from "../../../../pkg/api/resource.ts";
import type { RealCluster } from "../../../harness/real-cluster.ts";
import type { CorpusCase } from "./corpus-case.ts";

export interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & Status;
}

/** Posts objects to a real API server. */
export class RealColumn {
  readonly #agent: Agent;
  readonly #url: string;

  constructor(cluster: RealCluster) {
    this.#url = cluster.url;
    this.#agent = new Agent({
      ca: cluster.ca,
      cert: cluster.admin.cert,
      key: cluster.admin.key,
      keepAlive: true,
    });
  }

  async create(resource: BuiltInResource, object: CorpusCase["object"]): Promise<Answer> {
    const namespace = resource.namespaced ? "default" : undefined;
    return this.#send("POST", resourcePath(resource, namespace), object);
  }

  /** A JSON merge patch. */
  async patch(resource: BuiltInResource, name: string, subresource: string, patch: object): Promise<Answer> {
    const namespace = resource.namespaced ? "default" : undefined;
    const path = resourcePath(resource, namespace, name, subresource === "" ? undefined : subresource);
    return this.#send("PATCH", path, patch, { "content-type": "application/merge-patch+json" });
  }

  async get(path: string, accept = "application/json"): Promise<Answer> {
    return this.#send("GET", path, undefined, { accept });
  }

  async #send(
    method: string,
    path: string,
    content: unknown,
    others: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const body = content === undefined ? "" : JSON.stringify(content);
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...others,
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const parsed = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Answer["body"];
          resolve({ code: response.statusCode ?? 0, body: parsed });
        });
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
