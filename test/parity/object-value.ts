import type { ApiObject } from "../../pkg/api/object.ts";

interface Element {
  readonly type?: string;
  readonly key?: string;
  readonly effect?: string;
}

/**
 * "status.conditions[Progressing].reason" picks the element of that type, "spec.taints[example.com/own:NoSchedule]" the
 * taint of that key and effect, "status.used[requests.cpu]" a field of that name.
 */
export function valueAt(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const [part, name = part] of path.matchAll(/\[([^\]]*)\]|[^.[]+/g)) {
    if (value === undefined || value === null) return undefined;
    value =
      Array.isArray(value) && name !== part
        ? (value as readonly Element[]).find(
            ({ type, key, effect }) => type === name || `${key}:${effect}` === name,
          )
        : (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Whether the status, when it says so at all, is about the spec as it is now. */
export function isObserved(object: ApiObject): boolean {
  const { generation } = object.metadata;
  const { status } = object as { readonly status?: { readonly observedGeneration?: number } };
  return "spec" in object && generation !== undefined && status?.observedGeneration !== undefined
    ? status.observedGeneration >= generation
    : true;
}
