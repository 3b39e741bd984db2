import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { EndpointSubset, Pod, Service, ServicePort } from "../../pkg/api/types/core-v1.gen.ts";
import { addressOf, desiredSubsets } from "./desired-subsets.ts";
import { pod, pods, service, targetRef } from "./samples.test-data.ts";

const tcp: ServicePort = { port: 80, protocol: "TCP", targetPort: 8_080 };

function address(number: number): {
  readonly ip: string;
  readonly nodeName: string;
  readonly targetRef: object;
} {
  return { ip: `1.2.3.${4 + number}`, nodeName: "", targetRef: targetRef(number) };
}

// upstream: pkg/controller/endpoint/endpoints_controller_test.go
describe("the subsets of a Service", () => {
  test.each<[string, Service["spec"], readonly Stored<Pod>[], readonly EndpointSubset[]]>([
    [
      "TestSyncEndpointsProtocolTCP",
      { ports: [tcp] },
      pods(1),
      [{ addresses: [address(0)], ports: [{ port: 8_080, protocol: "TCP" }] }],
    ],
    [
      "TestSyncEndpointsProtocolUDP",
      { ports: [{ ...tcp, protocol: "UDP" }] },
      pods(1),
      [{ addresses: [address(0)], ports: [{ port: 8_080, protocol: "UDP" }] }],
    ],
    [
      "TestSyncEndpointsProtocolSCTP",
      { ports: [{ ...tcp, protocol: "SCTP" }] },
      pods(1),
      [{ addresses: [address(0)], ports: [{ port: 8_080, protocol: "SCTP" }] }],
    ],
    [
      "TestSyncEndpointsItemsEmptySelectorSelectsAll, …NotReady, …Mixed",
      { ports: [tcp] },
      [pod(0), pod(1, { ready: false })],
      [
        {
          addresses: [address(0)],
          notReadyAddresses: [address(1)],
          ports: [{ port: 8_080, protocol: "TCP" }],
        },
      ],
    ],
    [
      "TestSyncEndpointsHeadlessService, TestSyncEndpointsHeadlessWithoutPort",
      { clusterIP: "None", ports: [] },
      pods(1),
      [{ addresses: [address(0)] }],
    ],
    ["none where a Service with an address has no ports", { ports: [] }, pods(1), []],
    [
      "TestSyncEndpointsItemsExcludeNotReadyPodsWithRestartPolicyNeverAndPhaseFailed, …Succeeded, …OnFailure…",
      { ports: [tcp] },
      [pod(0, { ready: false, phase: "Failed" }), pod(1, { ready: false, phase: "Succeeded" })],
      [],
    ],
  ])("%s", (_, spec, members, expected) => {
    expect(inOneGo(desiredSubsets(service("foo", spec), members))).toEqual(expected);
  });

  test.each([
    ["TestSyncEndpointsProtocolMultiProtocolSamePort", [tcp, { ...tcp, protocol: "UDP" }], 1],
    [
      "TestSyncEndpointsItems, TestSyncEndpointsItemsWithLabels",
      [
        { ...tcp, name: "port0" },
        { ...tcp, name: "port1", targetPort: 8_088 },
      ],
      3,
    ],
  ])("%s", (_, ports, count) => {
    const [subset, ...others] = inOneGo(desiredSubsets(service("foo", { ports }), pods(count)));
    expect(others).toEqual([]);
    expect(subset?.addresses).toEqual(Array.from({ length: count }, (_pod, number) => address(number)));
    expect(new Set(subset?.ports)).toEqual(
      new Set(ports.map(({ port: _port, targetPort, ...rest }) => ({ ...rest, port: targetPort }))),
    );
  });

  test("TestSyncEndpointsAddDeletePorts: pods that have only one of two named ports", () => {
    const named = (number: number, name: string, containerPort: number): Stored<Pod> => ({
      ...pod(number),
      spec: { containers: [{ name: "c", ports: [{ name, containerPort, protocol: "TCP" }] }] },
    });
    const both = [named(0, "svc1", 100), named(1, "svc2", 101)];
    const first = { name: "portname1", port: 80, targetPort: "svc1", protocol: "TCP" };
    const second = { name: "portname2", port: 81, targetPort: "svc2", protocol: "TCP" };
    const one = { addresses: [address(0)], ports: [{ name: "portname1", port: 100, protocol: "TCP" }] };
    const other = { addresses: [address(1)], ports: [{ name: "portname2", port: 101, protocol: "TCP" }] };
    expect(inOneGo(desiredSubsets(service("foo", { ports: [first] }), both))).toEqual([one]);
    expect(new Set(inOneGo(desiredSubsets(service("foo", { ports: [first, second] }), both)))).toEqual(
      new Set([one, other]),
    );
    expect(inOneGo(desiredSubsets(service("foo", { ports: [second] }), both))).toEqual([other]);
  });

  // upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestEndpointPortFromServicePort
  test.each([undefined, "http"])("have ports with the application protocol %s", (appProtocol) => {
    const port = { ...tcp, name: "test", ...(appProtocol !== undefined && { appProtocol }) };
    const [subset] = inOneGo(desiredSubsets(service("foo", { ports: [port] }), pods(1)));
    expect(subset?.ports?.[0]?.appProtocol).toBe(appProtocol);
  });
});

// upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestSyncServiceAddresses
test("with thousands of pods they are made with many pauses", () => {
  const count = 5_000;
  const steps = desiredSubsets(service("foo"), pods(count));
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses++;
  const [subset] = step.value;
  expect(subset?.addresses).toHaveLength(count);
  expect(pauses).toBeGreaterThan(count / 50);
});

describe("a pod is among the addresses", () => {
  test.for<[string, string, boolean, boolean, boolean, string]>([
    ["while it runs", "Running", true, false, false, "ready"],
    ["not while it runs and is being deleted", "Running", true, true, false, "out"],
    ["while nothing is known of it", "Unknown", true, false, false, "ready"],
    ["not while nothing is known of it and it is being deleted", "Unknown", true, true, false, "out"],
    ["while it is pending", "Pending", true, false, false, "ready"],
    ["not while it is pending and is being deleted", "Pending", true, true, false, "out"],
    ["that are not ready, while nothing is known of it", "Unknown", false, false, false, "not ready"],
    ["that are not ready, while it is pending", "Pending", false, false, false, "not ready"],
    ["not when it has failed", "Failed", false, false, false, "out"],
    ["not when it has succeeded", "Succeeded", false, false, false, "out"],
    ["while it runs, where readiness does not matter", "Running", false, false, true, "ready"],
    ["while it runs and is being deleted, where that does not matter", "Running", false, true, true, "ready"],
    ["while nothing is known of it, where that does not matter", "Unknown", false, false, true, "ready"],
    [
      "while nothing is known of it and it is being deleted, where that does not matter",
      "Unknown",
      false,
      true,
      true,
      "ready",
    ],
    ["while it is pending, where that does not matter", "Pending", false, false, true, "ready"],
    [
      "while it is pending and is being deleted, where that does not matter",
      "Pending",
      false,
      true,
      true,
      "ready",
    ],
    ["not when it has failed, wherever", "Failed", false, false, true, "out"],
    ["not when it has succeeded, wherever", "Succeeded", false, false, true, "out"],
  ])("%s", ([, phase, ready, terminating, publishNotReadyAddresses, where]) => {
    const owner = service("foo", { publishNotReadyAddresses });
    const subsets = inOneGo(desiredSubsets(owner, [pod(0, { phase, ready, terminating })]));
    const found = subsets.map(({ addresses }) => (addresses === undefined ? "not ready" : "ready"));
    expect(found.join() || "out").toBe(where);
  });
});

const [V4, V6] = ["1.2.3.4", "2000::4"];

describe("of a pod's addresses", () => {
  // upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestPodToEndpointAddressForService
  test.for<[string, readonly string[], string, string, string | undefined]>([
    ["the only one, for the fourth version", [V4], "10.0.0.1", "IPv4", V4],
    ["the first, for the fourth version", [V4, V6], "10.0.0.1", "IPv4", V4],
    ["the second, for the fourth version", [V6, V4], "10.0.0.1", "IPv4", V4],
    ["the only one, without an address of the Service", [V4], "None", "IPv4", V4],
    ["the first, without an address of the Service", [V4, V6], "None", "IPv4", V4],
    ["the second, for the sixth version", [V4, V6], "3000::1", "IPv6", V6],
    ["the only one, for the sixth version without an address of the Service", [V6], "None", "IPv6", V6],
    ["the second, for the sixth version without an address of the Service", [V4, V6], "None", "IPv6", V6],
    ["none, where there is none of the sixth version", [V4], "3000::1", "IPv6", undefined],
  ])("%s", ([, ips, clusterIP, family, expected]) => {
    // Addresses that are not as they should be written are put right.
    const odd = ips.map((ip) => (ip === V4 ? "0001.002.3.04" : "2000:0:0:0::4"));
    const found = addressOf(service("foo", { clusterIP, ipFamilies: [family] }), pod(0, { ips: odd }));
    expect(found).toEqual(
      expected === undefined ? undefined : { ip: expected, nodeName: "", targetRef: targetRef(0) },
    );
  });

  // upstream: pkg/controller/endpoint/endpoints_controller_test.go#TestPodToEndpointAddressForServiceEmptyIPFamilies
  test.each<[string, string, string | undefined, string | undefined]>([
    ["one like the Service's, of the fourth version", "10.0.0.1", "10.244.0.1", "10.244.0.1"],
    ["one like the Service's, of the sixth version", "fd00::1", "fd00::10", "fd00::10"],
    ["none that is not like the Service's", "10.0.0.1", "fd00::10", undefined],
    ["its main one, of the fourth version", "None", "10.244.0.1", "10.244.0.1"],
    ["its main one, of the sixth version", "None", "fd00::10", "fd00::10"],
  ])("where no family is named, %s", (_, clusterIP, ip = "", expected) => {
    const { ipFamilies: _families, ...spec } = service("foo", { clusterIP }).spec ?? {};
    const found = addressOf({ ...service("foo"), spec }, pod(0, { ips: [ip] }));
    expect(found?.ip).toBe(expected);
  });
});
