import { apiVersionOf, type BuiltInResource, groupResource } from "../../api/resource.ts";
import { isServedByDefault } from "../../api/resources.ts";

/** The release whose behaviour this server has. */
export const NEWEST_MINOR = 36;
/**
 * The oldest release that can be stood in for: since then built-in kinds have only been added. What came later into
 * kinds that are older is served all the same, and rules are those of the newest.
 */
export const OLDEST_MINOR = 33;

/** The minor release in which kinds became part of what every server serves. upstream: k8s.io/api, APILifecycleIntroduced */
const since: Readonly<Record<string, number>> = {
  "mutatingadmissionpolicies.admissionregistration.k8s.io": 36,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": 36,
  "deviceclasses.resource.k8s.io": 34,
  "resourceclaims.resource.k8s.io": 34,
  "resourceclaimtemplates.resource.k8s.io": 34,
  "resourceslices.resource.k8s.io": 34,
  "volumeattributesclasses.storage.k8s.io": 34,
};

/** Whether API servers of v1.MINOR serve the resource, by default or because these versions of groups are switched on. */
export function isServedIn(
  minor: number,
  resource: BuiltInResource,
  switchedOn: readonly string[] = [],
): boolean {
  if (switchedOn.includes(apiVersionOf(resource))) return true;
  return isServedByDefault(resource) && (since[groupResource(resource)] ?? 0) <= minor;
}

/** As /version and nodes have it. What stands in for another release says so behind the plus. */
export function gitVersionOf(minor: number): string {
  return minor === NEWEST_MINOR ? `v1.${NEWEST_MINOR}.4` : `v1.${minor}.0+emulated`;
}

/** The document at /version. */
export function versionDocument(minor: number): object {
  return {
    major: "1",
    minor: `${minor}`,
    emulationMajor: "1",
    emulationMinor: `${minor}`,
    minCompatibilityMajor: "1",
    minCompatibilityMinor: `${minor - 1}`,
    gitVersion: gitVersionOf(minor),
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "embedded",
    platform: "nodejs",
  };
}
