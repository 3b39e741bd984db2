import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { clientsOf } from "../harness/admin-client.ts";

export interface PodProgramsOptions {
  readonly kubeconfig: string;
  /** The program with the servers that are in the image of upstream's test pods. */
  readonly servers: string;
  /** For files that pods mount. */
  readonly directory: string;
}

const POLL_MS = 200;
/** Its subcommands, by which pods of that image say what they are. */
const COMMANDS = new Set(["webhook", "crd-conversion-webhook"]);

/**
 * Hollow nodes run nothing, but the webhooks of the conformance are programs in pods. They run here, while their pods do: at
 * the addresses of the pods, which are all those of this machine in a network of one's own.
 */
export class PodPrograms implements AsyncDisposable {
  readonly #options: PodProgramsOptions;
  readonly #running = new Map<string, ChildProcess>();
  readonly #end = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(options: PodProgramsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const clients = await clientsOf(this.#options.kubeconfig);
    const client = clients.client("pod-programs");
    this.#done = this.#follow(client).then(async () => clients.close());
    // Whoever disposes of it hears of a failure.
    this.#done.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("the conformance ends"));
    for (const child of this.#running.values()) child.kill("SIGKILL");
    await this.#done;
  }

  async #follow(client: ClientSet): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const { items } = await client.clientFor<Pod>(resources.pods).list({});
      const wanted = new Map(
        items.filter(runsServer).map((pod): [string, Pod] => [pod.metadata?.uid ?? "", pod]),
      );
      for (const [uid, child] of this.#running) {
        if (wanted.has(uid)) continue;
        this.#running.delete(uid);
        const ended = once(child, "exit");
        if (child.kill("SIGKILL")) await ended;
      }
      for (const [uid, pod] of wanted) {
        if (!this.#running.has(uid)) this.#running.set(uid, await this.#run(client, pod, uid));
      }
      await sleep(realClock, POLL_MS, signal).catch(() => undefined);
    }
  }

  async #run(client: ClientSet, pod: Pod, uid: string): Promise<ChildProcess> {
    const [container] = pod.spec?.containers ?? [];
    const home = join(this.#options.directory, uid);
    for (const { name, mountPath } of container?.volumeMounts ?? []) {
      const secretName = pod.spec?.volumes?.find((volume) => volume.name === name)?.secret?.secretName;
      if (secretName === undefined) continue;
      const namespace = pod.metadata?.namespace ?? "";
      const { data = {} } = await client
        .clientFor<Secret>(resources.secrets)
        .get({ namespace, name: secretName });
      mkdirSync(join(home, mountPath), { recursive: true });
      for (const [file, content] of Object.entries(data))
        writeFileSync(join(home, mountPath, file), Buffer.from(content, "base64"));
    }
    const args = (container?.args ?? []).map((arg) => arg.replace(/=\//, `=${home}/`));
    return spawn(this.#options.servers, args, { stdio: ["ignore", "inherit", "inherit"] });
  }
}

function runsServer({ metadata, spec, status }: Pod): boolean {
  const [command = ""] = spec?.containers[0]?.args ?? [];
  return COMMANDS.has(command) && status?.podIP !== undefined && metadata?.deletionTimestamp === undefined;
}
