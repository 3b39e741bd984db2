import { describe, expect, test } from "vitest";
import { apiVersionOf, groupResource, type Resource } from "../api/resource.ts";
import type { ApiResource, ApiSurface } from "../client/discovery-documents.ts";
import { silentLogger } from "../log/logger.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { planMonitors } from "./monitor-plan.ts";
import { Monitors } from "./monitors.ts";

const PERIOD_MS = 30_000;
const pods = served("v1", "pods");
const secrets = served("v1", "secrets");
const deployments = served("apps/v1", "deployments");
const oldDeployments = served("apps/v1beta1", "deployments");
const podsAndDeployments = surfaceOf([pods, deployments]);
const podsAndSecrets = surfaceOf([pods, secrets]);

type Names = readonly string[];

// upstream: pkg/controller/resourcequota/resource_quota_controller_test.go#TestDiscoverySync
describe("what is watched", () => {
  test.each<[string, readonly ApiResource[], ApiSurface, { start: Names; stop: Names } | undefined]>([
    [
      "is all that there is at first",
      [],
      podsAndDeployments,
      { start: ["v1/pods", "apps/v1/deployments"], stop: [] },
    ],
    ["stays when nothing changes", [pods], surfaceOf([pods]), { start: [], stop: [] }],
    ["stays when nothing is served", [pods], surfaceOf([]), undefined],
    ["stays when nothing can be discovered", [pods], failing(surfaceOf([]), "v1", "apps/v1"), undefined],
    [
      "changes with what is served",
      [pods, deployments],
      podsAndSecrets,
      { start: ["v1/secrets"], stop: ["apps/v1/deployments"] },
    ],
    [
      "stays where a version cannot be discovered",
      [pods, deployments],
      failing(podsAndSecrets, "apps/v1"),
      { start: ["v1/secrets"], stop: [] },
    ],
    [
      "stays where another version of the group cannot be discovered",
      [pods, oldDeployments],
      failing(podsAndDeployments, "apps/v1beta1"),
      { start: [], stop: [] },
    ],
    [
      "stays where the core cannot be discovered",
      [pods, deployments, secrets],
      failing(surfaceOf([deployments]), "v1"),
      { start: [], stop: [] },
    ],
    [
      "is another resource in another version",
      [pods, oldDeployments],
      podsAndDeployments,
      { start: ["apps/v1/deployments"], stop: ["apps/v1beta1/deployments"] },
    ],
    [
      "is another resource when it has no namespaces any more",
      [pods, deployments],
      surfaceOf([pods, { ...deployments, namespaced: false }]),
      { start: ["apps/v1/deployments"], stop: ["apps/v1/deployments"] },
    ],
    [
      "is the version that is preferred",
      [],
      surfaceOf([deployments, oldDeployments]),
      { start: ["apps/v1/deployments"], stop: [] },
    ],
    ["is nothing that is not wanted", [pods], surfaceOf([pods, unwanted()]), { start: [], stop: [] }],
  ])("%s", (_, watched, surface, expected) => {
    const plan = planMonitors(
      watched.map((resource) => ({ resource, synced: true })),
      surface,
      isWanted,
    );
    const names = (list: readonly Resource[]): Names =>
      list.map((each) => `${apiVersionOf(each)}/${each.plural}`);
    expect(plan && { start: names(plan.start), stop: names(plan.stop) }).toEqual(expected);
  });

  test("does not stay where it could not even be listed", () => {
    const watched = [
      { resource: pods, synced: true },
      { resource: deployments, synced: false },
    ];
    const plan = planMonitors(watched, failing(podsAndSecrets, "apps/v1"), isWanted);
    expect(plan?.stop).toEqual([deployments]);
  });
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestGarbageCollectorSync
describe("monitors", () => {
  test("follow what is served; failures to learn that change nothing", async () => {
    const { watched, serve, failures, stop } = bench();
    expect(await serve(podsAndDeployments)).toEqual(["deployments.apps", "pods"]);
    expect(await serve(new Error("no discovery"))).toEqual(["deployments.apps", "pods"]);
    expect(await serve(surfaceOf([]))).toEqual(["deployments.apps", "pods"]);
    expect(failures()).toBe(2);
    expect(await serve(podsAndSecrets)).toEqual(["pods", "secrets"]);
    expect(await serve(podsAndDeployments)).toEqual(["deployments.apps", "pods"]);
    expect(watched()).toEqual(["deployments.apps", "pods"]);
    await stop();
  });

  test("do not wait for what cannot be listed, and count it", async () => {
    const { serve, failures, unsynced, changes, stop } = bench();
    await serve(podsAndDeployments);
    unsynced.add("secrets");
    expect(await serve(podsAndSecrets, 3 * PERIOD_MS)).toEqual(["pods", "secrets"]);
    expect(failures()).toBe(1);
    expect(await serve(podsAndDeployments, 3 * PERIOD_MS)).toEqual(["deployments.apps", "pods"]);
    expect(changes).toEqual(["begins", "ends", "begins", "ends", "begins", "ends"]);
    await stop();
  });

  test("are one informer per resource, given back once", async () => {
    const { serve, calls, stop } = bench();
    await serve(podsAndDeployments);
    await serve(podsAndDeployments);
    await serve(podsAndSecrets);
    expect(calls).toEqual([
      "ask for pods",
      "ask for deployments.apps",
      "stop listening to deployments.apps",
      "give back deployments.apps",
      "ask for secrets",
    ]);
    await stop();
  });

  test("ask the server anew at every look", async () => {
    const { serve, invalidations, stop } = bench();
    await serve(podsAndDeployments, 3 * PERIOD_MS + 1_000);
    expect(invalidations()).toBe(4);
    await stop();
  });

  test("know what they watch", async () => {
    const { serve, monitors, stop } = bench();
    expect(monitors.hasSynced()).toBe(false);
    await serve(podsAndDeployments);
    expect(monitors.hasSynced()).toBe(true);
    expect(monitors.find(deployments)?.resource).toEqual(deployments);
    expect(monitors.find(oldDeployments)).toBeUndefined();
    expect(monitors.all()).toHaveLength(2);
    await stop();
  });
});

test("lists are full each time anew, or have been waited for long enough", async () => {
  const { serve, monitors, unsynced, stop } = bench();
  const fills = [monitors.filled];
  const look = async (surface: ApiSurface | Error, durationMs: number): Promise<void> => {
    await serve(surface, durationMs);
    fills.push(monitors.filled);
  };
  await look(new Error("no discovery"), PERIOD_MS);
  await look(surfaceOf([]), PERIOD_MS);
  await look(surfaceOf([pods]), PERIOD_MS);
  await look(surfaceOf([pods]), PERIOD_MS);
  unsynced.add("deployments.apps");
  await look(podsAndDeployments, PERIOD_MS);
  // In vain, but not for ever.
  await look(podsAndDeployments, PERIOD_MS);
  await look(new Error("no discovery"), PERIOD_MS);
  expect(fills).toEqual([undefined, undefined, undefined, 1, 1, undefined, 2, 2]);
  await stop();
});

describe("a resource that has been listed is told of once", () => {
  test("with the versions that it had before, also when it was away for a while", async () => {
    const { serve, takeListed, stop } = bench();
    await serve(surfaceOf([pods, oldDeployments]));
    expect(takeListed()).toEqual(["v1/pods", "apps/v1beta1/deployments"]);
    await serve(surfaceOf([pods]), 3 * PERIOD_MS);
    expect(takeListed()).toEqual([]);
    await serve(podsAndDeployments);
    expect(takeListed()).toEqual(["apps/v1/deployments, was apps/v1beta1/deployments"]);
    await serve(podsAndDeployments);
    expect(takeListed()).toEqual([]);
    await serve(surfaceOf([pods, oldDeployments]));
    expect(takeListed()).toEqual(["apps/v1beta1/deployments, was apps/v1/deployments"]);
    await stop();
  });

  test("when it has come at last, with all that it was in between", async () => {
    const { serve, takeListed, unsynced, stop } = bench();
    await serve(surfaceOf([pods, oldDeployments]));
    takeListed();
    unsynced.add("deployments.apps");
    await serve(podsAndDeployments, 3 * PERIOD_MS);
    expect(takeListed()).toEqual([]);
    await serve(surfaceOf([pods, served("apps/v2", "deployments")]), 3 * PERIOD_MS);
    unsynced.clear();
    await serve(surfaceOf([pods, served("apps/v2", "deployments")]));
    expect(takeListed()).toEqual([
      "apps/v2/deployments, was apps/v1beta1/deployments, was apps/v1/deployments",
    ]);
    await stop();
  });

  test("again at the next look, when that failed", async () => {
    const { serve, takeListed, failListed, failures, stop } = bench();
    failListed(1);
    await serve(surfaceOf([pods]), 1_000);
    expect(takeListed()).toEqual([]);
    expect(failures()).toBe(1);
    await serve(surfaceOf([pods]));
    expect(takeListed()).toEqual(["v1/pods"]);
    await stop();
  });
});

/** A server that serves what it is told to, and informers that have synced unless they are told not to. */
function bench() {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const unsynced = new Set<string>();
  const calls: string[] = [];
  const changes: string[] = [];
  const listed: string[] = [];
  const watchedNow = new Set<string>();
  let surface: ApiSurface | Error = surfaceOf([]);
  let failures = 0;
  let invalidations = 0;
  let failuresOfListed = 0;
  const monitors = new Monitors({
    discovery: {
      invalidate: () => void invalidations++,
      surface: async () => {
        if (surface instanceof Error) throw surface;
        return surface;
      },
    },
    informers: {
      start: () => undefined,
      release: async (informer) => {
        const { name } = informer as unknown as { readonly name: string };
        watchedNow.delete(name);
        calls.push(`give back ${name}`);
      },
    },
    isWanted,
    listen: (resource) => {
      const name = groupResource(resource);
      calls.push(`ask for ${name}`);
      watchedNow.add(name);
      const registration = {
        hasSynced: () => !unsynced.has(name),
        remove: () => void calls.push(`stop listening to ${name}`),
      };
      return { informer: { name }, registration } as never;
    },
    onChange: (state) => void changes.push(state),
    onListed: ({ resource }, former) => {
      if (failuresOfListed-- > 0) throw new Error("not now");
      const names = [resource, ...former].map((each) => `${apiVersionOf(each)}/${each.plural}`);
      listed.push(names.join(", was "));
    },
    onFailure: () => void failures++,
    clock,
    log: silentLogger,
  });
  const watched = (): Names => [...watchedNow].toSorted();
  let ended: Promise<void> | undefined;
  return {
    serve: async (next: ApiSurface | Error, durationMs = PERIOD_MS + 1_000): Promise<Names> => {
      surface = next;
      ended ??= monitors.follow(stopping.signal);
      await clock.advanceBy(durationMs);
      return watched();
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await ended;
    },
    takeListed: () => listed.splice(0),
    failListed: (times: number) => void (failuresOfListed = times),
    failures: () => failures,
    invalidations: () => invalidations,
    monitors,
    watched,
    unsynced,
    calls,
    changes,
  };
}

function isWanted({ verbs }: ApiResource): boolean {
  return verbs.includes("watch");
}

function unwanted(): ApiResource {
  return { ...served("v1", "nodes"), verbs: ["list"] };
}

function served(apiVersion: string, plural: string): ApiResource {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const facts = { subresources: [], shortNames: [], categories: [] };
  return { group, version, plural, kind: plural, namespaced: true, verbs: ["watch"], ...facts };
}

function surfaceOf(resources: readonly ApiResource[]): ApiSurface {
  const groups = Map.groupBy(resources, ({ group }) => group);
  return {
    groups: [...groups].map(([name, members]) => ({ name, versions: members.map(({ version }) => version) })),
    resources,
    failures: new Map(),
  };
}

/** The same, with these versions offered in vain. */
function failing(surface: ApiSurface, ...apiVersions: readonly string[]): ApiSurface {
  const groups = new Map(surface.groups.map(({ name, versions }) => [name, versions]));
  for (const apiVersion of apiVersions) {
    const [version = "", group = ""] = apiVersion.split("/").toReversed();
    groups.set(group, [...new Set([...(groups.get(group) ?? []), version])]);
  }
  return {
    ...surface,
    groups: [...groups].map(([name, versions]) => ({ name, versions })),
    failures: new Map(apiVersions.map((apiVersion) => [apiVersion, new Error(":-/")])),
  };
}
