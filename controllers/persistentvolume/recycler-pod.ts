import { type Int64, toInt64 } from "../../pkg/api/int64.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import type { PersistentVolume, Pod, Volume } from "../../pkg/api/types/core-v1.gen.ts";
import { capacityOf } from "../../pkg/api/volumes/fit.ts";

/** The pods that scrub volumes, where it is not the usual one. */
export interface RecyclerTemplates {
  readonly hostPath: Pod | undefined;
  readonly nfs: Pod | undefined;
}

/** Seconds that such a pod gets at least, and for each Gi. */
export interface RecyclerTimes {
  readonly minimumHostPathSeconds: number;
  readonly incrementHostPathSeconds: number;
  readonly minimumNfsSeconds: number;
  readonly incrementNfsSeconds: number;
}

interface Recycler {
  readonly template: Pod | undefined;
  readonly minimum: number;
  readonly increment: number;
}

const GI = parseQuantity("1Gi").scaledValue(0);
const NAMESPACE = "default";

/** upstream: pkg/volume/plugins.go#NewPersistentVolumeRecyclerPodTemplate */
const USUAL: Pod = {
  metadata: { namespace: NAMESPACE },
  spec: {
    restartPolicy: "Never",
    volumes: [{ name: "vol" }],
    containers: [
      {
        name: "pv-recycler",
        image: "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6",
        command: ["/bin/sh"],
        args: [
          "-c",
          'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1',
        ],
        volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
      },
    ],
  },
};

/** The pod that scrubs the volume; undefined where none can. upstream: pkg/volume/{hostpath,nfs}#Recycle */
export function recyclerPod(
  volume: PersistentVolume,
  templates: RecyclerTemplates,
  times: RecyclerTimes,
): Pod | undefined {
  const { hostPath, nfs } = volume.spec ?? {};
  if (hostPath !== undefined) {
    const { minimumHostPathSeconds: minimum, incrementHostPathSeconds: increment } = times;
    const recycler = { template: templates.hostPath, minimum, increment };
    return podFor(volume, recycler, { hostPath: { path: hostPath.path } });
  }
  if (nfs === undefined) return undefined;
  const { minimumNfsSeconds: minimum, incrementNfsSeconds: increment } = times;
  const recycler = { template: templates.nfs, minimum, increment };
  return podFor(volume, recycler, { nfs: { server: nfs.server, path: nfs.path } });
}

function podFor(volume: PersistentVolume, recycler: Recycler, source: Omit<Volume, "name">): Pod {
  const { metadata, spec, ...rest } = recycler.template ?? USUAL;
  const { generateName: _, ...meta } = metadata;
  const [scrubbed, ...others] = spec?.volumes ?? [];
  return {
    ...rest,
    metadata: {
      ...meta,
      namespace: meta.namespace ?? NAMESPACE,
      // Always the same: whoever has begun before is noticed.
      name: `recycler-for-${volume.metadata.name}`,
    },
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      activeDeadlineSeconds: secondsFor(volume, recycler),
      volumes: [{ name: scrubbed?.name ?? "vol", ...source }, ...others],
    },
  };
}

/** upstream: pkg/volume/util/util.go#CalculateTimeoutForVolume */
function secondsFor(volume: PersistentVolume, { minimum, increment }: Recycler): Int64 {
  const seconds = (capacityOf(volume).scaledValue(0) / GI) * BigInt(increment);
  return toInt64(seconds < BigInt(minimum) ? BigInt(minimum) : seconds);
}
