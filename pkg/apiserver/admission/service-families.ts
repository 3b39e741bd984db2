import { type Json, sameValue, setDefault, stringMap, strings, text } from "../../api/json.ts";
import { isHeadless, keepFamilies } from "../kinds/network/service.ts";
import type { Family } from "../../endpoints/cidr.ts";

export interface FieldProblem {
  readonly field: string;
  readonly value: unknown;
  readonly message: string;
}

const OTHER: Readonly<Record<string, Family>> = { IPv4: "IPv6", IPv6: "IPv4" };
const familyOf = (address: string): Family => (address.includes(":") ? "IPv6" : "IPv4");

/**
 * Settles for which families a service, whose addresses are aligned, has them on a cluster with these: the policy, what
 * families and addresses are given, and what the service had before decide. Gives what is wrong.
 */
export function settleFamilies(
  spec: Json,
  old: Json | undefined,
  cluster: readonly Family[],
): readonly FieldProblem[] {
  if (old !== undefined && text(old, "type") !== "ExternalName") keepFamilies(spec, old);
  // Without a selector nobody but the owner knows what is behind it, so that it may be of both families anywhere.
  const isFree = isHeadless(spec) && Object.keys(stringMap(spec, "selector")).length === 0;
  setDefault(spec, "ipFamilyPolicy", isFree ? "RequireDualStack" : "SingleStack");
  const isSingle = text(spec, "ipFamilyPolicy") === "SingleStack";
  const problems = isSingle ? dropSecond(spec, old) : refuseReduction(spec, old);
  const families = strings(spec, "ipFamilies");
  for (const [index, address] of strings(spec, "clusterIPs").entries()) {
    if (address === "None" || index < families.length) continue;
    const family = familyOf(address);
    families.push(family);
    if (cluster.includes(family)) continue;
    const message = `${family} is not configured on this cluster`;
    problems.push({ field: `spec.clusterIPs[${index}]`, value: strings(spec, "clusterIPs"), message });
  }
  if (problems.length > 0) return problems;
  if (!isFree) problems.push(...unsupported(spec, families, cluster));
  const [first = cluster[0] ?? "IPv4"] = families;
  const wantsBoth = !isSingle && families.length < 2 && (isFree || cluster.length === 2);
  if (problems.length === 0) {
    const second = wantsBoth ? [OTHER[first] ?? "IPv6"] : families.slice(1);
    spec["ipFamilies"] = [first, ...second];
  }
  return problems;
}

/** To ask for one family is to give the second one back, where nothing else was changed about it. */
function dropSecond(spec: Json, old: Json | undefined): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [key, what] of [
    ["clusterIPs", "cluster IPs"],
    ["ipFamilies", "IP families"],
  ] as const) {
    const values = strings(spec, key);
    if (values.length < 2) continue;
    if (old !== undefined && sameValue(values, strings(old, key))) spec[key] = values.slice(0, 1);
    else
      problems.push(
        policyProblem(
          spec,
          `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
        ),
      );
  }
  return problems;
}

function refuseReduction(spec: Json, old: Json | undefined): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [key, what] of [
    ["clusterIPs", "cluster IP"],
    ["ipFamilies", "IP family"],
  ] as const) {
    const [values, before] = [strings(spec, key), strings(old ?? {}, key)];
    if (values.length === 1 && before.length === 2 && values[0] === before[0])
      problems.push(policyProblem(spec, `must be 'SingleStack' to release the secondary ${what}`));
  }
  return problems;
}

function unsupported(spec: Json, families: readonly string[], cluster: readonly Family[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (text(spec, "ipFamilyPolicy") === "RequireDualStack" && cluster.length < 2)
    problems.push(policyProblem(spec, "this cluster is not configured for dual-stack services"));
  for (const [index, family] of families.entries()) {
    if (!cluster.some((each) => each === family)) {
      problems.push({
        field: `spec.ipFamilies[${index}]`,
        value: family,
        message: "not configured on this cluster",
      });
    }
  }
  return problems;
}

function policyProblem(spec: Json, message: string): FieldProblem {
  return { field: "spec.ipFamilyPolicy", value: text(spec, "ipFamilyPolicy"), message };
}
