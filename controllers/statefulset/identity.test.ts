import { describe, expect, test } from "vitest";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { identityMatches, isMember, ordinalOf, withIdentity } from "./identity.ts";
import { podOf, statefulSet } from "./samples.test-data.ts";

const named = (name: string): Pod => ({ metadata: { name } });

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestGetParentNameAndOrdinal
describe("a pod's place", () => {
  test.each([
    { name: "foo-0", ordinal: 0 },
    { name: "foo-10", ordinal: 10 },
    { name: "foo-bar-7", ordinal: 7 },
    { name: "foo", ordinal: undefined },
    { name: "foo-", ordinal: undefined },
    { name: "foo-1a", ordinal: undefined },
    { name: "foo-2147483647", ordinal: 2_147_483_647 },
    { name: "foo-2147483648", ordinal: undefined },
    { name: "foo-01", ordinal: undefined },
    { name: "foo-00", ordinal: undefined },
    { name: "foo-/", ordinal: undefined },
    { name: "foo-1:", ordinal: undefined },
    { name: "foo-99999999999999999999", ordinal: undefined },
    { name: "7", ordinal: undefined },
    { name: "-7", ordinal: 7 },
  ])("of $name is $ordinal", ({ name, ordinal }) => {
    expect(ordinalOf(named(name))).toBe(ordinal);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestIsMemberOf
describe("a pod of the StatefulSet", () => {
  const set = statefulSet("foo");
  test.each([
    { name: "foo-1", member: true },
    { name: "foo-99", member: true },
    { name: "foo2-1", member: false },
    { name: "foo-bar-1", member: false },
    { name: "bar-1", member: false },
    { name: "foo-", member: false },
    { name: "foo", member: false },
    { name: "foo-01", member: false },
  ])("is $name: $member", ({ name, member }) => {
    expect(isMember(set, named(name))).toBe(member);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestIdentityMatches, #TestUpdateIdentity
describe("identity", () => {
  const set = statefulSet("foo");
  const pod = podOf(set, 1);
  test("is what a new pod has", () => expect(identityMatches(pod)).toBe(true));

  test("is lost with its label, and given back", () => {
    const stripped = { ...pod, metadata: { ...pod.metadata, labels: { foo: "bar" } } };
    expect(identityMatches(stripped)).toBe(false);
    const again = withIdentity(set, stripped, 1);
    expect(identityMatches(again)).toBe(true);
    expect(again.metadata.labels).toMatchObject({ foo: "bar", "apps.kubernetes.io/pod-index": "1" });
  });

  test("is not another pod's label", () => {
    const labels = { ...pod.metadata.labels, "statefulset.kubernetes.io/pod-name": "foo-2" };
    expect(identityMatches({ ...pod, metadata: { ...pod.metadata, labels } })).toBe(false);
  });
});
