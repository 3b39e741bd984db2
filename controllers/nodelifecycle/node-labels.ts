import type { CachedNode } from "./fields.ts";

/** Old names of labels, which have the value of the new one. */
const OLD_NAMES: readonly (readonly [label: string, oldName: string])[] = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
];

/** The labels that a node lacks or has wrong. */
export function labelsToSet({ metadata: { labels = {} } }: CachedNode): Readonly<Record<string, string>> {
  return Object.fromEntries(
    OLD_NAMES.flatMap(([label, oldName]) => {
      const value = labels[label];
      return value === undefined || value === labels[oldName] ? [] : [[oldName, value]];
    }),
  );
}
