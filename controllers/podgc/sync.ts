import { isNotFound } from "../../pkg/client/errors.ts";
import { deleteVictims } from "./apply.ts";
import type { PodGcContext } from "./context.ts";
import { decideVictims, missingNodes } from "./victims.ts";

/** How long a node may be missing from the cache before the server is asked whether it is truly gone. */
const QUARANTINE_MS = 40_000;

/** One round over all pods. */
export async function collectPods(context: PodGcContext, signal: AbortSignal): Promise<void> {
  const pods = context.pods.list();
  const nodeNamed = (name: string): ReturnType<PodGcContext["nodes"]["get"]> =>
    context.nodes.get(undefined, name);
  for (const name of missingNodes(pods, nodeNamed)) context.quarantine.addAfter(name, QUARANTINE_MS);
  const goneNodes = await findGoneNodes(context, signal);
  const victims = decideVictims({ pods, nodeNamed, goneNodes, threshold: context.threshold });
  await deleteVictims(context, victims, signal);
}

/** The nodes whose quarantine has ended and that neither the cache nor the server has. */
async function findGoneNodes(context: PodGcContext, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (let name = context.quarantine.tryGet(); name !== undefined; name = context.quarantine.tryGet()) {
    try {
      const isBack = context.nodes.get(undefined, name) !== undefined;
      if (!isBack && !(await nodeExists(context, name, signal))) gone.add(name);
    } catch (error) {
      signal.throwIfAborted();
      // If its pods are still there, the next round puts it in quarantine again.
      context.log.error(error, "The node could not be read", { node: name });
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
