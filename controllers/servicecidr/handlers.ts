import { semanticEqual } from "../../pkg/api/equality.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import type { ServiceCidrContext } from "./context.ts";
import { addressOfService, type CachedRange } from "./ranges.ts";

type Wired = Pick<ServiceCidrContext, "ranges">;

export function followRange({ type, object }: Change<CachedRange>, { ranges }: Wired): void {
  if (type === "deleted") ranges.forget(object);
  else ranges.keep(object);
}

export function followAddress(change: Change<PartialObject>, { ranges }: Wired): void {
  ranges.forgetAddress(change.type === "updated" ? change.before : change.object);
  if (change.type !== "deleted") ranges.keepAddress(change.object);
}

/** A ServiceCIDR wakes itself, and those that are being deleted when its ranges are new: they may go now. */
export function rangeRule({ ranges }: Wired): WakeRule<CachedRange> {
  return (change, wake) => {
    wake(change.object.metadata.name);
    if (change.type === "deleted") return;
    const before = change.type === "updated" ? change.before.spec?.cidrs : undefined;
    if (semanticEqual(before, change.object.spec?.cidrs)) return;
    for (const name of ranges.leavingBeside(change.object)) wake(name);
  };
}

/** An address that a Service gets or gives back wakes the ServiceCIDRs that are being deleted and that it is of. */
export function addressRule({ ranges }: Wired): WakeRule<PartialObject> {
  return (change, wake) => {
    const now = addressOfService(change.object);
    const before = change.type === "updated" ? addressOfService(change.before) : undefined;
    if (change.type === "updated" && (before === undefined) === (now === undefined)) return;
    const address = now ?? before;
    if (address !== undefined) for (const name of ranges.leavingThatGive(address)) wake(name);
  };
}
