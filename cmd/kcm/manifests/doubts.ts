import { allResources } from "../../../pkg/api/resources.ts";
import type { OperatorModule } from "./load-module.ts";
import type { Seen } from "./seen-requests.ts";

const READS = new Set(["list", "watch"]);

/** Why permissions may be missing: what the controllers do was not seen, as they had nothing to do it for. */
export function doubtsOf(
  { controllers, crds, examples }: OperatorModule,
  seen: readonly Seen[],
): readonly string[] {
  if (controllers.length === 0) return [];
  const known = new Set([...allResources(), ...crds].map(({ group, plural }) => nameOf(group, plural)));
  const read = seen
    .filter(({ verb }) => READS.has(verb))
    .map(({ group, resource }) => nameOf(group, resource));
  const unknown = [...new Set(read)].filter((name) => !known.has(name)).sort();
  return [
    ...unknown.map((name) => `it reads ${name}, whose definition it does not export`),
    ...(examples.length > 0
      ? []
      : ["it exports no examples, which are objects that its controllers have something to do for"]),
  ];
}

const nameOf = (group: string, plural: string): string => (group === "" ? plural : `${plural}.${group}`);
