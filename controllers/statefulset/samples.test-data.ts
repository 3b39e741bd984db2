import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { StatefulSet, StatefulSetSpec } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { newPod } from "./new-pod.ts";

type LabelMap = Readonly<Record<string, string>>;
export const LABELS: LabelMap = { foo: "bar" };

/** With one claim for each pod, as upstream's cases have it. */
export function statefulSet(
  name = "foo",
  replicas = 3,
  more: Partial<StatefulSetSpec> = {},
): Stored<StatefulSet> {
  return asStored<StatefulSet>({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "default", uid: `${name}-uid` },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      serviceName: "governingsvc",
      template: { metadata: { labels: LABELS }, spec: { containers: [{ name: "nginx", image: "nginx" }] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [claimTemplate("datadir")],
      ...more,
    },
  });
}

export function claimTemplate(name: string, labels?: LabelMap): Stored<PersistentVolumeClaim> {
  return asStored<PersistentVolumeClaim>({
    metadata: { name, ...(labels && { labels }) },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  });
}

export function withImage(set: Stored<StatefulSet>, image: string): Stored<StatefulSet> {
  const { spec } = set;
  if (spec === undefined) return set;
  const template = { ...spec.template, spec: { containers: [{ name: "nginx", image }] } };
  return { ...set, spec: { ...spec, template } };
}

export function changed(set: Stored<StatefulSet>, more: Partial<StatefulSetSpec>): Stored<StatefulSet> {
  return { ...set, ...(set.spec && { spec: { ...set.spec, ...more } }) };
}

export type Health = "new" | "pending" | "running" | "ready" | "failed" | "succeeded";

/** A pod of this place, ready since the epoch unless told otherwise. */
export function podOf(
  set: Stored<StatefulSet>,
  ordinal: number,
  more: { readonly health?: Health; readonly revision?: string; readonly terminating?: boolean } = {},
): Stored<Pod> {
  const { health = "ready", revision = "rev", terminating = false } = more;
  const { metadata, ...rest } = newPod(asStored(set), set.spec?.template ?? {}, revision, ordinal);
  const phases = { pending: "Pending", running: "Running", failed: "Failed", succeeded: "Succeeded" };
  const ready = [{ type: "Ready", status: "True", lastTransitionTime: "1970-01-01T00:00:00Z" }];
  return asStored({
    ...rest,
    metadata: {
      ...metadata,
      uid: `${metadata.name}-uid`,
      ...(terminating && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    ...(health === "ready" && { status: { phase: "Running", conditions: ready } }),
    ...(health in phases && { status: { phase: phases[health as keyof typeof phases] } }),
  });
}

export function claimOf(
  set: Stored<StatefulSet>,
  ordinal: number,
  template = "datadir",
): Stored<PersistentVolumeClaim> {
  const name = `${template}-${set.metadata.name}-${ordinal}`;
  return asStored<PersistentVolumeClaim>({
    metadata: { name, namespace: "default", uid: `${name}-uid`, labels: LABELS },
  });
}
