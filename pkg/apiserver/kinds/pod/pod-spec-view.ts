import type { Json } from "../../../api/json.ts";
import { items, text } from "../../../api/json.ts";

/** What the checks of one pod spec share. */
export interface PodSpecView {
  readonly spec: Json;
  /** A pod of its own, in contrast to a template. */
  readonly isPod: boolean;
  /** Valid volumes by name. */
  readonly volumes: ReadonlyMap<string, Json>;
  readonly claimNames: ReadonlySet<string>;
}

export function podSpecView(spec: Json, isPod: boolean, volumes: ReadonlyMap<string, Json>): PodSpecView {
  const claimNames = new Set(items(spec, "resourceClaims").map((claim) => text(claim, "name")));
  return { spec, isPod, volumes, claimNames };
}
