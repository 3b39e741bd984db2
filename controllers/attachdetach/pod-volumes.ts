import { csiDriverOf, inTreePluginOf } from "../../pkg/api/volumes/in-tree-drivers.ts";
import type { CachedPod, PodVolume } from "./fields.ts";
import { claimNameOf, isEphemeralCsi } from "./volume-spec.ts";

/** Name of the index of pods that have volumes that might be attached, and by the drivers of those without claims. */
export const VOLUMES_INDEX = "attachdetach-volumes";
/** All pods that have a node and a volume that might be attached. */
export const ON_NODES = "on nodes";

/** Pods with volumes of the driver that stand in the pods themselves. */
export const byDriver = (driver: string): string => `driver ${driver}`;

export function volumesIndex(pod: CachedPod): readonly string[] {
  const values = (pod.spec?.volumes ?? []).flatMap((volume) => indexed(pod, volume));
  return [...new Set(values)];
}

function indexed(pod: CachedPod, volume: PodVolume): readonly string[] {
  if (claimNameOf(pod, volume) !== undefined) return [ON_NODES];
  const plugin = inTreePluginOf(volume);
  if (plugin !== undefined) return [ON_NODES, byDriver(csiDriverOf(plugin) ?? "")];
  return volume.fc !== undefined || volume.iscsi !== undefined || isEphemeralCsi(volume) ? [ON_NODES] : [];
}
