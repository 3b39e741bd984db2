import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ResourceSlice } from "../../../pkg/api/types/resource-v1.gen.ts";
import type { V1alpha3ResourcePoolStatusRequestSpec } from "../../../pkg/api/types/resource-v1alpha3.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create } from "./objects.ts";

const API = "resource.k8s.io/v1";
/** For long enough that nobody tries again. */
const TRIED_OUT_MS = 3_000;

/** Drivers are everybody's: each scenario has its own. */
interface Published {
  readonly driver: string;
  readonly pool: string;
  readonly devices: number;
  readonly nodeName?: string;
  readonly generation?: number;
  /** How many slices the pool has in all. */
  readonly of?: number;
}

function slice(
  name: string,
  { driver, pool, devices, nodeName = "nowhere", generation = 1, of = 1 }: Published,
): Step {
  const object: ResourceSlice & ApiObject = {
    apiVersion: API,
    kind: "ResourceSlice",
    metadata: { name: `.${name}` },
    spec: {
      driver,
      nodeName,
      pool: { name: pool, generation, resourceSliceCount: of },
      devices: Array.from({ length: devices }, (_, index) => ({ name: `device-${index}` })),
    },
  };
  return create(object);
}

/** A claim that has devices of a pool. */
function taken(name: string, driver: string, pool: string, ...devices: readonly string[]): readonly Step[] {
  const requests = [{ name: "one", exactly: { deviceClassName: "class", count: devices.length } }];
  const object = {
    apiVersion: API,
    kind: "ResourceClaim",
    metadata: { name },
    spec: { devices: { requests } },
  };
  const results = devices.map((device) => ({ request: "one", driver, pool, device }));
  const body = { status: { allocation: { devices: { results } } } };
  return [create(object), { do: "patch", target: `resourceClaims/${name}`, subresource: "status", body }];
}

function ask(name: string, spec: V1alpha3ResourcePoolStatusRequestSpec): Step {
  const object = {
    apiVersion: "resource.k8s.io/v1alpha3",
    kind: "ResourcePoolStatusRequest",
    metadata: { name: `.${name}` },
    spec,
  };
  return create(object);
}

const answered = (name: string): Step => ({
  do: "until present",
  target: `resourcePoolStatusRequests/.${name}`,
  path: "status",
});
const unanswered = (name: string): Step => ({
  do: "stays",
  target: `resourcePoolStatusRequests/.${name}`,
  holds: { status: undefined },
  forMs: TRIED_OUT_MS,
});

export const pools: readonly Scenario[] = inArea("pools", [
  {
    name: "pools-of-a-driver",
    steps: [
      slice("a", { driver: "a.example.com", pool: "gpus", devices: 3 }),
      slice("b", { driver: "a.example.com", pool: "nics", devices: 2, nodeName: "one", of: 2 }),
      slice("c", { driver: "a.example.com", pool: "nics", devices: 1, nodeName: "two", of: 2 }),
      slice("d", { driver: "other.example.com", pool: "gpus", devices: 5 }),
      ...taken("web", "a.example.com", "gpus", "device-0", "device-2"),
      ...taken("other", "other.example.com", "gpus", "device-0"),
      ask("request", { driver: "a.example.com" }),
      answered("request"),
    ],
  },
  {
    name: "pool-by-its-name",
    steps: [
      slice("a", { driver: "b.example.com", pool: "gpus", devices: 3 }),
      slice("b", { driver: "b.example.com", pool: "nics", devices: 2 }),
      ask("request", { driver: "b.example.com", poolName: "nics" }),
      answered("request"),
    ],
  },
  {
    name: "pools-beyond-the-limit",
    steps: [
      slice("a", { driver: "c.example.com", pool: "third", devices: 3 }),
      slice("b", { driver: "c.example.com", pool: "first", devices: 1 }),
      slice("c", { driver: "c.example.com", pool: "second", devices: 2 }),
      ask("request", { driver: "c.example.com", limit: 2 }),
      answered("request"),
    ],
  },
  {
    name: "pools-that-nobody-has",
    steps: [ask("request", { driver: "nobody.example.com" }), answered("request")],
  },
  {
    name: "pool-of-two-generations",
    steps: [
      slice("old", { driver: "d.example.com", pool: "gpus", devices: 5 }),
      slice("new", { driver: "d.example.com", pool: "gpus", devices: 2, generation: 2, nodeName: "one" }),
      ask("request", { driver: "d.example.com" }),
      answered("request"),
    ],
  },
  {
    name: "pool-that-is-not-complete",
    steps: [
      slice("whole", { driver: "e.example.com", pool: "whole", devices: 1 }),
      slice("half", { driver: "e.example.com", pool: "half", devices: 1, of: 2 }),
      ask("whole", { driver: "e.example.com", poolName: "whole" }),
      answered("whole"),
      ask("half", { driver: "e.example.com", poolName: "half" }),
      unanswered("half"),
      // Nobody is woken by what was missing.
      slice("rest", { driver: "e.example.com", pool: "half", devices: 4, of: 2 }),
      unanswered("half"),
    ],
  },
  {
    name: "pool-that-was-not-complete-before-a-restart",
    alone: true,
    steps: [
      slice("half", { driver: "f.example.com", pool: "gpus", devices: 1, of: 2 }),
      ask("request", { driver: "f.example.com" }),
      unanswered("request"),
      slice("rest", { driver: "f.example.com", pool: "gpus", devices: 4, of: 2 }),
      { do: "restart manager" },
      answered("request"),
    ],
  },
  {
    name: "pool-that-is-asked-for-twice",
    alone: true,
    steps: [
      slice("a", { driver: "g.example.com", pool: "gpus", devices: 3 }),
      ask("before", { driver: "g.example.com" }),
      answered("before"),
      ...taken("web", "g.example.com", "gpus", "device-0"),
      { do: "restart manager" },
      ask("after", { driver: "g.example.com" }),
      answered("after"),
    ],
  },
]);
