import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";

const program = process.env["KUBECTL"] ?? "kubectl";
const run = promisify(execFile);
const NODES = 3;

export interface RolloutStageOptions {
  /** As kubectl calls it. */
  readonly kind: "deployment" | "daemonset" | "statefulset";
  readonly controllers: readonly string[];
}

/** A real API server with our daemon in charge, hollow nodes, and kubectl at one workload after the other. */
export class RolloutStage {
  readonly #kind: string;
  readonly #cluster: RealCluster;
  readonly #clients: ClientBuilder;
  readonly #world: HollowWorld;
  readonly #daemon: Daemon;
  #count = 0;
  /** Of the workload that verbs are for. */
  name = "";

  private constructor(
    { kind, controllers }: RolloutStageOptions,
    cluster: RealCluster,
    clients: ClientBuilder,
  ) {
    this.#kind = kind;
    this.#cluster = cluster;
    this.#clients = clients;
    this.#world = startHollowWorld(clients, NODES);
    this.#daemon = new Daemon(ourProgram, [
      `--kubeconfig=${cluster.kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
      `--controllers=${controllers.join()}`,
    ]);
  }

  static async start(options: RolloutStageOptions): Promise<RolloutStage> {
    const cluster = await startRealCluster({ apiServerFlags: HOLLOW_WORLD_FLAGS });
    return new RolloutStage(options, cluster, await clientsOf(cluster.kubeconfig));
  }

  async stop(): Promise<void> {
    await this.#daemon.end("SIGTERM");
    await this.#world.stop();
    await this.#clients.close();
    await this.#cluster.stop();
  }

  /** Creates the next workload, of `app:1`, and waits until it has been rolled out. */
  async next(resource: TypedResource<ApiObject>, spec: object = {}): Promise<void> {
    this.name = `app-${++this.#count}`;
    const labels = { app: this.name };
    const object = {
      metadata: { name: this.name, namespace: "default" },
      spec: {
        ...spec,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "app", image: "app:1" }] },
        },
      },
    };
    await this.#clients.client("test").dynamic(resource).create(object);
    await this.complete();
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    return (await run(program, ["--kubeconfig", this.#cluster.kubeconfig, ...args])).stdout;
  }

  async rollout(verb: string, ...args: readonly string[]): Promise<string> {
    return this.kubectl("rollout", verb, `${this.#kind}/${this.name}`, ...args);
  }

  async complete(): Promise<string> {
    return this.rollout("status", "--timeout=120s");
  }

  async setImage(image: string): Promise<void> {
    await this.kubectl("set", "image", `${this.#kind}/${this.name}`, `app=${image}`);
  }

  async field(path: string): Promise<string> {
    return this.kubectl("get", this.#kind, this.name, "-o", `jsonpath={${path}}`);
  }

  /** What the path leads to in each pod, by the names of the pods. */
  async pods(path: string): Promise<readonly string[]> {
    const query = `jsonpath={.items[*]${path}}`;
    const text = await this.kubectl("get", "pods", "-l", `app=${this.name}`, "-o", query);
    return text.split(" ").filter((each) => each !== "");
  }

  async images(): Promise<readonly string[]> {
    return this.pods(".spec.containers[0].image");
  }

  async revisions(): Promise<readonly string[]> {
    return (await this.rollout("history")).split("\n").flatMap((line) => /^(\d+)\s/.exec(line)?.[1] ?? []);
  }
}
