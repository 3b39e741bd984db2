import { noHostPaths } from "../../cmd/kube-controller-manager/host-paths.ts";
import type { PersistentVolumeSettings } from "../../controllers/persistentvolume/context.ts";
import { persistentVolumeController } from "../../controllers/persistentvolume/controller.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";

/** What binds claims and volumes, as the daemon runs it where no flag says otherwise; directories are provisioned. */
export function volumeBinder(settings: Partial<PersistentVolumeSettings> = {}): ControllerDescriptor {
  return persistentVolumeController({
    retryPeriodMs: 15_000,
    provisions: true,
    provisionsHostPaths: true,
    hostPaths: noHostPaths,
    recyclerTemplates: () => ({ hostPath: undefined, nfs: undefined }),
    minimumHostPathSeconds: 60,
    incrementHostPathSeconds: 30,
    minimumNfsSeconds: 300,
    incrementNfsSeconds: 30,
    ...settings,
  });
}
