import { describe, expect, test } from "vitest";
import type { Pod, Service } from "../api/types/core-v1.gen.ts";
import { affectedServices, backsServices, entriesOf, hostnameUnder, selectorEntry } from "./backing-pods.ts";

const DELETED = { deletionTimestamp: "2026-01-01T00:00:00Z" };

// upstream: endpointslice/util/controller_utils_test.go#TestShouldPodBeInEndpoints
describe("a pod backs Services", () => {
  test.each<[string, Pod, boolean, boolean]>([
    ["not when it has failed and is never restarted", inPhase("Failed", "Never"), false, false],
    ["not when it has succeeded and is never restarted", inPhase("Succeeded", "Never"), false, false],
    [
      "not when it has succeeded and is restarted on failure",
      inPhase("Succeeded", "OnFailure"),
      false,
      false,
    ],
    [
      "not without an address",
      { metadata: {}, status: { phase: "Running", podIP: "", podIPs: [] } },
      false,
      false,
    ],
    ["not while it is being deleted", { ...inPhase("Running"), metadata: DELETED }, false, false],
    ["not when it has failed although it should be restarted", inPhase("Failed", "Always"), false, false],
    ["while it is pending", inPhase("Pending", "Never"), false, true],
    ["while nothing is known of it", inPhase("Unknown", "OnFailure"), false, true],
    ["while it runs", inPhase("Running", "Never"), false, true],
    [
      "with addresses of two families",
      {
        metadata: {},
        status: { phase: "Running", podIPs: [{ ip: "1.2.3.4" }, { ip: "1234::5678:0:0:9abc:def0" }] },
      },
      false,
      true,
    ],
    [
      "while it is being deleted, for those who care",
      { ...inPhase("Running"), metadata: DELETED },
      true,
      true,
    ],
  ])("%s", (_, pod, includeTerminating, expected) => {
    expect(backsServices(pod, includeTerminating)).toBe(expected);
  });
});

// upstream: endpointslice/util/controller_utils_test.go#TestShouldSetHostname
test.for<[string, string, string, string, string | undefined]>([
  ["all matching", "ns", "foo", "name", "foo"],
  ["no hostname", "ns", "", "name", undefined],
  ["another subdomain", "ns", "hostname", "subdomain", undefined],
  ["another namespace", "ns1", "hostname", "name", undefined],
])("a hostname under a Service: %s", ([, namespace, hostname, subdomain, expected]) => {
  const service: Service = { metadata: { namespace: "ns", name: "name" } };
  expect(
    hostnameUnder(service, { metadata: { namespace }, spec: { containers: [], hostname, subdomain } }),
  ).toBe(expected);
});

// upstream: endpointslice/util/controller_utils_test.go#TestGetPodServicesToUpdate
test.each([
  [0, ["service-0"]],
  [1, ["service-1"]],
  [2, ["service-2"]],
  [3, []],
  [4, []],
])("a pod that comes or goes means something to the Services that select it: pod %i", (number, expected) => {
  const services = [0, 1, 2].map((each) => service(`service-${each}`, { app: `test-${each}` }));
  const pod: Pod = {
    metadata: { namespace: "test", name: "pod", labels: { app: `test-${number}`, label: `label-${number}` } },
  };
  expect(namesOf(affectedServices(services, undefined, pod))).toEqual(expected);
  expect(namesOf(affectedServices(services, pod, undefined))).toEqual(expected);
  const entries = entriesOf(pod);
  const found = services.filter((each) => selectorEntry(each).some((entry) => entries.has(entry)));
  expect(namesOf(found)).toEqual(expected);
});

const LABELS_ONLY = "labels";
const POD = "pod";
const NOTHING = "nothing";

/** "stays" selects the pod before and after the label changes, "leaves" before, "joins" after. */
const watching = [
  service("stays", { foo: "bar" }),
  service("leaves", { foo: "bar", label: "old" }),
  service("joins", { foo: "bar", label: "new" }),
  service("none", { foo: "other" }),
];

