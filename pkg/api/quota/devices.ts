import type { PartialObject } from "../object.ts";
import { controllerOf } from "../owner-references.ts";
import type { Quantity } from "../quantity.ts";
import type { PartOf } from "../projected.ts";
import type { DeviceClass } from "../types/resource-v1.gen.ts";
import { addAmounts, type Amounts } from "./amounts.ts";
import { PER_CLASS } from "./device-usage.ts";
import type { CountedDeviceClaim, CountedPod } from "./fields.ts";

/** Under this and its own name every class is an extended resource. */
export const IMPLICIT_NAME = "deviceclass.resource.kubernetes.io/";

/** On claims that the scheduler makes for what a pod asks for as extended resources. */
const MADE_FOR_POD = "resource.kubernetes.io/extended-resource-claim";

/** What is known of devices beside a claim itself: pods can ask for them as extended resources. */
export interface Devices {
  /** Whether there is a class whose devices pods can ask for under this name. */
  isOffered(extendedName: string): boolean;
  /** The name that a class gives its devices beside the implicit one. */
  extendedNameOf(className: string): string | undefined;
  /** The pod that the claim was made for; undefined for a claim that a user made. */
  podOf(claim: CountedDeviceClaim): CountedPod | undefined;
}

/** Where nothing is known of classes, claims use no extended resources. */
export const noDevices: Devices = {
  isOffered: () => false,
  extendedNameOf: () => undefined,
  podOf: () => undefined,
};

/** What is read of classes. */
export const CLASS_FIELDS = ["spec.extendedResourceName"] as const;
type CachedClass = PartialObject & PartOf<DeviceClass, (typeof CLASS_FIELDS)[number]>;

export interface DeviceObjects {
  readonly classes: readonly CachedClass[];
  readonly podNamed: (namespace: string, name: string) => CountedPod | undefined;
  readonly claimsIn: (namespace: string) => readonly CountedDeviceClaim[];
}

export function devicesOf({ classes, podNamed, claimsIn }: DeviceObjects): Devices {
  const names = new Map(
    classes.map(({ metadata, spec }) => [metadata.name ?? "", spec.extendedResourceName]),
  );
  const offered = new Set(
    [...names].flatMap(([name, extended]) => [IMPLICIT_NAME + name, extended ?? []].flat()),
  );
  return {
    isOffered: (name) => offered.has(name),
    extendedNameOf: (name) => names.get(name),
    podOf: (claim) => {
      const owner = podOwnerOf(claim);
      if (owner === undefined) return undefined;
      const { namespace = "" } = claim.metadata;
      const pod = podNamed(namespace, owner.name);
      if (pod === undefined || pod.metadata.uid !== owner.uid) return undefined;
      const named = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
      if (named !== undefined) return named === claim.metadata.name ? pod : undefined;
      // The scheduler may have made another in vain: only the first is the pod's.
      const rivals = claimsIn(namespace).filter((other) => podOwnerOf(other)?.uid === owner.uid);
      return rivals.every((other) => !isBefore(other, claim)) ? pod : undefined;
    },
  };
}

/** What devices by class amount to in extended resources. */
export function extendedUsage(byClass: Amounts, devices: Devices): Amounts {
  let usage: Amounts = new Map();
  for (const [name, quantity] of byClass) {
    const className = name.slice(0, -PER_CLASS.length);
    const extended = devices.extendedNameOf(className);
    const names = [IMPLICIT_NAME + className, ...(extended === undefined ? [] : [extended])];
    const each = names.map((requested): [string, Quantity] => [`requests.${requested}`, quantity]);
    usage = addAmounts(usage, new Map(each));
  }
  return usage;
}

function podOwnerOf(claim: CountedDeviceClaim): { readonly name: string; readonly uid: string } | undefined {
  if (claim.metadata.annotations?.[MADE_FOR_POD] !== "true") return undefined;
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

function isBefore({ metadata: one }: PartialObject, { metadata: other }: PartialObject): boolean {
  const [a, b] = [one.creationTimestamp ?? "", other.creationTimestamp ?? ""];
  return a === b ? (one.name ?? "") < (other.name ?? "") : a < b;
}
