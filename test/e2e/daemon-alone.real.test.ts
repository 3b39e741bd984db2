import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { parseCidr, textOfIp } from "../../pkg/endpoints/cidr.ts";
import { describeEvent, isUnauthorized } from "../harness/audit-log.ts";
import { ourProgram } from "../harness/daemon.ts";
import { ask } from "../harness/https-client.ts";
import {
  beginLife,
  clusterInfoIsSigned,
  dnsIsUp,
  jobsEnd,
  loadIsFollowed,
  minuteHasComeAndGone,
  namespaceGoes,
  nodeIsReplaced,
  untilDataIsReady,
  untilNodesAreReady,
} from "./alone/journeys.ts";
import { LonelyCluster } from "./alone/lonely-cluster.ts";
import {
  differencesOf,
  explains,
  type Families,
  familiesOf,
  reasons,
  recordedFamilies,
  together,
} from "./alone/metric-families.ts";

const SPACE = "shop";
const OF_MANAGER = /system:(kube-controller-manager|serviceaccount|node)/;

describe("a cluster of which no other controller manager knows", () => {
  let cluster: LonelyCluster;
  let client: ClientSet;
  let families: Families;
  beforeAll(async () => {
    cluster = await LonelyCluster.start(ourProgram);
    ({ client } = cluster);
    await cluster.join();
    await beginLife(cluster, SPACE);
  });
  afterAll(async () => cluster?.stop());

  test("nodes join it, by certificates that it has signed, and each has a range of its own", async () => {
    const nodes = await untilNodesAreReady(client);
    const ranges = nodes.map(({ spec }) => spec?.podCIDR ?? "");
    expect(ranges.toSorted()).toEqual(["10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/24"]);
    const requests = await client.clientFor(resources.certificateSigningRequests).list();
    expect(requests.items).toHaveLength(nodes.length);
    for (const { metadata, spec, status } of requests.items) {
      expect(spec.username).toBe("system:bootstrap:abcdef");
      expect(findCondition(status?.conditions, "Approved")?.status, metadata.name).toBe("True");
    }
    await clusterInfoIsSigned(client);
  });

  test("its names are served", async () => {
    const addresses = await dnsIsUp(client);
    const ranges = (await untilNodesAreReady(client)).map(({ spec }) => spec?.podCIDR ?? "");
    for (const address of addresses) expect(ranges.some((range) => isWithin(address, range))).toBe(true);
  });

  test("Jobs end, and a load is followed", async () => {
    await Promise.all([jobsEnd(client, SPACE), loadIsFollowed(client, SPACE, cluster.metrics)]);
  });

  test("its data are on volumes, which outlast the loss of a node", async () => {
    const claimsOf = (pods: readonly Pod[]): readonly unknown[] =>
      pods.flatMap(({ spec }) => (spec?.volumes ?? []).map((each) => each.persistentVolumeClaim?.claimName));
    const before = await untilDataIsReady(client, SPACE);
    const [lost] = before;
    if (lost === undefined) throw new Error("there is no pod");
    await nodeIsReplaced(client, SPACE, lost);
    const nodes = await untilNodesAreReady(client);
    expect(new Set(nodes.map(({ spec }) => spec?.podCIDR)).size).toBe(nodes.length);
    expect(claimsOf(await untilDataIsReady(client, SPACE))).toEqual(claimsOf(before));
  });

  test("the minute strikes, all of a namespace goes with it, and nobody was refused anything", async () => {
    await minuteHasComeAndGone(client, SPACE);
    const before = await familiesOf(cluster);
    await namespaceGoes(client, SPACE);
    families = together(before, await familiesOf(cluster));
    await cluster.audit.read();
    const refused = cluster.audit.events.filter(isUnauthorized).map(describeEvent);
    expect(refused.filter((line) => OF_MANAGER.test(line))).toEqual([]);
    const answer = await ask({ port: cluster.port, path: "/healthz?verbose", client: cluster.server.admin });
    expect(answer.status, answer.body).toBe(200);
    expect(await cluster.manager.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  test("it tells of the same as the Go program after such a life, or there is a reason why not", async () => {
    const known = await reasons();
    const differences = [...differencesOf(await recordedFamilies(), families)];
    expect(differences.filter((one) => !known.some((reason) => explains(reason, ...one)))).toEqual([]);
    const idle = known.filter((reason) => !differences.some((one) => explains(reason, ...one)));
    expect(idle.filter(({ difference }) => difference !== "at times").map(({ text }) => text)).toEqual([]);
  });
});

function isWithin(address: string, range: string): boolean {
  const cidr = parseCidr(range);
  if (cidr === undefined) return false;
  const last = address.lastIndexOf(".");
  return `${address.slice(0, last)}.0` === textOfIp(cidr.base, cidr.family);
}
