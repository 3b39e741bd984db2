import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { statefulSetContext } from "./context.ts";
import { claimRule, podRule } from "./handlers.ts";
import { forgetUnavailability } from "./sync-unavailability.ts";
import { syncStatefulSet } from "./sync.ts";

export interface StatefulSetSettings {
  readonly workers: number;
}

/** Keeps pods with names of their own, and claims that stay with these names. */
export function statefulSetController(settings: StatefulSetSettings): ControllerDescriptor {
  return {
    name: "statefulset-controller",
    clientName: "statefulset-controller",
    eventSource: "statefulset-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, { workers }: StatefulSetSettings): void {
  const context = statefulSetContext(kit);
  const { sets, pods, claims, consistency, unavailability } = context;
  const queue = kit.ownerQueue({
    name: "statefulset",
    workers,
    owners: sets,
    consistency,
    gone: (key) => {
      if (unavailability !== undefined) forgetUnavailability(unavailability, key);
    },
    sync: async (sync) => syncStatefulSet(sync, context),
  });
  pods.wakes(queue, podRule(sets, kit.env.log));
  claims.wakes(queue, claimRule(sets));
}
