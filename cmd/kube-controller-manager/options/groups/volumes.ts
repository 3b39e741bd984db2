import { bool, duration, int32, text } from "../flag.ts";
import { concurrency } from "./workloads.ts";

export const attachDetach = {
  title: "Persistentvolume-attach-detach-controller",
  flags: {
    reconcileSyncPeriodMs: duration(
      "attach-detach-reconcile-sync-period",
      60_000,
      "Period in which attached volumes are compared with the real ones; at least 1s.",
      {
        config: "AttachDetachController.ReconcilerSyncLoopPeriod",
        unused: "volumes are compared whenever their VolumeAttachments change",
      },
    ),
    disableReconcileSync: bool("disable-attach-detach-reconcile-sync", false, "Never make that comparison.", {
      config: "AttachDetachController.DisableAttachDetachReconcilerSync",
    }),
    disableForceDetachOnTimeout: bool(
      "disable-force-detach-on-timeout",
      false,
      "Never detach by force because unmounting took too long.",
      { config: "AttachDetachController.disableForceDetachOnTimeout" },
    ),
  },
};

export const ephemeralVolume = {
  title: "Ephemeral-volume-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-ephemeralvolume-syncs",
      5,
      "Pods with ephemeral volumes",
      "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
    ),
  },
};

const RECYCLER = "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

export const persistentVolumeBinder = {
  title: "Persistentvolume-binder-controller",
  flags: {
    enableDynamicProvisioning: bool("enable-dynamic-provisioning", true, "Hand claims to provisioners.", {
      config: "PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
    }),
    enableHostpathProvisioner: bool(
      "enable-hostpath-provisioner",
      false,
      "Provision host paths, for development on a single node.",
      { config: "PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning" },
    ),
    flexVolumePluginDirectory: text(
      "flex-volume-plugin-dir",
      "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
      "Directory of flex volume plugins.",
      {
        config: "PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
        unused: "flex volumes have no drivers here",
      },
    ),
    recyclerIncrementNfsSeconds: int32(
      "pv-recycler-increment-timeout-nfs",
      30,
      "Seconds that a Pod that scrubs NFS gets for each Gi.",
      { config: `${RECYCLER}.IncrementTimeoutNFS` },
    ),
    recyclerMinimumHostpathSeconds: int32(
      "pv-recycler-minimum-timeout-hostpath",
      60,
      "Seconds that a Pod that scrubs a host path gets at least.",
      { config: `${RECYCLER}.MinimumTimeoutHostPath` },
    ),
    recyclerMinimumNfsSeconds: int32(
      "pv-recycler-minimum-timeout-nfs",
      300,
      "Seconds that a Pod that scrubs NFS gets at least.",
      { config: `${RECYCLER}.MinimumTimeoutNFS` },
    ),
    recyclerTemplateHostpath: text(
      "pv-recycler-pod-template-filepath-hostpath",
      "",
      "File with the Pod that scrubs host paths.",
      { config: `${RECYCLER}.PodTemplateFilePathHostPath` },
    ),
    recyclerTemplateNfs: text(
      "pv-recycler-pod-template-filepath-nfs",
      "",
      "File with the Pod that scrubs NFS.",
      {
        config: `${RECYCLER}.PodTemplateFilePathNFS`,
      },
    ),
    recyclerIncrementHostpathSeconds: int32(
      "pv-recycler-timeout-increment-hostpath",
      30,
      "Seconds that a Pod that scrubs a host path gets for each Gi.",
      { config: `${RECYCLER}.IncrementTimeoutHostPath` },
    ),
    claimBinderSyncPeriodMs: duration(
      "pvclaimbinder-sync-period",
      15_000,
      "How long volumes that could not be recycled wait for the next try. There are no full syncs.",
      {
        config: "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
      },
    ),
  },
};
