import { expect, test } from "vitest";
import type { Container, ContainerPort } from "../api/types/core-v1.gen.ts";
import { podPort } from "./pod-port.ts";

const with11And22 = container({ containerPort: 11 }, { name: "p", containerPort: 22 });
const withThree = container(
  { containerPort: 11, protocol: "UDP" },
  { name: "p", containerPort: 22 },
  { name: "q", containerPort: 33 },
);
const empty = container();
const sidecar: Container = {
  ...container({ name: "a", containerPort: 80, hostPort: -1 }),
  restartPolicy: "Always",
};

// upstream: endpointslice/utils_test.go#TestFindPort
test.for<[string, readonly Container[], readonly Container[], number | string, number | undefined]>([
  ["a number where there are no ports", [empty], [], 93, 93],
  ["a number where there are others", [with11And22], [], 93, 93],
  ["a name where there are no ports", [empty], [], "p", undefined],
  ["a name in one container", [withThree], [], "q", 33],
  ["a name in the second container", [empty, withThree], [], "q", 33],
  [
    "one of two names for a number",
    [
      empty,
      container(
        { containerPort: 11, protocol: "UDP" },
        { name: "p", containerPort: 22 },
        { name: "q", containerPort: 22 },
      ),
    ],
    [],
    "q",
    22,
  ],
  [
    "a name for another protocol",
    [empty, container({ name: "a", containerPort: 11, protocol: "snmp" })],
    [],
    "a",
    undefined,
  ],
  ["a port of the host too", [empty, container({ name: "a", containerPort: 11, hostPort: 81 })], [], "a", 11],
  [
    "a port of the host that is none",
    [empty, container({ name: "a", containerPort: 11, hostPort: -1 })],
    [],
    "a",
    11,
  ],
  ["a number that is none", [empty, container({ name: "a", containerPort: -1 })], [], "a", -1],
  [
    "a port on one address of the host",
    [empty, container({ name: "a", containerPort: 11, hostIP: "192.168.1.1" })],
    [],
    "a",
    11,
  ],
  ["a name in a sidecar", [], [sidecar], "a", 80],
  ["a name in an init container", [], [container({ name: "a", containerPort: 80 })], "a", undefined],
  [
    "a name in containers and a sidecar: the first container's",
    [container({ name: "a", containerPort: 81 }), container({ name: "a", containerPort: 82 })],
    [sidecar],
    "a",
    81,
  ],
])("%s", ([, containers, initContainers, targetPort, expected]) => {
  const pod = { metadata: {}, spec: { containers, initContainers } };
  expect(podPort(pod, { port: 1, protocol: "TCP", targetPort })).toBe(expected);
});

function container(...ports: readonly ContainerPort[]): Container {
  return { name: "c", ports: ports.map((port) => ({ protocol: "TCP", ...port })) };
}
