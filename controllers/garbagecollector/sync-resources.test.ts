import { describe, expect, test } from "vitest";
import type { ApiResource, ApiSurface } from "../../pkg/client/discovery-documents.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import type { Env } from "../../pkg/reconcile/env.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { VirtualClock } from "../../test/harness/virtual-clock.ts";
import { Monitors } from "./sync-monitors.ts";
import { followResources } from "./sync-resources.ts";

const PERIOD_MS = 30_000;
const ALL = ["delete", "list", "watch"];
const podsAndDeployments = surfaceOf([served("v1", "pods"), served("apps/v1", "deployments")]);
const podsAndSecrets = surfaceOf([served("v1", "pods"), served("v1", "secrets")]);
const withoutApps = { ...podsAndSecrets, failures: new Map([["apps/v1", new Error(":-/")]]) };

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestGarbageCollectorSync
describe("what is watched", () => {
  test("follows what is served; failures to learn that change nothing", async () => {
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

  test("does not wait for what cannot be listed, and counts it", async () => {
    const { serve, failures, unsynced, stop } = bench();
    await serve(podsAndDeployments);
    unsynced.add("secrets");
    expect(await serve(podsAndSecrets, 3 * PERIOD_MS)).toEqual(["pods", "secrets"]);
    expect(failures()).toBe(1);
    expect(await serve(podsAndDeployments, 3 * PERIOD_MS)).toEqual(["deployments.apps", "pods"]);
    await stop();
  });

  test("goes on being watched while its group cannot be discovered, if it could be listed", async () => {
    const { serve, unsynced, stop } = bench();
    await serve(podsAndDeployments);
    expect(await serve(withoutApps)).toEqual(["deployments.apps", "pods", "secrets"]);
    unsynced.add("deployments.apps");
    expect(await serve({ ...withoutApps, resources: podsAndDeployments.resources.slice(0, 1) })).toEqual([
      "pods",
    ]);
    await stop();
  });

  test("is one informer per resource, given back once", async () => {
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
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestGetDeletableResources
test.each<[string, readonly ApiResource[], readonly string[]]>([
  [
    "that can be deleted, listed and watched",
    [served("apps/v1", "pods"), served("v1", "services", [])],
    ["pods.apps"],
  ],
  [
    "that can only be deleted: not",
    [served("v1", "pods"), served("acme/v1", "widgets", ["delete"])],
    ["pods"],
  ],
  [
    "in the version that is preferred",
    [served("acme/v1", "widgets"), served("acme/v1beta1", "widgets")],
    ["widgets.acme"],
  ],
  [
    "but no events",
    [served("v1", "pods"), served("v1", "events"), served("events.k8s.io/v1", "events")],
    ["pods"],
  ],
])("everything is watched %s", async (_, resources, expected) => {
  const { serve, stop } = bench();
  expect(await serve(surfaceOf(resources))).toEqual(expected);
  await stop();
});

/** A server that serves what it is told to, and informers that have synced unless they are told not to. */
function bench() {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const unsynced = new Set<string>();
  const calls: string[] = [];
  const watchedNow = new Set<string>();
  let surface: ApiSurface | Error = surfaceOf([]);
  let failures = 0;
  const informers: Env["informers"] = {
    informer: () => {
      throw new Error("metadata is enough");
    },
    metadataInformer: ({ group, plural }) => {
      const name = group === "" ? plural : `${plural}.${group}`;
      calls.push(`ask for ${name}`);
      watchedNow.add(name);
      const registration = {
        hasSynced: () => !unsynced.has(name),
        remove: () => void calls.push(`stop listening to ${name}`),
      };
      return { name, addHandler: () => registration } as never;
    },
    start: () => undefined,
    release: async (informer) => {
      const { name } = informer as unknown as { readonly name: string };
      watchedNow.delete(name);
      calls.push(`give back ${name}`);
    },
  };
  const watch = {
    discovery: {
      invalidate: () => undefined,
      surface: async () => {
        if (surface instanceof Error) throw surface;
        return surface;
      },
    },
    monitors: new Monitors(informers, createWorkQueue({ clock })),
    failures: {
      ...noMetrics.counter({ name: "x", help: "x", stability: "ALPHA" }),
      inc: () => void failures++,
    },
    clock,
    log: silentLogger,
  };
  const watched = (): readonly string[] => [...watchedNow].toSorted();
  let ended: Promise<void> | undefined;
  const serve = async (
    next: ApiSurface | Error,
    durationMs = PERIOD_MS + 1_000,
  ): Promise<readonly string[]> => {
    surface = next;
    ended ??= followResources(watch, stopping.signal);
    await clock.advanceBy(durationMs);
    return watched();
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  return { serve, watched, unsynced, calls, failures: () => failures, stop };
}

function served(apiVersion: string, plural: string, verbs = ALL): ApiResource {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const facts = { subresources: [], shortNames: [], categories: [] };
  return { group, version, plural, kind: plural, namespaced: true, verbs, ...facts };
}

function surfaceOf(resources: readonly ApiResource[]): ApiSurface {
  const groups = Map.groupBy(resources, ({ group }) => group);
  return {
    groups: [...groups].map(([name, members]) => ({ name, versions: members.map(({ version }) => version) })),
    resources,
    failures: new Map(),
  };
}
