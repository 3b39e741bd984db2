import { forEachInTurns } from "../../pkg/clock/turns.ts";
import { CSI_PLUGIN } from "../../pkg/api/volumes/csi-names.ts";
import type { AttachDetachContext } from "./context.ts";
import type { CachedPod, PodVolume } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { ON_NODES, VOLUMES_INDEX } from "./pod-volumes.ts";
import { isEphemeralCsi, specOfPodVolume } from "./volume-spec.ts";

/**
 * Counts volumes when somebody asks.
 * upstream: pkg/controller/volume/attachdetach/metrics/metrics.go
 */
export async function countVolumes(context: AttachDetachContext): Promise<void> {
  const { pods, desired, attached, metrics, clock } = context;
  const inUse = new Counts();
  await forEachInTurns(clock, pods.lister.byIndex(VOLUMES_INDEX, ON_NODES), (pod) => {
    const node = pod.spec?.nodeName ?? "";
    if (node === "") return;
    for (const volume of pod.spec?.volumes ?? []) {
      const plugin = pluginOfPodVolume(context, pod, volume);
      if (plugin !== undefined) inUse.add(node, plugin);
    }
  });
  const total = new Counts();
  await forEachInTurns(clock, desired.all(), ({ spec }) => total.add("desired_state_of_world", spec.plugin));
  await forEachInTurns(clock, attached.all(), ({ spec }) => {
    if (spec !== undefined) total.add("actual_state_of_world", spec.plugin);
  });
  metrics.inUse.reset();
  inUse.each((node, volume_plugin, count) => metrics.inUse.set(count, { node, volume_plugin }));
  metrics.totalVolumes.reset();
  total.each((state, plugin_name, count) => metrics.totalVolumes.set(count, { plugin_name, state }));
}

function pluginOfPodVolume(
  { lookups }: AttachDetachContext,
  pod: Stored<CachedPod>,
  volume: PodVolume,
): string | undefined {
  if (isEphemeralCsi(volume)) return `${CSI_PLUGIN}:${volume.csi?.driver}`;
  return specOfPodVolume(pod, volume, lookups)?.plugin;
}

class Counts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(one: string, other: string): void {
    const counts = this.#counts.get(one) ?? new Map<string, number>();
    this.#counts.set(one, counts);
    counts.set(other, (counts.get(other) ?? 0) + 1);
  }

  each(visit: (one: string, other: string, count: number) => void): void {
    for (const [one, counts] of this.#counts) for (const [other, count] of counts) visit(one, other, count);
  }
}
