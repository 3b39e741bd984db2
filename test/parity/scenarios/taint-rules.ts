import type { ApiObject } from "../../../pkg/api/object.ts";
import type { V1beta2DeviceTaintRule } from "../../../pkg/api/types/resource-v1beta2.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import {
  allocate,
  claim,
  DRIVER,
  evicted,
  LONG,
  reserved,
  shared,
  slice,
  slowUser,
  tolerates,
} from "./devices.ts";
import { create } from "./objects.ts";

type Effect = "None" | "NoSchedule" | "NoExecute";

/** Of all devices of a pool, which are the scenario's. */
function rule(pool: string, effect: Effect): Step {
  const object: V1beta2DeviceTaintRule & ApiObject = {
    apiVersion: "resource.k8s.io/v1beta2",
    kind: "DeviceTaintRule",
    metadata: { name: ".rule" },
    spec: { deviceSelector: { driver: DRIVER, pool }, taint: { key: "example.com/broken", effect } },
  };
  return create(object);
}

const becomes = (effect: Effect): Step => ({
  do: "patch",
  target: "deviceTaintRules/.rule",
  body: { spec: { taint: { effect } } },
});
const says = (reason: string): Step => ({
  do: "until",
  target: "deviceTaintRules/.rule",
  holds: { "status.conditions[EvictionInProgress].reason": reason },
});

/** What a rule says of its evictions it says again after ten seconds. */
export const taintRules: readonly Scenario[] = inArea("taintRules", [
  {
    name: "rule-that-evicts",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("k"),
      reserved,
      rule("k", "NoExecute"),
      evicted("web"),
      says("Completed"),
    ],
  },
  {
    name: "rule-that-is-there-before-its-pods",
    steps: [
      rule("l", "NoExecute"),
      says("NotStarted"),
      slowUser("web", shared),
      claim,
      allocate("l"),
      evicted("web"),
      says("Completed"),
    ],
  },
  {
    name: "rule-of-devices-that-nobody-has",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("m"),
      reserved,
      rule("n", "NoExecute"),
      says("NotStarted"),
    ],
  },
  {
    name: "rule-on-trial",
    steps: [
      slice("o"),
      slowUser("web", shared),
      claim,
      allocate("o"),
      reserved,
      rule("o", "None"),
      says("NoEffect"),
    ],
  },
  {
    name: "rule-on-trial-becomes-serious",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("p"),
      reserved,
      rule("p", "None"),
      says("NoEffect"),
      becomes("NoExecute"),
      evicted("web"),
      says("Completed"),
    ],
  },
  {
    name: "rule-that-keeps-pods-out",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("q"),
      reserved,
      rule("q", "NoSchedule"),
      says("OtherEffect"),
    ],
  },
  {
    name: "rule-that-is-tolerated",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("r", [tolerates()]),
      reserved,
      rule("r", "NoExecute"),
      says("NotStarted"),
    ],
  },
  {
    name: "rule-called-off",
    steps: [
      slowUser("web", shared),
      claim,
      allocate("s", [tolerates(LONG)]),
      reserved,
      rule("s", "NoExecute"),
      says("PodsPendingEviction"),
      becomes("NoSchedule"),
      says("OtherEffect"),
    ],
  },
]);
