import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { isAnnotated, MIGRATED_TO, PROVISIONED_BY } from "../../pkg/api/volumes/claim-facts.ts";
import { csiDriverOf } from "../../pkg/api/volumes/in-tree-drivers.ts";

/** The plugins that the controller has itself. upstream: cmd/kube-controller-manager/app/plugins.go */
export const HOST_PATH = "kubernetes.io/host-path";
const NFS = "kubernetes.io/nfs";

/** What names the plugins that are part of Kubernetes, or were. */
const IN_TREE = "kubernetes.io/";

/** Who does something to a volume: this controller, another program, or nobody that is known. */
export type Doer =
  | { readonly by: "host path" }
  | { readonly by: "other"; readonly name: string }
  | { readonly by: "nobody"; readonly problem: string };

/** upstream: pv_controller.go#findProvisionablePlugin */
export function provisionerOf({ provisioner }: StorageClass): Doer {
  const driver = csiDriverOf(provisioner);
  if (driver !== undefined) return { by: "other", name: driver };
  if (provisioner === HOST_PATH) return { by: "host path" };
  if (!provisioner.startsWith(IN_TREE)) return { by: "other", name: provisioner };
  const problem = provisioner === NFS ? "no provisionable volume plugin matched" : unknownPlugin(provisioner);
  return { by: "nobody", problem };
}

/** Who makes volumes of the class, as metrics name it. upstream: pv_controller.go#getProvisionerName */
export function provisionerName(storageClass: StorageClass): string {
  return csiDriverOf(storageClass.provisioner) ?? storageClass.provisioner;
}

/** upstream: pv_controller.go#findDeletablePlugin */
export function deleterOf(volume: PersistentVolume): Doer {
  const { metadata, spec = {} } = volume;
  const maker = metadata.annotations?.[PROVISIONED_BY] ?? "";
  if (maker === HOST_PATH) return { by: "host path" };
  if (maker !== "" && !maker.startsWith(IN_TREE)) return { by: "other", name: maker };
  if (maker !== "")
    return {
      by: "nobody",
      problem: maker === NFS ? "no deletable volume plugin matched" : unknownPlugin(maker),
    };
  if (isAnnotated(volume, MIGRATED_TO) || spec.csi !== undefined) return { by: "other", name: "" };
  if (spec.hostPath !== undefined) return { by: "host path" };
  const problem = spec.nfs === undefined ? "no volume plugin matched" : "no deletable volume plugin matched";
  return {
    by: "nobody",
    problem: `error getting deleter volume plugin for volume ${quotedAsInGo(metadata.name ?? "")}: ${problem}`,
  };
}

/** Who deletes the volume, as metrics name it. upstream: pv_controller.go#getProvisionerNameFromVolume */
export function deleterName(volume: PersistentVolume, storageClass: StorageClass | undefined): string {
  const doer = deleterOf(volume);
  if (doer.by === "host path") return HOST_PATH;
  return doer.by === "nobody" || storageClass === undefined ? "N/A" : provisionerName(storageClass);
}

/** The plugin that the volume is of, as metrics name it: only the controller's own are known. */
export function pluginOf({ spec }: PersistentVolume): string {
  if (spec?.hostPath !== undefined) return HOST_PATH;
  return spec?.nfs === undefined ? "N/A" : NFS;
}

function unknownPlugin(name: string): string {
  return `no volume plugin matched name: ${name}`;
}
