import { findCondition } from "../../pkg/api/conditions.ts";
import type { Condition } from "../../pkg/api/types/meta.gen.ts";
import type { CachedRange } from "./ranges.ts";

export type WantedCondition = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

export const READY: WantedCondition = {
  type: "Ready",
  status: "True",
  reason: "",
  message: "Kubernetes Service CIDR is ready",
};

export const TERMINATING: WantedCondition = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message:
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

export function has({ status }: CachedRange, wanted: WantedCondition): boolean {
  const current = findCondition(status?.conditions, wanted.type);
  return (
    current !== undefined &&
    current.status === wanted.status &&
    current.reason === wanted.reason &&
    current.message === wanted.message
  );
}
