import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";

/** The finalizer that this controller answers for. */
const FINALIZER = "kubernetes";

/** Nobody holds the namespace any more. */
export function isFinalized(namespace: Namespace): boolean {
  return (namespace.spec?.finalizers ?? []).length === 0;
}

/** The body that takes this controller's finalizer away, and leaves those of others. */
export function withoutFinalizer(namespace: Namespace): Namespace {
  const others = new Set(namespace.spec?.finalizers?.filter((name) => name !== FINALIZER));
  return {
    metadata: namespace.metadata,
    spec: { ...namespace.spec, finalizers: [...others].toSorted() },
  };
}
