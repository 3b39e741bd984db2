import { forEachInTurns } from "../../pkg/clock/turns.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { deleteVictims } from "./apply.ts";
import type { PodGcContext } from "./context.ts";
import { type CachedNode, type CachedPod, decideVictims, mayGo } from "./victims.ts";

/** How long a node may be missing from the cache before the server is asked whether it is truly gone. */
const QUARANTINE_MS = 40_000;

/** One round over all pods, which may be too many for one turn of the event loop. */
export async function collectPods(sync: Sync, context: PodGcContext): Promise<SyncResult> {
  for (const name of await missingNodes(context)) context.quarantine.addAfter(name, QUARANTINE_MS);
  const goneNodes = await findGoneNodes(sync, context);
  const pods: CachedPod[] = [];
  await forEachInTurns(context.clock, context.pods.lister.list(), (pod) => {
    if (mayGo(pod, goneNodes)) pods.push(pod);
  });
  const nodeNamed = (name: string): CachedNode | undefined => context.nodes.lister.get(undefined, name);
  const victims = decideVictims({ pods, nodeNamed, goneNodes, threshold: context.threshold });
  await deleteVictims(sync, context, victims);
  return {};
}

/** Names of the nodes that pods are bound to and that the cache does not have, each once. */
async function missingNodes({ clock, pods, nodes }: PodGcContext): Promise<readonly string[]> {
  const names = new Set<string>();
  await forEachInTurns(clock, pods.lister.list(), ({ spec: { nodeName = "" } = {} }) => {
    if (nodeName !== "") names.add(nodeName);
  });
  return [...names].filter((name) => nodes.lister.get(undefined, name) === undefined);
}

/** The nodes whose quarantine has ended and that neither the cache nor the server has. */
async function findGoneNodes({ log, signal }: Sync, context: PodGcContext): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (let name = context.quarantine.tryGet(); name !== undefined; name = context.quarantine.tryGet()) {
    try {
      const isBack = context.nodes.lister.get(undefined, name) !== undefined;
      if (!isBack && !(await nodeExists(context, name, signal))) gone.add(name);
    } catch (error) {
      signal.throwIfAborted();
      // If its pods are still there, the next round puts it in quarantine again.
      log.error(error, "The node could not be read", { node: name });
    } finally {
      context.quarantine.done(name);
    }
  }
  return gone;
}

async function nodeExists(context: PodGcContext, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await context.nodeClient.get({ name }, {}, signal);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
