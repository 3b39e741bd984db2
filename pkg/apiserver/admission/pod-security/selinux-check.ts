import type { SELinuxOptions } from "../../../api/types/core-v1.gen.ts";
import { allContainers, containersWhere, distinct, plural, type PodCheck, quoted, setters } from "./check.ts";

const always = ["", "container_t", "container_init_t", "container_kvm_t"];

/** A type of the usual ones or of these; a user or role is for nobody to choose. */
export const seLinuxOptions =
  (more: readonly string[]): PodCheck =>
  (pod) => {
    const allowed = new Set([...always, ...more]);
    const isBad = (options: SELinuxOptions | undefined): options is SELinuxOptions =>
      options !== undefined &&
      (!allowed.has(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== "");
    const own = pod.spec.securityContext?.seLinuxOptions;
    const containers = containersWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    const who = setters(isBad(own), containers);
    if (who.length === 0) return undefined;
    const bad = [
      own,
      ...allContainers(pod).map(({ securityContext }) => securityContext?.seLinuxOptions),
    ].filter(isBad);
    const types = distinct(bad.map(({ type = "" }) => type).filter((type) => !allowed.has(type)));
    const what = [
      ...(types.length === 0 ? [] : [`${plural("type", "types", types)} ${quoted(types)}`]),
      ...(bad.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
      ...(bad.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${who.join(" and ")} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
    };
  };
