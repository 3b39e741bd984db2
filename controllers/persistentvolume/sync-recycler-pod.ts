import { messageOf } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PersistentVolumeContext } from "./context.ts";
import type { ObjectEvent } from "./decide-claim.ts";

/** Resolves when the pod has succeeded; rejects when it has not, or nothing is heard of it any more. */
export async function podEnd(
  { metadata }: Stored<Pod>,
  { podClient }: PersistentVolumeContext,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, resourceVersion } = metadata;
  const fieldSelector = `metadata.name=${name}`;
  for await (const { type, object } of podClient.watch(
    { namespace, fieldSelector, resourceVersion },
    signal,
  )) {
    if (type === "DELETED") throw new Error("recycler pod was deleted");
    if (type === "BOOKMARK") continue;
    const { phase, message = "" } = object.status ?? {};
    if (phase === "Succeeded") return;
    if (phase === "Failed")
      throw new Error(message === "" ? "pod failed, pod.Status.Message unknown" : message);
  }
  throw new Error(`recycler pod ${JSON.stringify(name)} watch channel had been closed`);
}

export interface Relay {
  readonly signal: AbortSignal;
  readonly onEvent: (event: ObjectEvent) => void;
}

/** Tells of the volume what happens to the pod, until the signal aborts. */
export async function relayEvents(
  { metadata }: Stored<Pod>,
  { eventClient, log }: PersistentVolumeContext,
  { signal, onEvent }: Relay,
): Promise<void> {
  const { namespace, name, resourceVersion } = metadata;
  const fieldSelector = `involvedObject.name=${name}`;
  try {
    for await (const { type, object } of eventClient.watch(
      { namespace, fieldSelector, resourceVersion },
      signal,
    ))
      if (type === "ADDED")
        onEvent({
          type: object.type === "Warning" ? "Warning" : "Normal",
          reason: "RecyclerPod",
          message: `Recycler pod: ${object.message ?? ""}`,
        });
  } catch (error) {
    if (!signal.aborted)
      log.warn("Events of a pod that scrubs a volume are not heard any more", {
        pod: name,
        error: messageOf(error),
      });
  }
}
