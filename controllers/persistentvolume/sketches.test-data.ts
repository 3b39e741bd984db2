import type { ApiObject, Stored } from "../../pkg/api/object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  MIGRATED_TO,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from "../../pkg/api/volumes/claim-facts.ts";
import { stored } from "../../test/harness/stored.ts";

/**
 * Volumes and claims on one line each, so that a case is a few lines. A volume is
 * `name size phase`, a claim `name size phase`, and then what is not as usual: `key=value`, annotations as below.
 */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  ours: BOUND_BY_CONTROLLER,
  done: BIND_COMPLETED,
  by: PROVISIONED_BY,
  to: MIGRATED_TO,
  node: SELECTED_NODE,
  asks: STORAGE_PROVISIONER,
  asksBeta: BETA_STORAGE_PROVISIONER,
  betaClass: "volume.beta.kubernetes.io/storage-class",
  was: "volume.alpha.kubernetes.io/pre-resize-capacity",
};
const NAMESPACE = "default";
const MODES = ["ReadWriteOnce", "ReadOnlyMany"];
const LABELS = { foo: "true", bar: "false" };

interface Sketch {
  readonly name: string;
  readonly size: string;
  readonly phase: string;
  readonly more: ReadonlyMap<string, string>;
}

function sketchOf(line: string): Sketch {
  const [name = "", size = "", phase = "", ...words] = line.split(" ");
  const pairs = words.map((word): [string, string] => {
    const [key = "", ...value] = word.split("=");
    return [key, value.length === 0 ? "yes" : value.join("=")];
  });
  return { name, size, phase: phase === "-" ? "" : phase, more: new Map(pairs) };
}

function metadataOf({ name, more }: Sketch) {
  const annotations = Object.entries(ANNOTATIONS).flatMap(([key, annotation]) => {
    const value = more.get(key);
    return value === undefined ? [] : [[annotation, value]];
  });
  const finalizers = more.get("held")?.split(",");
  return {
    name,
    resourceVersion: "1",
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) as Record<string, string> }),
    ...(more.has("labels") && { labels: LABELS }),
    ...(finalizers && { finalizers }),
    ...(more.has("going") && { deletionTimestamp: "2024-01-01T00:00:00Z" }),
  };
}

/** `says` with tildes for blanks. `for=claim` or `for=claim:uid`, `policy`, `class`, `mode`, `modes`, `attributes`, `csi`, `path`, `held`, `labels`, `going`. */
export function volumeOf(line: string): Stored<PersistentVolume> {
  const sketch = sketchOf(line);
  const { name, size, phase, more } = sketch;
  const [claim, uid = ""] = (more.get("for") ?? "").split(":");
  const [driver, path] = [more.get("csi"), more.get("path")];
  const source =
    driver !== undefined
      ? { csi: { driver, volumeHandle: "handle" } }
      : path !== undefined
        ? { hostPath: { path } }
        : { gcePersistentDisk: { pdName: "disk" } };
  const volumeAttributesClassName = more.get("attributes");
  const reference = {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    namespace: NAMESPACE,
    name: claim ?? "",
  };
  return stored<PersistentVolume>({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...metadataOf(sketch), uid: `uid-of-${name}` },
    spec: {
      capacity: { storage: size },
      ...source,
      accessModes: more.get("modes")?.split(",") ?? MODES,
      persistentVolumeReclaimPolicy: more.get("policy") ?? "Retain",
      storageClassName: more.get("class") ?? "",
      volumeMode: more.get("mode") ?? "Filesystem",
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
      ...(claim && { claimRef: { ...reference, ...(uid !== "" && { uid }) } }),
    },
    status: { phase, ...(more.has("says") && { message: (more.get("says") ?? "").replaceAll("~", " ") }) },
  });
}

/** Its uid is `uid-` and its name. `vol`, `class` (`class=` for none), `mode`, `modes`, `attributes`, `has`, `hasAttributes`, `selector`, `source`. */
export function claimOf(line: string): Stored<PersistentVolumeClaim> {
  const sketch = sketchOf(line);
  const { name, size, phase, more } = sketch;
  const isBound = phase === "Bound";
  const modes = more.get("modes")?.split(",") ?? MODES;
  const has = more.get("has") ?? (isBound ? size : undefined);
  const attributes = more.get("attributes");
  const hasAttributes = more.get("hasAttributes") ?? (isBound ? attributes : undefined);
  const dataSource = { name: "snap", kind: "VolumeSnapshot", apiGroup: "snapshot.storage.k8s.io" };
  const storageClassName = more.get("class");
  return stored<PersistentVolumeClaim>({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadataOf(sketch), namespace: NAMESPACE, uid: more.get("uid") ?? `uid-${name}` },
    spec: {
      accessModes: modes,
      resources: { requests: { storage: size } },
      volumeMode: more.get("mode") ?? "Filesystem",
      ...(more.has("vol") && { volumeName: more.get("vol") ?? "" }),
      ...(storageClassName !== undefined && { storageClassName }),
      ...(attributes !== undefined && { volumeAttributesClassName: attributes }),
      ...(more.has("selector") && { selector: { matchLabels: LABELS } }),
      ...(more.has("source") && { dataSource }),
    },
    status: {
      phase,
      ...(isBound && { accessModes: modes }),
      ...(has !== undefined && { capacity: { storage: has } }),
      ...(hasAttributes !== undefined && { currentVolumeAttributesClassName: hasAttributes }),
    },
  });
}

/** What of the object is looked at in the end: all but what the server does. */
export function essenceOf({ metadata, ...rest }: ApiObject): unknown {
  const { resourceVersion: _, uid: _uid, ...meta } = metadata;
  const { claimRef, ...spec } = ("spec" in rest ? rest.spec : {}) as PersistentVolume["spec"] & object;
  const reference = claimRef && { name: claimRef.name, uid: claimRef.uid };
  return { ...rest, metadata: meta, spec: { ...spec, ...(reference && { claimRef: reference }) } };
}
