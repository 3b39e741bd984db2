import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type { Service } from "../../../pkg/api/types/core-v1.gen.ts";
import { ApiError } from "../../../pkg/client/errors.ts";
import { parseIp } from "../../../pkg/endpoints/ip-address.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

type Spec = NonNullable<Service["spec"]>;

const DUAL = "--service-cluster-ip-range=10.0.0.0/16,2001:db8:1::/112";
const SINGLE = "--service-cluster-ip-range=10.0.0.0/16";
const v4 = "SingleStack IPv4 IPv4";
const v6 = "SingleStack IPv6 IPv6";

/** Policy, families, and the families of the addresses; or the fields that are wrong. */
async function outcome(write: () => Promise<Service>): Promise<string> {
  try {
    const { spec = {} } = await write();
    const addresses = (spec.clusterIPs ?? []).map((ip) => parseIp(ip)?.family ?? ip);
    expect(spec.clusterIP).toBe(spec.clusterIPs?.[0]);
    return [spec.ipFamilyPolicy, spec.ipFamilies?.join(), addresses.join()].join(" ");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes
      .map(({ field = "", message = "" }) => `${field}: ${message.replace(/^.*?: .*?: /, "")}`)
      .join("; ");
  }
}

function creating(space: TestSpace, spec: Spec): () => Promise<Service> {
  const selector = { a: "b" };
  return async () =>
    space.create<Service>(resources.services, {
      metadata: { name: "web" },
      spec: { ports: [{ port: 80 }], selector, ...spec },
    });
}

const created: readonly (readonly [string, string, Spec, string])[] = [
  ["nothing", DUAL, {}, v4],
  ["the sixth version", DUAL, { ipFamilies: ["IPv6"] }, v6],
  ["an address", DUAL, { clusterIP: "2001:db8:1::77" }, v6],
  ["both, if there are", DUAL, { ipFamilyPolicy: "PreferDualStack" }, "PreferDualStack IPv4,IPv6 IPv4,IPv6"],
  ["both", DUAL, { ipFamilyPolicy: "RequireDualStack" }, "RequireDualStack IPv4,IPv6 IPv4,IPv6"],
  [
    "both, the sixth first",
    DUAL,
    { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] },
    "RequireDualStack IPv6,IPv4 IPv6,IPv4",
  ],
  ["no address", DUAL, { clusterIP: "None" }, "SingleStack IPv4 None"],
  [
    "no address, and both",
    DUAL,
    { clusterIP: "None", ipFamilyPolicy: "PreferDualStack" },
    "PreferDualStack IPv4,IPv6 None",
  ],
  [
    "no address and no selector",
    DUAL,
    { clusterIP: "None", selector: {} },
    "RequireDualStack IPv4,IPv6 None",
  ],
  [
    "two families and one stack",
    DUAL,
    { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] },
    "spec.ipFamilyPolicy: must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
  ],
  ["both, if there are", SINGLE, { ipFamilyPolicy: "PreferDualStack" }, "PreferDualStack IPv4 IPv4"],
  [
    "both",
    SINGLE,
    { ipFamilyPolicy: "RequireDualStack" },
    "spec.ipFamilyPolicy: this cluster is not configured for dual-stack services",
  ],
  [
    "the sixth version",
    SINGLE,
    { ipFamilies: ["IPv6"] },
    "spec.ipFamilies[0]: not configured on this cluster",
  ],
  [
    "no address and no selector",
    SINGLE,
    { clusterIP: "None", selector: {} },
    "RequireDualStack IPv4,IPv6 None",
  ],
];

const DUALS = "RequireDualStack IPv4,IPv6 IPv4,IPv6";
const both = { ipFamilyPolicy: "RequireDualStack" };
const changed: readonly (readonly [string, Spec, object, string])[] = [
  [
    "another family is asked for",
    {},
    { ipFamilyPolicy: "PreferDualStack" },
    "PreferDualStack IPv4,IPv6 IPv4,IPv6",
  ],
  ["one family is enough", both, { ipFamilyPolicy: "SingleStack" }, v4],
  ["nothing of that", both, { sessionAffinity: "ClientIP" }, DUALS],
  [
    "a name, and back",
    {},
    { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null },
    "  ",
  ],
  [
    "a family is taken away, and not asked for less",
    both,
    { ipFamilies: ["IPv4"] },
    "spec.ipFamilyPolicy: must be 'SingleStack' to release the secondary IP family",
  ],
  [
    "other addresses, but not the first alone",
    {},
    { clusterIP: null, clusterIPs: ["a-b"] },
    "spec.clusterIPs: first value must match `clusterIP`; " +
      "spec.clusterIPs[0]: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
  ],
  ["its addresses are left out", both, { clusterIP: null, clusterIPs: null }, DUALS],
  ["its first address is left out", both, { clusterIP: null }, DUALS],
  [
    "an address of the other family",
    { clusterIP: "None", selector: {} },
    { clusterIP: "::1" },
    "spec.clusterIPs[0]: expected an IPv4 value as indicated by `ipFamilies[0]`",
  ],
  [
    "two addresses of a family",
    both,
    { clusterIP: "10.0.9.1", clusterIPs: ["10.0.9.1", "10.0.9.2"] },
    "spec.clusterIPs: may specify no more than one IP for each IP family; " +
      "spec.clusterIPs[1]: expected an IPv6 value as indicated by `ipFamilies[1]`",
  ],
];

// upstream: test/integration/dualstack (CreateService…, UpgradeDowngrade, PreferDualStack, ServiceUpdate)
describe.each(clusterKinds)("the families of Services on the $name API server", ({ start }) => {
  const clusters = new Map<string, ControllerCluster>();
  beforeAll(async () => {
    for (const flag of [DUAL, SINGLE]) clusters.set(flag, await start([flag]));
  });
  afterAll(async () => {
    for (const cluster of clusters.values()) await cluster.stop();
  });

  async function spaceIn(flag: string): Promise<TestSpace> {
    const cluster = clusters.get(flag);
    if (cluster === undefined) throw new Error("the cluster did not start");
    return cluster.space();
  }

  test.each(created)("asked for %s with %s", async (_, flag, spec, expected) => {
    expect(await outcome(creating(await spaceIn(flag), spec))).toBe(expected);
  });

  test.each(changed)("changed: %s", async (_, spec, body, expected) => {
    const space = await spaceIn(DUAL);
    await creating(space, spec)();
    expect(await outcome(async () => space.patch<Service>(resources.services, "web", { spec: body }))).toBe(
      expected,
    );
  });
});
