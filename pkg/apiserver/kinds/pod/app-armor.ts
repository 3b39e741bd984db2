import { child, ensure, items, type Json, present, sameValue } from "../../../api/json.ts";

const annotationPrefix = "container.apparmor.security.beta.kubernetes.io/";
const longestProfile = 4095;

/** Annotations say what fields say today: a container without the field gets what its annotation means. */
export function takeAppArmorAnnotations(spec: Json, annotations: Readonly<Record<string, string>>): void {
  if (child(spec, "os")?.["name"] === "windows") return;
  const ofPod = child(child(spec, "securityContext"), "appArmorProfile");
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of items(spec, list)) {
      const annotation = annotations[`${annotationPrefix}${String(container["name"])}`];
      if (annotation === undefined || present(child(container, "securityContext"), "appArmorProfile"))
        continue;
      const profile = profileOf(annotation);
      if (profile === undefined || sameValue(profile, ofPod)) continue;
      ensure(container, "securityContext")["appArmorProfile"] = profile;
    }
  }
}

/** Undefined for what no field can say. */
function profileOf(annotation: string): Json | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const name = /^localhost\/(.*)$/s.exec(annotation)?.[1];
  const isName = name !== undefined && name !== "" && name.trim() === name && name.length <= longestProfile;
  return isName ? { type: "Localhost", localhostProfile: name } : undefined;
}