// upstream: endpointslice/util/controller_utils_test.go#Test_podChanged
test.each<[string, (pod: Pod) => Pod, (pod: Pod) => Pod, string]>([
  ["nothing", same, same, NOTHING],
  ["its node, which it got before it had an address", same, withSpec({ nodeName: "changed" }), NOTHING],
  ["its version", same, withMeta({ resourceVersion: "changed" }), NOTHING],
  ["its first address", same, withIps("1.2.3.4"), POD],
  ["another first address", withIps("1.2.3.4"), withIps("2.3.4.5"), POD],
  ["its first address of the sixth version", same, withIps("fd00:10:96::1"), POD],
  ["another first address of the sixth version", withIps("fd00:10:96::1"), withIps("fd00:10:96::2"), POD],
  ["a second address", withIps("1.2.3.4"), withIps("1.2.3.4", "fd00:10:96::1"), POD],
  ["another second address", withIps("1.2.3.4", "fd00:10:96::1"), withIps("1.2.3.4", "fd00:10:96::2"), POD],
  ["no second address", withIps("1.2.3.4", "fd00:10:96::1"), withIps("1.2.3.4"), POD],
  ["its readiness", same, withStatus({ conditions: [{ type: "Ready", status: "True" }] }), POD],
  ["its deletion", same, withMeta(DELETED), POD],
  ["a new label", same, withLabel("new"), LABELS_ONLY],
  ["another value of a label", withLabel("old"), withLabel("new"), LABELS_ONLY],
  ["no label any more", withLabel("old"), same, LABELS_ONLY],
  // Not in upstream, where such a pod stays until something else happens.
  ["its end while it is not ready", same, withStatus({ phase: "Failed" }), POD],
  ["its hostname", same, withSpec({ hostname: "h" }), LABELS_ONLY],
])("of a pod changes %s", (_, before, after, what) => {
  const original: Pod = {
    metadata: { namespace: "test", name: "pod", labels: { foo: "bar" }, resourceVersion: "1" },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status: "False" }] },
  };
  const [old, now] = [before(original), withMeta({ resourceVersion: "2" })(after(original))];
  const affected = namesOf(affectedServices(watching, old, now));
  if (what === NOTHING) expect(affected).toEqual([]);
  if (what === POD) expect(affected).toEqual(["stays"]);
  if (what === LABELS_ONLY) expect(affected).not.toContain("stays");
  expect(affected).not.toContain("none");
});

// upstream: endpointslice/util/controller_utils_test.go#TestDetermineNeededServiceUpdates
test.for<[string, string, string, string, string]>([
  ["no Service changes", "abc", "abc", "", "abc"],
  ["all old ones leave, new ones come", "abc", "def", "abcdef", "abcdef"],
  ["all old ones leave, none comes", "abc", "", "abc", "abc"],
  ["there was none, new ones come", "", "abc", "abc", "abc"],
  ["one leaves, one comes, two stay", "abc", "bcd", "ad", "abcd"],
  ["there is none", "", "", "", ""],
])("when labels change and %s", ([, before, after, labelsOnly, both]) => {
  const services = ["a", "b", "c", "d", "e", "f"].map((name) => service(name, { [name]: "yes" }));
  const pod = (letters: string, resourceVersion: string, ip: string): Pod => ({
    metadata: {
      namespace: "test",
      name: "pod",
      resourceVersion,
      labels: {
        version: resourceVersion,
        ...Object.fromEntries(Array.from(letters, (letter) => [letter, "yes"])),
      },
    },
    status: { podIPs: [{ ip }] },
  });
  const old = pod(before, "1", "1.1.1.1");
  expect(namesOf(affectedServices(services, old, pod(after, "2", "1.1.1.1"))).join("")).toBe(labelsOnly);
  expect(namesOf(affectedServices(services, old, pod(after, "2", "1.1.1.2"))).join("")).toBe(both);
});

function inPhase(phase: string, restartPolicy = "Always"): Pod {
  return { metadata: {}, spec: { containers: [], restartPolicy }, status: { phase, podIP: "1.2.3.4" } };
}

function service(name: string, selector: Readonly<Record<string, string>>): Service {
  return { metadata: { namespace: "test", name }, spec: { selector } };
}

function namesOf(services: readonly Service[]): readonly string[] {
  return services.map(({ metadata }) => metadata.name ?? "");
}

function same(pod: Pod): Pod {
  return pod;
}

function withMeta(change: Pod["metadata"]): (pod: Pod) => Pod {
  return (pod) => ({ ...pod, metadata: { ...pod.metadata, ...change } });
}

function withSpec(change: Partial<NonNullable<Pod["spec"]>>): (pod: Pod) => Pod {
  return (pod) => ({ ...pod, spec: { containers: [], ...pod.spec, ...change } });
}

function withStatus(change: NonNullable<Pod["status"]>): (pod: Pod) => Pod {
  return (pod) => ({ ...pod, status: { ...pod.status, ...change } });
}

function withIps(...ips: readonly string[]): (pod: Pod) => Pod {
  return withStatus({ podIPs: ips.map((ip) => ({ ip })) });
}

function withLabel(value: string): (pod: Pod) => Pod {
  return withMeta({ labels: { foo: "bar", label: value } });
}
