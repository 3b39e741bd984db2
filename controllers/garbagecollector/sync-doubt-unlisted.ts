import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import type { Monitor } from "../../pkg/controller/monitors.ts";
import type { CollectorContext } from "./context.ts";
import { GraphChange } from "./graph-change.ts";

/** What the graph has of a resource and its new list does not may have been deleted while nobody watched. */
export async function doubtUnlisted(
  { graph, changes, clock }: Pick<CollectorContext, "graph" | "changes" | "clock">,
  { resource, informer }: Monitor,
  former: readonly Resource[],
): Promise<void> {
  if (former.length === 0) return;
  await forEachInTurns(clock, graph.nodes(), ({ virtual, identity }) => {
    const isOfThese = former.some(
      (each) => each.kind === identity.kind && apiVersionOf(each) === identity.apiVersion,
    );
    if (virtual || !isOfThese) return;
    const listed = informer.lister.get(identity.namespace, identity.name);
    if (listed?.metadata.uid === identity.uid) return;
    changes.add(
      GraphChange.unlisted({ ...identity, apiVersion: apiVersionOf(resource), kind: resource.kind }),
    );
  });
}
