import type { Stored } from "../api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { inOneGo } from "../api/steps.ts";
import { formatTime } from "../api/time.ts";
import type { Pod, Service } from "../api/types/core-v1.gen.ts";
import { TriggerTimes } from "./trigger-times.ts";

const KEY = "ns/my-service";
const START_MS = Date.UTC(2019, 0, 1);
const at = (second: number): string => formatTime(START_MS + second * 1_000);

// upstream: endpointslice/util/trigger_time_tracker_test.go
describe("what has changed since the sync before", () => {
  test.each<[string, readonly (readonly [Service, readonly Stored<Pod>[], number | undefined])[]]>([
    ["TestNewServiceNoPods", [[service(2), [], 2]]],
    ["TestNewServiceExistingPods", [[service(3), [pod("1", 0), pod("2", 1), pod("3", 5)], 3]]],
    [
      "TestPodsAdded",
      [
        [service(0), [], 0],
        [service(0), [pod("1", 2), pod("2", 1)], 1],
      ],
    ],
    [
      "TestPodsUpdated",
      [
        [service(0), [pod("1", 1), pod("2", 2), pod("3", 3)], 0],
        [service(0), [pod("1", 5), pod("2", 4), pod("3", 3)], 4],
      ],
    ],
    [
      "TestPodsUpdatedNoOp",
      [
        [service(0), [pod("1", 1), pod("2", 2), pod("3", 3)], 0],
        [service(0), [pod("1", 1), pod("2", 2), pod("3", 3)], undefined],
      ],
    ],
    [
      "TestPodDeletedThenAdded",
      [
        [service(0), [pod("1", 1), pod("2", 2)], 0],
        [service(0), [pod("1", 1)], undefined],
        [service(0), [pod("1", 1), pod("2", 4)], 4],
      ],
    ],
    [
      "TestServiceUpdatedNoPodChange",
      [
        [service(0), [pod("1", 1), pod("2", 2)], 0],
        [{ ...service(0), spec: { ports: [{ port: 80 }] } }, [pod("1", 1), pod("2", 2)], undefined],
      ],
    ],
  ])("%s", (_, syncs) => {
    const times = new TriggerTimes();
    for (const [owner, pods, expected] of syncs) {
      expect(inOneGo(times.next(KEY, asStored(owner), pods))).toBe(
        expected === undefined ? undefined : at(expected),
      );
    }
  });

  test("TestServiceDeletedThenAdded", () => {
    const times = new TriggerTimes();
    const pods = [pod("1", 1), pod("2", 2)];
    expect(inOneGo(times.next(KEY, asStored(service(0)), pods))).toBe(at(0));
    times.forget(KEY);
    expect(inOneGo(times.next(KEY, asStored(service(3)), pods))).toBe(at(3));
  });

  test("everything, when another Service of the name has come in the same second", () => {
    const times = new TriggerTimes();
    const of = (uid: string): Service => ({ ...service(0), metadata: { ...service(0).metadata, uid } });
    expect(inOneGo(times.next(KEY, asStored(of("first")), []))).toBe(at(0));
    expect(inOneGo(times.next(KEY, asStored(of("first")), []))).toBeUndefined();
    expect(inOneGo(times.next(KEY, asStored(of("second")), []))).toBe(at(0));
  });

  test("nothing, where nobody says when it happened", () => {
    const times = new TriggerTimes();
    const silent = asStored<Pod>({
      metadata: { name: "1" },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    expect(inOneGo(times.next(KEY, asStored({ metadata: {} }), [silent]))).toBeUndefined();
    expect(inOneGo(times.next(KEY, asStored({ metadata: {} }), [silent]))).toBeUndefined();
  });
});

function service(created: number): Stored<Service> {
  return asStored<Service>({
    metadata: { namespace: "ns", name: "my-service", creationTimestamp: at(created) },
  });
}

function pod(name: string, readySince: number): Stored<Pod> {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: at(readySince) }];
  return asStored<Pod>({ metadata: { namespace: "ns", name }, status: { conditions } });
}
