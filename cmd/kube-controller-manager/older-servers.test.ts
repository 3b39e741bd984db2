import { afterEach, describe, expect, test } from "vitest";
import { messageOf } from "../../pkg/api/errors.ts";
import { resources } from "../../pkg/api/resources.ts";
import { type Logger, silentLogger } from "../../pkg/log/logger.ts";
import { ControllerWorld } from "../../test/harness/controller-world.ts";
import { resolveOptions } from "./options/resolve.ts";
import { registry } from "./registry.ts";

const descriptors = registry(resolveOptions([], () => "").options, { rootCa: () => "" });

let world: ControllerWorld;
afterEach(async () => world.stop());

/** What is told of as an error, by the cache that it is about. */
function recordingLog(told: string[], about?: string): Logger {
  return {
    ...silentLogger,
    error: (error, message) => void told.push(`${about ?? message}: ${messageOf(error)}`),
    child: ({ informer }) => recordingLog(told, typeof informer === "string" ? informer : about),
  };
}

async function startOn(kubernetesMinor: number): Promise<{
  readonly told: readonly string[];
  readonly waiting: readonly string[];
}> {
  const told: string[] = [];
  world = new ControllerWorld({ log: recordingLog(told), kubernetesMinor });
  for (const name of ["default", "kube-system"])
    await world.client.clientFor(resources.namespaces).create({ metadata: { name } });
  const set = await world.start(...descriptors);
  const labels = { app: "web" };
  await world.create(resources.deployments, {
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
  await world.run(900_000);
  expect(await world.list(resources.pods)).toHaveLength(2);
  const health = set.health();
  const waiting = descriptors.filter(({ name }) => {
    const pools = Object.values(health.get(name)?.pools ?? {});
    return pools.some(({ workersAlive }) => workersAlive === 0);
  });
  return { told, waiting: waiting.map(({ name }) => name) };
}

describe("on an API server of", () => {
  test.each([34, 35, 36])(
    "v1.%i every controller works, and none has anything to complain of",
    async (minor) => {
      expect(await startOn(minor)).toEqual({ told: [], waiting: [] });
    },
  );

  test("v1.33, which does not serve all kinds, those wait that read them, and each kind is told of once", async () => {
    const { told, waiting } = await startOn(33);
    expect(told.map((line) => line.split(":")[0] ?? "").toSorted()).toEqual([
      "deviceclasses.resource.k8s.io",
      "resourceclaims.resource.k8s.io",
      "resourceclaimtemplates.resource.k8s.io",
      "resourceslices.resource.k8s.io",
      "volumeattributesclasses.storage.k8s.io",
    ]);
    expect(waiting).toEqual([
      "device-taint-eviction-controller",
      "volumeattributesclass-protection-controller",
      "resourceclaim-controller",
    ]);
  });
});
