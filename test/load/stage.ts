import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { type ClusterOptions, EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { ClientThread, type WireAnswer } from "./client-thread.ts";
import { longestTurnMs } from "./longest-turn.ts";

export interface Sent {
  readonly answer: WireAnswer;
  readonly longestMs: number;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly accept?: string;
  readonly until?: string;
}

export interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly [{ readonly name: string }, ...unknown[]];
  };
}

/** A cluster in this process whose turns of the event loop are measured while another thread talks to it. */
export class LoadStage {
  readonly cluster: EmbeddedCluster;
  readonly #client = new ClientThread();

  private constructor(cluster: EmbeddedCluster) {
    this.cluster = cluster;
  }

  static async start(options: Partial<ClusterOptions> = {}): Promise<LoadStage> {
    const random = seededRandom(1);
    const listen = { port: 0 };
    return new LoadStage(
      await EmbeddedCluster.start({ clock: realClock, random, insecure: true, listen, ...options }),
    );
  }

  async send({ method, path, body, type = "application/json", accept, until }: Asked): Promise<Sent> {
    const url = `${this.cluster.http?.url ?? ""}${path}`;
    const headers = {
      ...(body !== undefined && { "content-type": type }),
      ...(accept !== undefined && { accept }),
    };
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    let answer: WireAnswer | undefined;
    const longestMs = await longestTurnMs(async () => {
      answer = await this.#client.send({
        url,
        method,
        headers,
        ...(bytes !== undefined && { body: bytes }),
        ...(until !== undefined && { until }),
      });
    });
    if (answer === undefined) throw new Error("a request without an answer");
    return { answer, longestMs };
  }

  async create(path: string, object: object): Promise<void> {
    const { answer } = await this.send({ method: "POST", path, body: JSON.stringify(object) });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.beginning}`);
  }

  /** Resolves once the resources of the definition are served. */
  async define(definition: Definition): Promise<void> {
    await this.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const { group, names, versions } = definition.spec;
    const path = `/apis/${group}/${versions[0].name}/${names.plural}`;
    while ((await this.send({ method: "GET", path })).answer.status !== 200) await sleep(realClock, 10);
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.cluster.stop();
  }
}
