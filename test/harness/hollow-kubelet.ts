import type { ObjectRef } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** What becomes of a pod: it stays pending, runs, is ready, fails, or (when deleted) takes its time to end. */
export type PodFate = "pending" | "running" | "ready" | "failed";

export interface HollowKubeletOptions {
  readonly client: ClientSet;
  readonly clock: Clock;
  /** Undefined: the pod stays what it is. Every pod becomes ready when this is left out. */
  readonly fateOf?: (pod: Pod) => PodFate | undefined;
  /** Whether a pod that is being deleted has ended; all end at once when left out. */
  readonly hasEnded?: (pod: Pod) => boolean;
  /** All namespaces when left out. */
  readonly namespace?: string;
}

/** Stands for scheduler and kubelets: no containers, only what they would write about pods. */
export class HollowKubelet {
  readonly #options: HollowKubeletOptions;

  constructor(options: HollowKubeletOptions) {
    this.#options = options;
  }

  /** Does for each pod what is due, once. Returns how many pods were written. */
  async step(): Promise<number> {
    const { client, namespace } = this.#options;
    const { items } = await client
      .clientFor<Pod>(resources.pods)
      .list(namespace === undefined ? {} : { namespace });
    let written = 0;
    for (const pod of items) if (await this.#tend(pod)) written++;
    return written;
  }

  async #tend(pod: Pod): Promise<boolean> {
    const { client, fateOf = () => "ready", hasEnded = () => true } = this.#options;
    const pods = client.clientFor<Pod>(resources.pods);
    try {
      if (pod.metadata.deletionTimestamp !== undefined) {
        const isHeld = (pod.metadata.finalizers ?? []).length > 0;
        if (isHeld || !hasEnded(pod)) return false;
        await pods.delete(refOf(pod), { gracePeriodSeconds: 0 });
        return true;
      }
      const fate = fateOf(pod);
      if (fate === undefined || saysSo(pod, fate)) return false;
      await markPod(client, refOf(pod), fate, this.#options.clock.nowMs());
      return true;
    } catch (error) {
      // Its owner was faster; the next step sees what has become of it.
      if (isNotFound(error) || isConflict(error)) return false;
      throw error;
    }
  }
}

/** Writes the status that a kubelet would, as of `sinceMs`. */
export async function markPod(
  client: ClientSet,
  ref: ObjectRef,
  fate: PodFate,
  sinceMs: number,
): Promise<void> {
  const ready = { type: "Ready", status: fate === "ready" ? "True" : "False" };
  const phase = { pending: "Pending", running: "Running", ready: "Running", failed: "Failed" }[fate];
  const body = {
    status: { phase, conditions: [{ ...ready, lastTransitionTime: formatTime(sinceMs) }] },
  };
  await client
    .clientFor<Pod>(resources.pods)
    .patch(ref, { type: "strategic", body }, { subresource: "status" });
}

function saysSo(pod: Pod, fate: PodFate): boolean {
  const { phase, conditions } = pod.status ?? {};
  const isReady = conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (fate === "pending") return phase === "Pending";
  if (fate === "failed") return phase === "Failed" || phase === "Succeeded";
  if (phase === "Failed" || phase === "Succeeded") return true;
  return phase === "Running" && isReady === (fate === "ready");
}

function refOf(pod: Pod): ObjectRef {
  return { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
}
