/** What differs from run to run, and from cluster to cluster, without being a difference. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, "TIME"],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ [+-]\d{4}/g, "TIME"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID"],
  [/\b\d{1,3}(\.\d{1,3}){3}\b(\/\d+)?/g, "IP"],
  [/-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-HASH"],
  [/\b(shop|front|migrate|kube-api-access)-[bcdfghjklmnpqrstvwxz2456789]{5,10}\b/g, "$1-HASH"],
  [/\bnode-[012]\b/g, "NODE"],
  [/\bzone-[abc]\b/g, "ZONE"],
  // An image that cannot be pulled is in one or the other, in turn.
  [/((?:Reason:|0\/1)\s+)(?:ErrImagePull|ImagePullBackOff)/g, "$1PULL"],
  [/^Context "[^"]+"/g, "Context"],
  [/\(x\d+ over [\dhms]+\)/g, ""],
  [/\b\d+(?:\.\d+)?m?s\b|\b\d+m(?:\d+s)?\b(?!\S)/g, "AGE"],
  [/\bsha256:[0-9a-f]+\b/g, "SHA"],
  [/\/tmp\/[^\s:"]+/g, "FILE"],
];

/** The lines of an output, as they can be compared; in an order of their own, since that of the world is chance. */
export function maskedLines(output: string): readonly string[] {
  return output
    .split("\n")
    .map((line) => masks.reduce((text, [pattern, mask]) => text.replaceAll(pattern, mask), line))
    .map((line) => line.trim().replaceAll(/\s+/g, " "))
    .filter((line) => line !== "")
    .toSorted();
}
