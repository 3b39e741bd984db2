import { expect, test } from "vitest";
import type { ApiObject } from "../../../api/object.ts";
import { TurnOfSteps } from "../../../clock/turns.ts";
import { resources } from "../../../api/resources.ts";
import { type AdmissionAttributes, RequestScope } from "../../server/admission.ts";
import { builtInResource } from "../../server/built-in-resource.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { Store } from "../../storage/store.ts";
import { storeReader } from "../cluster-reader.ts";
import { podSecurity, type PodSecurityExemptions } from "./pod-security.ts";

/** Whether a pod on the host's network is admitted to the restricted namespace "strict". */
function admits(exemptions: Partial<PodSecurityExemptions>): boolean {
  const store = new Store({ clock: new VirtualClock() });
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  store.put("namespaces", "strict", undefined, { metadata: { name: "strict", labels } });
  const plugin = podSecurity(storeReader(store), {
    users: [],
    namespaces: [],
    runtimeClasses: [],
    ...exemptions,
  });
  const attributes: AdmissionAttributes = {
    operation: "CREATE",
    resource: resources.pods,
    subresource: "",
    namespace: "strict",
    name: "p",
    refusedName: "p",
    pathName: "",
    before: undefined,
    user: { username: "jane", groups: [] },
    dryRun: false,
    options: () => undefined,
    served: builtInResource(resources.pods, undefined),
    equivalents: () => [],
    servedKind: () => undefined,
    turns: new TurnOfSteps(new VirtualClock()),
    bodyKind: undefined,
    warn: () => undefined,
    scope: new RequestScope(),
  };
  const spec = { runtimeClassName: "vm", hostNetwork: true, containers: [] };
  const pod: ApiObject & { readonly spec: object } = { metadata: { name: "p" }, spec };
  try {
    plugin.validate?.(attributes, pod);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ["nobody", {}, false],
  ["the user", { users: ["jane"] }, true],
  ["somebody else", { users: ["bob"] }, false],
  ["the namespace", { namespaces: ["strict"] }, true],
  ["another namespace", { namespaces: ["lax"] }, false],
  ["the pod's class of runtimes", { runtimeClasses: ["vm"] }, true],
  ["another class", { runtimeClasses: ["gvisor"] }, false],
] as const)("exempt is %s", (_, exemptions, admitted) => {
  expect(admits(exemptions)).toBe(admitted);
});
