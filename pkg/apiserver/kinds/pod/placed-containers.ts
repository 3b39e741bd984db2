import { items, type Json } from "../../../api/json.ts";

export interface PlacedContainer {
  readonly container: Json;
  /** `spec.containers[0]` */
  readonly path: string;
}

/** Those of every sort, in the order in which they begin. */
export function placedContainers(spec: Json, path: string): readonly PlacedContainer[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    items(spec, key).map((container, index) => ({ container, path: `${path}.${key}[${index}]` })),
  );
}
