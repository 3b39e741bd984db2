import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Container, Node, Pod, Service, ServicePort } from "../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointPort } from "../../pkg/api/types/discovery-v1.gen.ts";
import { endpointOf, portsOf } from "./endpoint-of-pod.ts";
import { NAMESPACE, node, pod, service } from "./samples.test-data.ts";

const targetRef = { kind: "Pod", namespace: NAMESPACE, name: "pod1", uid: "pod1-uid" };
const base: Endpoint = {
  addresses: ["1.2.3.5"],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: "node-1",
  targetRef,
};
const plain = service("foo");
const publishing = service("publishing", { publishNotReadyAddresses: true });
const inZone = node("node-1", { zone: "us-central1-a" });

// upstream: endpointslice/utils_test.go#TestPodToEndpoint
describe("what a slice says of a pod", () => {
  test.for<[string, Pod, Node | undefined, Service, Partial<Endpoint>]>([
    ["that is ready", pod(1), undefined, plain, {}],
    ["that is ready, when readiness does not matter", pod(1), undefined, publishing, {}],
    ["that is not ready", pod(1, { ready: false }), undefined, plain, conditions(false, false, false)],
    [
      "that is not ready, when readiness does not matter",
      pod(1, { ready: false }),
      undefined,
      publishing,
      conditions(true, false, false),
    ],
    ["on a node with a zone", pod(1), inZone, plain, { zone: "us-central1-a" }],
    [
      "with addresses of both families",
      pod(1, { ips: ["1.2.3.4", "1234::5678:0000:0000:9abc:def0"] }),
      inZone,
      plain,
      { addresses: ["1.2.3.4"], zone: "us-central1-a" },
    ],
    [
      "with a hostname under the Service",
      withHostname("example-hostname"),
      inZone,
      plain,
      { hostname: "example-hostname", zone: "us-central1-a" },
    ],
    ["with nothing special, once more", pod(1), undefined, plain, {}],
    [
      "that is being deleted and still ready",
      pod(1, { terminating: true }),
      undefined,
      plain,
      conditions(false, true, true),
    ],
    [
      "that is being deleted and not ready",
      pod(1, { terminating: true, ready: false }),
      undefined,
      plain,
      conditions(false, false, true),
    ],
    // Not in upstream's table.
    ["that has no node yet", pod(1, { node: "" }), undefined, publishing, { nodeName: undefined as never }],
  ])("%s", ([, subject, where, owner, expected]) => {
    expect(endpointOf(asStored(subject), where, owner, "IPv4")).toEqual({ ...base, ...expected });
  });

  test("of the other family", () => {
    const both = pod(1, { ips: ["1.2.3.4", "1234::5678:0000:0000:9abc:def0"] });
    expect(endpointOf(both, undefined, plain, "IPv6").addresses).toEqual(["1234::5678:0:0:9abc:def0"]);
    expect(endpointOf(pod(1), undefined, plain, "IPv6").addresses).toEqual([]);
  });
});

// upstream: endpointslice/utils_test.go#TestGetEndpointPorts
describe("the ports of a Service in a pod", () => {
  test.each<[string, readonly ServicePort[], Partial<NonNullable<Pod["spec"]>>, readonly EndpointPort[]]>([
    [
      "with an application protocol",
      [servicePort("http", 80, { appProtocol: "example.com/custom-protocol" })],
      {},
      [{ name: "http", port: 80, protocol: "TCP", appProtocol: "example.com/custom-protocol" }],
    ],
    [
      "by number and by name",
      [servicePort("http", 80), servicePort("https", "https", { appProtocol: "https" })],
      { containers: [container("https", 443)] },
      [
        { name: "http", port: 80, protocol: "TCP" },
        { name: "https", port: 443, protocol: "TCP", appProtocol: "https" },
      ],
    ],
    [
      "of a sidecar",
      [servicePort("http-sidecar", 8080), servicePort("http", "http")],
      {
        containers: [container("http", 8090)],
        initContainers: [{ ...container("http-sidecar", 8080), restartPolicy: "Always" }],
      },
      [
        { name: "http-sidecar", port: 8080, protocol: "TCP" },
        { name: "http", port: 8090, protocol: "TCP" },
      ],
    ],
    [
      "that a container and a sidecar have",
      [servicePort("http", "http")],
      {
        containers: [container("http", 8090)],
        initContainers: [{ ...container("http", 8080), restartPolicy: "Always" }],
      },
      [{ name: "http", port: 8090, protocol: "TCP" }],
    ],
    ["that it does not have", [servicePort("http", "http")], {}, []],
  ])("%s", (_, ports, spec, expected) => {
    const subject: Pod = { metadata: {}, spec: { containers: [], ...spec } };
    expect(portsOf(service("foo", { ports }), subject)).toEqual(expected);
  });
});

function conditions(ready: boolean, serving: boolean, terminating: boolean): Partial<Endpoint> {
  return { conditions: { ready, serving, terminating } };
}

function withHostname(hostname: string): Pod {
  const subject = pod(1);
  return { ...subject, spec: { containers: [], ...subject.spec, hostname, subdomain: "foo" } };
}

function servicePort(
  name: string,
  targetPort: number | string,
  more: Partial<ServicePort> = {},
): ServicePort {
  return { name, port: 80, targetPort, protocol: "TCP", ...more };
}

function container(name: string, containerPort: number): Container {
  return { name: "c", ports: [{ name, containerPort, protocol: "TCP" }] };
}
