import { type Json, setDefault } from "../json.ts";

/** What the API server fills into the spec of a claim: of its own, of a StatefulSet's template, of an ephemeral volume. */
export function setClaimSpecDefaults(spec: Json): void {
  setDefault(spec, "volumeMode", "Filesystem");
}
