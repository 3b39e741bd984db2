import { keyOf } from "../../pkg/api/object.ts";
import { defineController, type Kit, type WorkerSettings } from "../../pkg/controller/kit.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import {
  type GroupContext,
  podsOfGroup,
  type ResourceClaimContext,
  resourceClaimContext,
  usersOfClaim,
  usersOfTemplate,
} from "./context.ts";
import { doneRule, goneGroupRule, groupRule, groupsWithWork, podRule, podsWithWork } from "./handlers.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncGroup, syncPod } from "./sync.ts";

/** Upstream has one queue for all: its metrics are those of the three. */
const QUEUE = "resource_claim";

interface Queues {
  readonly podQueue: KeyQueue;
  readonly claimQueue: KeyQueue;
}

/** Makes the claims of pods and groups from their templates, and frees what nobody uses any more. */
export const resourceClaimController = defineController(
  {
    name: "resourceclaim-controller",
    clientName: "resource-claim-controller",
    eventSource: "resource_claim",
  },
  (kit, { workers }: WorkerSettings) => {
    const context = resourceClaimContext(kit);
    const { claims, gone, ofClaims, ofGroups, pods, templates } = context;
    // Before anybody is woken by it.
    pods.hears(({ type, object }) => {
      if (type === "deleted") gone.add(object.metadata.uid);
    });
    const podQueue = kit.ownerQueue({
      name: QUEUE,
      label: `${QUEUE} (pods)`,
      workers,
      owners: pods,
      wakes: podRule(context),
      sync: async (sync) => syncPod(sync, context),
    });
    const claimQueue = kit.ownerQueue({
      name: QUEUE,
      label: `${QUEUE} (claims)`,
      workers,
      owners: claims,
      consistency: ofClaims.consistency,
      wakes: onlyWhen(["added", "updated"], ({ object }, wake) => wake(keyOf(object))),
      sync: async (sync) => syncClaim(sync, context),
    });
    pods.wakes(claimQueue, doneRule(context));
    claims.wakes(
      podQueue,
      podsWithWork(context, (key) => usersOfClaim(pods, key)),
    );
    templates.wakes(
      podQueue,
      onlyWhen(
        ["added", "updated"],
        podsWithWork(context, (key) => usersOfTemplate(pods, key)),
      ),
    );
    if (ofGroups !== undefined)
      wireGroups(kit, context, { ofGroups, workers, queues: { podQueue, claimQueue } });
  },
);

interface Wiring extends WorkerSettings {
  readonly ofGroups: GroupContext;
  readonly queues: Queues;
}

function wireGroups(
  kit: Kit,
  context: ResourceClaimContext,
  { ofGroups, queues: { podQueue, claimQueue }, workers }: Wiring,
): void {
  const { claims, gone, templates } = context;
  const { consistency, groups } = ofGroups;
  groups.hears(({ type, object }) => {
    if (type === "deleted") gone.add(object.metadata.uid);
  });
  const groupQueue = kit.ownerQueue({
    name: QUEUE,
    label: `${QUEUE} (podgroups)`,
    workers,
    owners: groups,
    consistency,
    wakes: groupRule(context, ofGroups),
    sync: async (sync) => syncGroup(sync, context, ofGroups),
  });
  groups.wakes(
    podQueue,
    podsWithWork(context, (key) => podsOfGroup(context, key)),
  );
  groups.wakes(claimQueue, goneGroupRule);
  claims.wakes(
    groupQueue,
    groupsWithWork(context, (key) => usersOfClaim(groups, key)),
  );
  templates.wakes(
    groupQueue,
    onlyWhen(
      ["added", "updated"],
      groupsWithWork(context, (key) => usersOfTemplate(groups, key)),
    ),
  );
}
