import type { ControllerDescriptor } from "../controller/env.ts";
import { hollowDevices } from "./hollow/device-publisher.ts";
import { hollowNodes, type HollowSettings } from "./hollow/hollow-nodes.ts";
import { hollowAttacher } from "./hollow/volume-attacher.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { hollowProvisioner } from "./volumes/provisioner.ts";
import { hollowResizer } from "./volumes/resizer.ts";

export interface PlantOptions extends HollowSettings {
  /** Controllers that somebody else runs. */
  readonly others?: readonly Pick<ControllerDescriptor, "name">[];
  /** Makes, attaches, detaches and deletes volumes in place of the one that is here, under its name. */
  readonly driver?: ControllerDescriptor;
}

/** All that a cluster has beside its API server and the controllers of a manager. Without nodes there is no scheduler. */
export function plant({ others = [], driver, ...nodes }: PlantOptions): readonly ControllerDescriptor[] {
  const taken = new Set(others.map(({ name }) => name));
  const left = leftTo(taken);
  const attachers = left.awaitsVolumes ? [hollowAttacher(nodes.nodes, driver === undefined)] : [];
  const devices = left.awaitsDevices ? [hollowDevices()] : [];
  const machines =
    nodes.nodes === 0 ? [] : [scheduler(), hollowNodes({ ...left, ...nodes }), ...devices, ...attachers];
  return [...machines, driver ?? hollowProvisioner(left.awaitsVolumes), hollowResizer()];
}

/** What nodes do themselves only where no controller does it. */
function leftTo(taken: ReadonlySet<string>): Pick<HollowSettings, "admitsPods" | "awaitsRanges"> & {
  readonly awaitsVolumes: boolean;
  readonly awaitsDevices: boolean;
} {
  return {
    admitsPods: !taken.has("node-lifecycle-controller"),
    awaitsRanges: taken.has("node-ipam-controller"),
    awaitsVolumes: taken.has("persistentvolume-attach-detach-controller"),
    // Without it no claim of devices is ever given back, and older servers do not know of any.
    awaitsDevices: taken.has("resourceclaim-controller"),
  };
}
