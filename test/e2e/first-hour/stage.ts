import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { clientsOf } from "../../harness/admin-client.ts";
import { Daemon, ourProgram } from "../../harness/daemon.ts";
import { startHollowWorld } from "../../harness/hollow-world.ts";
import { startRealCluster } from "../../harness/real-cluster.ts";
import { command, KcmProcess, kubectls } from "../kcm-process.ts";
import { maskedLines } from "./mask.ts";
import type { Call, Step } from "./step.ts";

const NODES = 3;

/** What a call has said, fit to be compared. */
export interface Said {
  readonly step: string;
  readonly call: string;
  readonly lines: readonly string[];
}

/** A cluster with somebody at kubectl. */
export class Stage {
  readonly directory: string;
  readonly kubeconfig: string;
  readonly #stop: () => Promise<void>;
  readonly #said: Said[] = [];

  constructor(directory: string, kubeconfig: string, stop: () => Promise<void>) {
    this.directory = directory;
    this.kubeconfig = kubeconfig;
    this.#stop = stop;
  }

  get said(): readonly Said[] {
    return this.#said;
  }

  async play({ name, calls }: Step): Promise<void> {
    for (const call of calls) {
      const output = await this.#call(call);
      if (call.isWait === true) continue;
      this.#said.push({ step: name, call: call.args.join(" "), lines: maskedLines(output) });
    }
  }

  async stop(): Promise<void> {
    await this.#stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** All that kubectl says to a call that is in no script. */
  async kubectl(words: string): Promise<string> {
    return this.#call({ args: words.split(" ") });
  }

  async #call({ args, manifest, exitCode = 0, says = /(?:)/, isPolled = false }: Call): Promise<string> {
    const file = join(this.directory, "manifest.yaml");
    if (manifest !== undefined) await writeFile(file, manifest);
    const all = manifest === undefined ? args : [...args, "-f", file];
    const [kubectl = "kubectl"] = kubectls();
    const attempt = async (): Promise<string> => {
      const ended = await command(kubectl, all, { KUBECONFIG: this.kubeconfig, HOME: this.directory });
      const output = ended.stdout + ended.stderr;
      if (!isPolled) expect(ended.exitCode, `kubectl ${args.join(" ")}\n${output}`).toBe(exitCode);
      return output;
    };
    let output = await attempt();
    if (isPolled && !says.test(output)) {
      await expect.poll(async () => (output = await attempt()), { interval: 200 }).toMatch(says);
    }
    expect(output, `kubectl ${args.join(" ")}`).toMatch(says);
    return output;
  }
}

export async function kcmStage(...flags: readonly string[]): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "kcm-hour-"));
  const kcm = new KcmProcess(["up", "--port=0", `--nodes=${NODES}`, ...flags], directory);
  await kcm.says(/ {2}kcm down/);
  return new Stage(directory, join(directory, ".kcm", "default", "kubeconfig"), async () => {
    expect(await kcm.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  });
}

/** The same with the real API server: our manager, our scheduler and nodes, none of them in its process. */
export async function realStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "real-hour-"));
  const cluster = await startRealCluster();
  const clients = await clientsOf(cluster.kubeconfig);
  const world = startHollowWorld(clients, NODES, { tellsEvents: true });
  const flags = [
    `--kubeconfig=${cluster.kubeconfig}`,
    "--secure-port=0",
    "--use-service-account-credentials",
  ];
  const manager = new Daemon(ourProgram, flags);
  await manager.says("uccessfully acquired lease");
  return new Stage(directory, cluster.kubeconfig, async () => {
    await manager.end("SIGTERM");
    await world.stop();
    await clients.close();
    await cluster.stop();
  });
}
