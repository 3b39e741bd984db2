import type { PartialObject, OwnerReference } from "../../pkg/api/object.ts";

/** Which object is meant. An owner reference names its owner like this, without the namespace. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Of an object from an informer, which always has its apiVersion and kind. */
export function identityOf({ apiVersion = "", kind = "", metadata }: PartialObject): ObjectIdentity {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { apiVersion, kind, namespace, name, uid };
}

/** The owner that a dependent in this namespace refers to. */
export function referredIdentity(reference: OwnerReference, namespace: string): ObjectIdentity {
  const { apiVersion, kind, name, uid } = reference;
  return { apiVersion, kind, namespace, name, uid };
}

/** Two identities are the same when their keys are. */
export function identityKey({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

export function sameIdentity(one: ObjectIdentity, other: ObjectIdentity): boolean {
  return one.namespace === other.namespace && matchesReference(one, other);
}

/** Whether both name the same object, as far as an owner reference can tell. */
export function matchesReference(
  one: Omit<ObjectIdentity, "namespace">,
  other: Omit<ObjectIdentity, "namespace">,
): boolean {
  return (
    one.uid === other.uid &&
    one.name === other.name &&
    one.kind === other.kind &&
    one.apiVersion === other.apiVersion
  );
}

/** By kind before namespace, so that the order of kinds is the same whether they have namespaces or not. */
export function compareIdentities(one: ObjectIdentity, other: ObjectIdentity): number {
  return (
    compare(one.kind, other.kind) ||
    compare(one.apiVersion, other.apiVersion) ||
    compare(one.namespace, other.namespace) ||
    compare(one.name, other.name) ||
    compare(one.uid, other.uid)
  );
}

/** As it appears in events and logs. */
export function describeIdentity({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
