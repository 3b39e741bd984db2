import { describe, expect, test } from "vitest";
import type { EndpointSlice } from "../api/types/discovery-v1.gen.ts";
import { serviceKeyOf, SliceTracker } from "./slice-tracker.ts";

const original = slice("original", 1);
const newer = slice("original", 2);
const elsewhere = slice("diff-ns", 1, "ns2");
const ofOther = slice("diff-svc", 1, "ns1", "svc2");
const dying = { ...original, metadata: { ...original.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };

/** On a cache that has seen everything up to a version. */
function newTracker(version = "9"): SliceTracker {
  return new SliceTracker({ lastSyncResourceVersion: () => version });
}

// upstream: endpointslice/util/endpointslice_tracker_test.go#TestEndpointSliceTrackerUpdate
describe("after a slice was written", () => {
  test.each<[string, EndpointSlice, boolean, boolean]>([
    ["the same is known and no news", original, true, false],
    ["one of another namespace is not known", elsewhere, false, true],
    ["one of another Service is not known", ofOther, false, true],
    ["a later generation is news", newer, true, true],
  ])("%s", (_, seen, has, isNews) => {
    const tracker = newTracker();
    tracker.wrote(original);
    expect(tracker.has(seen)).toBe(has);
    expect(tracker.isNews(seen)).toBe(isNews);
    expect(tracker.areStale("ns1/svc1", [])).toBe(true);
  });
});

// upstream: endpointslice/util/endpointslice_tracker_test.go#TestEndpointSliceTrackerStaleSlices
describe("the slices of a cache are stale", () => {
  const withNothing = (): void => undefined;
  const withNoSlice = (tracker: SliceTracker): void => {
    tracker.wrote(original);
    tracker.deletionObserved(original);
  };
  test.each<[string, (tracker: SliceTracker) => void, readonly EndpointSlice[], boolean]>([
    ["not when nothing was written", withNothing, [], false],
    ["not when what was written is gone", withNoSlice, [], false],
    ["not when they are what was written", (tracker) => tracker.wrote(original), [original], false],
    ["when a later generation was written", (tracker) => tracker.wrote(newer), [original], true],
    ["not when they are newer", (tracker) => tracker.wrote(original), [newer], false],
    ["when one of them was deleted", (tracker) => tracker.expectDeletion(original), [original], true],
    ["when one that was written is missing", (tracker) => tracker.wrote(original), [], true],
    ["not when one that was deleted is missing", (tracker) => tracker.expectDeletion(original), [], false],
  ])("%s", (_, prepare, slices, expected) => {
    const tracker = newTracker();
    prepare(tracker);
    expect(tracker.areStale("ns1/svc1", slices)).toBe(expected);
  });

  // Whatever was written to it or is expected of it: it is to be replaced.
  test.each<[string, (tracker: SliceTracker) => void]>([
    ["written", (tracker) => tracker.wrote(newer)],
    ["deleted", (tracker) => tracker.expectDeletion(original)],
  ])("not when a finalizer keeps one that was %s", (_, prepare) => {
    const tracker = newTracker();
    prepare(tracker);
    expect(tracker.areStale("ns1/svc1", [dying])).toBe(false);
  });

  test("not when one that was written is missing from a cache that has seen later versions", () => {
    const tracker = newTracker("10");
    tracker.wrote(original);
    expect(tracker.areStale("ns1/svc1", [])).toBe(false);
    expect(tracker.has(original)).toBe(false);
  });

  test("when one that was written is missing, and the cache cannot say what it has seen", () => {
    const tracker = newTracker("");
    tracker.wrote(original);
    expect(tracker.areStale("ns1/svc1", [])).toBe(true);
  });

  test("not when one of them went over to another Service", () => {
    const tracker = newTracker();
    tracker.wrote(original);
    tracker.forget(original);
    expect(tracker.areStale("ns1/svc1", [])).toBe(false);
  });
});

// upstream: endpointslice/util/endpointslice_tracker_test.go#TestEndpointSliceTrackerDeletion
describe("when a deletion is expected", () => {
  test.for<[string, EndpointSlice, EndpointSlice, boolean, boolean]>([
    ["of the same slice", original, original, true, true],
    ["of one of another namespace", elsewhere, elsewhere, true, false],
    ["of one of another namespace, and not of this", elsewhere, original, false, false],
    ["of one of another Service", ofOther, ofOther, true, false],
    ["of one of another Service, and not of this", ofOther, original, false, false],
    ["of another generation", newer, newer, true, true],
    ["of another generation, and so of this", newer, original, true, true],
  ])("%s", ([, expected, seen, isNews, wasExpected]) => {
    const tracker = newTracker();
    tracker.wrote(original);
    tracker.expectDeletion(expected);
    expect(tracker.has(seen)).toBe(true);
    expect(tracker.isNews(seen)).toBe(isNews);
    expect(tracker.deletionObserved(original)).toBe(wasExpected);
    expect(tracker.has(original)).toBe(false);
  });
});

// upstream: endpointslice/util/endpointslice_tracker_test.go#TestEndpointSliceTrackerDeleteService
test.each([
  ["its own", "ns1/svc1", false],
  ["one of another namespace", "ns2/svc1", true],
  ["another", "ns1/svc2", true],
])("a slice is forgotten with its Service: %s", (_, key, has) => {
  const tracker = newTracker();
  tracker.wrote(original);
  tracker.forgetService(key);
  expect(tracker.has(original)).toBe(has);
  expect(tracker.isNews(original)).toBe(!has);
});

// upstream: endpointslice/utils_test.go#TestServiceControllerKey
test.each<[string, EndpointSlice, string | undefined]>([
  ["a slice that does not say", { metadata: {}, addressType: "IPv4" }, undefined],
  ["one that does", original, "ns1/svc1"],
])("the key of a slice's Service: %s", (_, seen, key) => {
  expect(serviceKeyOf(seen)).toBe(key);
});

function slice(uid: string, generation: number, namespace = "ns1", service = "svc1"): EndpointSlice {
  const labels = { "kubernetes.io/service-name": service };
  const metadata = { name: "example-1", namespace, uid, generation, labels, resourceVersion: "10" };
  return { metadata, addressType: "IPv4" };
}
