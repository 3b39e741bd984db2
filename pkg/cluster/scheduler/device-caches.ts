import type { Stored } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { DeviceClass, ResourceClaim, ResourceSlice } from "../../api/types/resource-v1.gen.ts";
import type { HandlerRegistration } from "../../cache/informer/informer.ts";
import type { Env } from "../../controller/env.ts";
import { CLAIMS_OF_DEVICE, type DeviceListers, devicesOfClaim } from "./pod-devices.ts";

/** What is known of devices, and of claims of them. */
export interface DeviceCaches extends DeviceListers {
  /** Whether all of it is. Older servers do not serve these, and pods without claims do not wait for them. */
  knowsDevices(): boolean;
}

export interface DeviceEvents {
  readonly claimChanged: (claim: Stored<ResourceClaim>) => void;
  /** There may be room for pods that wait. */
  readonly changed: () => void;
}

export function deviceCaches({ informers }: Env): {
  readonly caches: DeviceCaches;
  readonly tell: (events: DeviceEvents) => void;
} {
  const claims = informers.informer<ResourceClaim>(resources.resourceClaims);
  const slices = informers.informer<ResourceSlice>(resources.resourceSlices);
  const classes = informers.informer<DeviceClass>(resources.deviceClasses);
  claims.addIndex(CLAIMS_OF_DEVICE, devicesOfClaim);
  let told: readonly HandlerRegistration[] = [];
  return {
    caches: {
      deviceClaims: claims.lister,
      slices: slices.lister,
      deviceClasses: classes.lister,
      knowsDevices: () => told.length > 0 && told.every((each) => each.hasSynced()),
    },
    tell: ({ changed, claimChanged }) => {
      const onClaim = (claim: Stored<ResourceClaim>): void => {
        claimChanged(claim);
        changed();
      };
      const anything = { onAdd: changed, onUpdate: changed, onDelete: changed };
      told = [
        claims.addHandler({
          onAdd: onClaim,
          onUpdate: (_before, after) => onClaim(after),
          onDelete: onClaim,
        }),
        slices.addHandler(anything),
        classes.addHandler(anything),
      ];
    },
  };
}
