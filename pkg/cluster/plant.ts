import type { ControllerDescriptor } from "../controller/env.ts";
import { hollowNodes, type HollowSettings } from "./hollow/hollow-nodes.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { volumeBinder } from "./volumes/binder.ts";
import { claimProtection } from "./volumes/claim-protection.ts";
import { ephemeralClaims } from "./volumes/ephemeral-claims.ts";
import { hollowProvisioner } from "./volumes/provisioner.ts";
import { volumeProtection } from "./volumes/volume-protection.ts";

/** What a controller manager does about claims and volumes, under the names that it does it by, and a maker of volumes. */
export function volumePlant(): readonly ControllerDescriptor[] {
  return [claimProtection(), volumeProtection(), volumeBinder(), ephemeralClaims(), hollowProvisioner()];
}

export interface PlantOptions extends HollowSettings {
  /** Controllers that somebody else runs: what has the name of one of them stands aside. */
  readonly others?: readonly Pick<ControllerDescriptor, "name">[];
}

/** All that a cluster has beside its API server and the controllers of a manager. Without nodes there is no scheduler. */
export function plant({ others = [], ...nodes }: PlantOptions): readonly ControllerDescriptor[] {
  const taken = new Set(others.map(({ name }) => name));
  const machines = nodes.nodes === 0 ? [] : [scheduler(), hollowNodes({ ...leftTo(taken), ...nodes })];
  return [...machines, ...volumePlant().filter(({ name }) => !taken.has(name))];
}

/** What nodes do themselves only where no controller does it. */
function leftTo(taken: ReadonlySet<string>): Pick<HollowSettings, "admitsPods" | "awaitsRanges"> {
  return {
    admitsPods: !taken.has("node-lifecycle-controller"),
    awaitsRanges: taken.has("node-ipam-controller"),
  };
}
