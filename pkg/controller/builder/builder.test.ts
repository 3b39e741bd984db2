import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import type { ObjectRef } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ConfigMap, Secret } from "../../api/types/core-v1.gen.ts";
import { StatusError } from "../../apiserver/server/status-error.ts";
import { createMetrics } from "../../metrics/registry.ts";
import { changed, condition, controller, PermanentError } from "../index.ts";

const { configMaps, namespaces, nodes, podDisruptionBudgets, secrets } = resources;

let world: ControllerWorld;
const metrics = () => createMetrics({ version: "1.36.4" }).main;
let registry: ReturnType<typeof metrics>;
beforeEach(async () => {
  registry = metrics();
  world = await newWorld({ metrics: registry });
});
afterEach(async () => world.stop());

const map = (name: string, data: Readonly<Record<string, string>> = {}): ConfigMap => ({
  metadata: { name },
  data,
});
const touch = async (name: string, value: string): Promise<ConfigMap> =>
  world.update<ConfigMap>(configMaps, name, (object) => ({ ...object, data: { value } }));
const secretNames = async (): Promise<readonly (string | undefined)[]> =>
  (await world.list<Secret>(secrets)).map(({ metadata }) => metadata.name);
const value = async (line: string): Promise<string | undefined> =>
  (await registry.expose())
    .split("\n")
    .find((each) => each.startsWith(`${line} `))
    ?.split(" ")
    .at(-1);

describe("what a reconcile reads", () => {
  test("wakes its object when it comes, changes and goes, and no longer when it is not read any more", async () => {
    const seen: string[] = [];
    await world.create(configMaps, map("one", { secret: "a" }));
    await world.start(
      controller("reader", configMaps).reconcile(async ({ metadata, data = {} }, ctx) => {
        const secret = data["secret"] === undefined ? undefined : await ctx.read(secrets, data["secret"]);
        seen.push(`${metadata.name} ${secret?.data?.["key"] ?? "nothing"}`);
      }),
    );
    await world.create(secrets, { metadata: { name: "a" }, data: { key: "djE=" } });
    await world.run();
    await world.create(secrets, { metadata: { name: "b" }, data: { key: "djI=" } });
    await world.run();
    await world.delete(secrets, "a");
    await world.run();
    expect(seen).toEqual(["one nothing", "one djE=", "one nothing"]);
    await touch("one", "of no secret");
    await world.run();
    await world.create(secrets, { metadata: { name: "a" }, data: { key: "djM=" } });
    await world.run();
    expect(seen.slice(3)).toEqual(["one nothing"]);
  });

  test("counts until a reconcile has ended well", async () => {
    let runs = 0;
    await world.create(configMaps, map("one"));
    await world.start(
      controller("reader", configMaps)
        .onError(() => "drop")
        .reconcile(async (_, ctx) => {
          runs++;
          if (runs === 2) throw new Error("before anything was read");
          await ctx.read(secrets, "a");
        }),
    );
    await touch("one", "fails");
    await world.run();
    expect(runs).toBe(2);
    await world.create(secrets, { metadata: { name: "a" } });
    await world.run();
    expect(runs).toBe(3);
  });

  test("of a list wakes for what comes into it, and for what leaves it", async () => {
    const seen: (readonly string[])[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("lister", configMaps).reconcile(async (_, ctx) => {
        const found = await ctx.list(secrets, { labels: { of: "one" } });
        seen.push(found.map(({ metadata }) => metadata.name));
      }),
    );
    await world.create(secrets, { metadata: { name: "other", labels: { of: "two" } } });
    await world.create(secrets, { metadata: { name: "a", labels: { of: "one" } } });
    await world.run();
    await world.update<Secret>(secrets, "a", (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: {} },
    }));
    await world.run();
    expect(seen).toEqual([[], ["a"], []]);
  });

  test("has what the reconcile has written itself, however late the cache is", async () => {
    const seen: unknown[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("writer", configMaps).reconcile(async (_, ctx) => {
        if (seen.length > 0) return;
        const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
        const made = await ctx.apply(secrets, { metadata: { name: "a" }, type: "Opaque" });
        seen.push((await ctx.read(secrets, "a"))?.metadata.uid === made.metadata.uid);
        seen.push((await ctx.list(secrets, { owned: true })).length);
        await ctx.delete(secrets, made);
        seen.push(await ctx.read(secrets, "a"));
        release();
      }),
    );
    expect(seen).toEqual([true, 1, undefined]);
  });

  test("has nothing that the reconcile has deleted, though the cache has it", async () => {
    const seen: unknown[] = [];
    await world.create(secrets, { metadata: { name: "a" } });
    await world.create(configMaps, map("one"));
    await world.start(
      controller("deleter", configMaps).reconcile(async (_, ctx) => {
        const secret = await ctx.read(secrets, "a");
        if (secret === undefined) return;
        const release = world.server.parts.faults.holdWatches({ resource: "secrets" });
        await ctx.delete(secrets, secret);
        seen.push(await ctx.read(secrets, "a"), await ctx.list(secrets));
        release();
      }),
    );
    expect(seen).toEqual([undefined, []]);
  });
});

describe("what wakes an object", () => {
  test("is a change of what it owns that passes the predicate, with the changed paths as the reason", async () => {
    const seen: unknown[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("owner", configMaps)
        .owns(secrets, { where: changed.labels })
        .reconcile(async (_, ctx) => {
          seen.push(ctx.reasons.map(({ change, object, paths }) => [change, object, paths]));
          await ctx.apply(secrets, { metadata: { name: "a" } });
        }),
    );
    await world.run();
    seen.length = 0;
    const relabel = async (change: (secret: Secret) => Secret): Promise<void> => {
      await world.update<Secret>(secrets, "a", change);
      await world.run();
    };
    await relabel((secret) => ({ ...secret, data: { key: "djE=" } }));
    expect(seen).toEqual([]);
    await relabel(({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: { a: "b" } } }));
    expect(seen).toEqual([[["updated", "default/a", ["metadata.labels"]]]]);
  });

  test("is a change of what concerns it, before or after the change", async () => {
    const seen: string[] = [];
    for (const name of ["one", "two"]) await world.create(configMaps, map(name));
    await world.create(secrets, { metadata: { name: "a", labels: { of: "one" } } });
    await world.start(
      controller("watcher", configMaps)
        .watches(secrets, ({ metadata: { namespace, labels } }) =>
          labels?.["of"] === undefined ? [] : [{ namespace, name: labels["of"] }],
        )
        .reconcile(async ({ metadata }) => void seen.push(metadata.name)),
    );
    seen.length = 0;
    await world.update<Secret>(secrets, "a", (secret) => ({
      ...secret,
      metadata: { ...secret.metadata, labels: { of: "two" } },
    }));
    await world.run();
    expect(seen.toSorted()).toEqual(["one", "two"]);
  });

  test("is known as far as its fields were asked for", async () => {
    const seen: unknown[] = [];
    await world.create(configMaps, map("one"));
    const set = await world.start(
      controller("narrow", configMaps)
        .watchesPart(nodes, ["spec.unschedulable"], (node, all) => {
          seen.push(node.spec?.unschedulable);
          // @ts-expect-error: it was not asked for
          seen.push(node.spec?.podCIDR?.length);
          return all.list();
        })
        .reconcile(async ({ metadata }) => void seen.push(metadata.name)),
    );
    await world.create(nodes, {
      metadata: { name: "n" },
      spec: { unschedulable: true, podCIDR: "10.0.0.0/24" },
    });
    await world.run();
    expect(seen).toEqual(["one", true]);
    expect(set.informerHealth().find(({ name }) => name === "nodes")?.handlerFailures).toBe(1);
    await expect(world.stop()).rejects.toThrow(
      "narrow reads spec.podCIDR of nodes, which it has not declared",
    );
  });

  test("is what happens outside of the cluster, begun again when that fails", async () => {
    const seen: string[] = [];
    let begun = 0;
    for (const name of ["one", "two"]) await world.create(configMaps, map(name));
    const news = Promise.withResolvers<ObjectRef | "all">();
    await world.start(
      controller("outsider", configMaps)
        .reconcileOn(async function* () {
          if (++begun === 1) throw new Error("no connection");
          yield { namespace: "default", name: "one" };
          yield await news.promise;
        })
        .reconcile(async ({ metadata }) => void seen.push(metadata.name)),
    );
    expect([begun, seen]).toEqual([2, ["one", "two", "one"]]);
    news.resolve("all");
    await world.run();
    expect(seen.slice(3)).toEqual(["one", "two"]);
  });

  test("is looked at once, where changes come close together", async () => {
    let runs = 0;
    await world.create(configMaps, map("one"));
    await world.start(
      controller("patient", configMaps)
        .options({ debounceMs: 5_000 })
        .reconcile(async () => void runs++),
    );
    await world.run(10_000);
    for (const each of ["1", "2", "3"]) {
      await touch("one", each);
      await world.run(1_000);
    }
    expect(runs).toBe(1);
    await world.run(5_000);
    expect(runs).toBe(2);
  });

  test("is time, where resyncs are asked for", async () => {
    let runs = 0;
    await world.create(configMaps, map("one"));
    await world.start(
      controller("regular", configMaps)
        .options({ resyncMs: 60_000, where: changed.labels })
        .reconcile(async () => void runs++),
    );
    await world.run(3 * 60_000);
    expect(runs).toBe(4);
  });
});

describe("what is applied", () => {
  const applier = (desired: () => Readonly<Record<string, string>>) =>
    controller("applier", configMaps)
      .options({ where: changed.labels })
      .reconcile(async (_, ctx) => {
        await ctx.apply(secrets, { metadata: { name: "a" }, stringData: {}, data: desired() });
      });

  test("is sent once, again when it is changed, and no longer has what is not wanted", async () => {
    let data: Readonly<Record<string, string>> = { a: "djE=", b: "djE=" };
    await world.create(configMaps, map("one"));
    await world.start(applier(() => data));
    await world.update<Secret>(secrets, "a", (secret) => ({
      ...secret,
      data: { ...secret.data, a: "djI=" },
    }));
    await world.run();
    expect((await world.get(secrets, "a")).data).toEqual({ a: "djE=", b: "djE=" });
    data = { a: "djE=" };
    await world.update<ConfigMap>(configMaps, "one", (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { look: "again" } },
    }));
    await world.run();
    expect((await world.get(secrets, "a")).data).toEqual({ a: "djE=" });
    expect(world.takeWrites().map(lineOf)).toEqual(Array(3).fill("patch secrets a"));
  });

  test("leaves what others have set", async () => {
    await world.create(configMaps, map("one"));
    await world.start(applier(() => ({ a: "djE=" })));
    await world.update<Secret>(secrets, "a", (secret) => ({
      ...secret,
      data: { ...secret.data, c: "djI=" },
    }));
    await world.run();
    expect((await world.get(secrets, "a")).data).toEqual({ a: "djE=", c: "djI=" });
    expect(world.takeWrites()).toHaveLength(1);
  });

  test("is not taken from another owner", async () => {
    for (const name of ["one", "two"]) await world.create(configMaps, map(name));
    const set = await world.start(applier(() => ({ a: "djE=" })));
    const page = set.debug("applier", "/", new URLSearchParams())?.body ?? "";
    expect(page).toContain("secrets default/a is controlled by ConfigMap one");
    expect((await world.get(secrets, "a")).metadata.ownerReferences).toHaveLength(1);
  });

  test("is not made anew for an owner that is gone, however late the cache hears of that", async () => {
    await world.create(configMaps, map("one"));
    await world.start(
      controller("keeper", configMaps)
        .owns(secrets)
        .reconcile(async (_, ctx) => void (await ctx.apply(secrets, { metadata: { name: "a" } }))),
    );
    world.takeWrites();
    const release = world.server.parts.faults.holdWatches({ resource: "configmaps" });
    await world.delete(configMaps, "one");
    await world.delete(secrets, "a");
    await world.run(10_000);
    release();
    await world.run();
    expect([world.takeWrites(), await secretNames()]).toEqual([[], []]);
  });

  test("in another namespace is not owned", async () => {
    await world.client.clientFor(namespaces).create({ metadata: { name: "other" } });
    await world.create(configMaps, map("one"));
    const errors: unknown[] = [];
    await world.start(
      controller("applier", configMaps)
        .onError((error) => (errors.push(error), "drop"))
        .reconcile(async (_, ctx) => {
          const desired = { metadata: { name: "a", namespace: "other" } };
          await ctx.apply(secrets, desired, { owned: false });
          await ctx.apply(secrets, desired);
        }),
    );
    expect(String(errors)).toContain("outside of its owner's namespace default");
    expect(await secretNames()).toEqual(["a"]);
  });

  test("by an earlier process is known from the caches: nothing is asked for, and only what differs is sent", async () => {
    const earlier = async (name: string, labels: Readonly<Record<string, string>>): Promise<unknown> =>
      world.client
        .clientFor(secrets)
        .apply(
          { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", labels } },
          { fieldManager: "applier" },
        );
    await earlier("same", { a: "1" });
    await earlier("more", { a: "1", b: "2" });
    await world.create(secrets, { metadata: { name: "of-others", labels: { a: "1" } } });
    await world.create(configMaps, map("one"));
    const error = new StatusError(500, "InternalError", "nobody is to ask");
    world.server.parts.faults.add({
      target: { verb: "get", resource: "secrets" },
      action: { kind: "status", when: "before", error },
    });
    world.takeWrites();
    const errors: unknown[] = [];
    await world.start(
      controller("applier", configMaps)
        .owns(secrets)
        .onError((failure) => void errors.push(failure))
        .reconcile(async (_, ctx) => {
          for (const name of ["same", "more", "of-others"])
            await ctx.apply(secrets, { metadata: { name, labels: { a: "1" } } }, { owned: false });
        }),
    );
    expect(errors).toEqual([]);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch secrets more", "patch secrets of-others"]);
    const more = (await world.list(secrets)).find(({ metadata }) => metadata.name === "more");
    expect(more?.metadata.labels).toEqual({ a: "1" });
  });

  test("and is not to be kept is deleted", async () => {
    let wanted = ["a", "b"];
    await world.create(configMaps, map("one"));
    await world.create(secrets, { metadata: { name: "not-owned" } });
    await world.start(
      controller("pruner", configMaps).reconcile(async (_, ctx) => {
        const kept = [];
        for (const name of wanted) kept.push(await ctx.apply(secrets, { metadata: { name } }));
        await ctx.prune(secrets, kept);
      }),
    );
    expect(new Set(await secretNames())).toEqual(new Set(["a", "b", "not-owned"]));
    wanted = ["b"];
    await touch("one", "again");
    await world.run();
    expect(new Set(await secretNames())).toEqual(new Set(["b", "not-owned"]));
  });

  test("by an owner without a namespace wakes that", async () => {
    const seen: string[] = [];
    await world.start(
      controller("of-nodes", nodes)
        .owns(secrets)
        .reconcile(async ({ metadata: { name } }, ctx) => {
          seen.push(...ctx.reasons.map(({ resource, change }) => `${resource} ${change}`));
          await ctx.apply(secrets, { metadata: { name, namespace: "default" } });
        }),
    );
    await world.create(nodes, { metadata: { name: "n" } });
    await world.run();
    await world.delete(secrets, "n");
    await world.run();
    expect(seen).toContain("secrets deleted");
    expect(await secretNames()).toEqual(["n"]);
  });
});

test("of objects with some labels only those are read, and what has them no longer counts as gone", async () => {
  const seen: string[] = [];
  const labelled = (name: string, labels: Readonly<Record<string, string>>): ConfigMap => ({
    metadata: { name, labels },
  });
  await world.create(configMaps, labelled("mine", { site: "a" }));
  await world.create(configMaps, labelled("other", {}));
  const set = await world.start(
    controller("selective", configMaps)
      .options({ labelSelector: "site" })
      .onError((_, { metadata }) => (seen.push(`${metadata.name} failed`), "drop"))
      .reconcile(async ({ metadata: { name } }, ctx) => {
        // Of those that are read all are there.
        const all = await ctx.list(configMaps);
        seen.push(`${name} of ${all.length}`);
        throw new Error("it fails");
      }),
  );
  expect(seen).toEqual(["mine of 2", "mine failed"]);
  expect(set.informerHealth().map(({ name }) => name)).toEqual(["configmaps (site)", "configmaps"]);
  seen.length = 0;
  const relabel = async (name: string, labels: Readonly<Record<string, string>>): Promise<unknown> =>
    world.update<ConfigMap>(configMaps, name, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels },
    }));
  await relabel("other", { site: "b" });
  await world.run();
  expect(seen).toContain("other of 2");
  seen.length = 0;
  await relabel("mine", {});
  await world.run();
  expect(seen.filter((each) => each.startsWith("mine"))).toEqual([]);
});

describe("of some namespaces", () => {
  test("objects are reconciled, and nothing waits for the others", async () => {
    const seen: string[] = [];
    for (const name of ["a", "b", "c"])
      await world.client.clientFor(namespaces).create({ metadata: { name } });
    for (const namespace of ["a", "b", "c"])
      await world.create(configMaps, { metadata: { name: "one", namespace } });
    const set = await world.start(
      controller("narrow", configMaps)
        .options({ namespaces: ["a", "b"] })
        .owns(secrets)
        .reconcile(async ({ metadata: { namespace } }, ctx) => {
          seen.push(namespace);
          await ctx.apply(secrets, { metadata: { name: "one" } });
        }),
    );
    expect(new Set(seen)).toEqual(new Set(["a", "b"]));
    expect(set.informerHealth().map(({ name }) => name)).toEqual([
      "configmaps (a)",
      "configmaps (b)",
      "secrets (a)",
      "secrets (b)",
    ]);
    seen.length = 0;
    await world.client.clientFor(secrets).delete({ namespace: "b", name: "one" });
    await world.run(100);
    expect(seen).toContain("b");
  });

  test("those of others cannot be read", async () => {
    const errors: unknown[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("narrow", configMaps)
        .options({ namespaces: ["default"] })
        .onError((error) => (errors.push(error), "drop"))
        .reconcile(async (_, ctx) => void (await ctx.read(secrets, { namespace: "other", name: "a" }))),
    );
    expect(String(errors)).toContain("secrets of other are not read");
  });
});

describe("the status", () => {
  const budget = (name: string) => ({ metadata: { name }, spec: { maxUnavailable: 1 } });
  test("says which generation was looked at, when a condition changed, and nothing twice", async () => {
    let isReady = false;
    await world.create(podDisruptionBudgets, budget("one"));
    await world.start(
      controller("teller", podDisruptionBudgets).reconcile(async (_, ctx) => {
        await ctx.status(
          { currentHealthy: isReady ? 1 : 0 },
          condition("Ready", isReady, "Because", "it is so"),
        );
        return { requeueAfterMs: 60_000 };
      }),
    );
    const status = async () => (await world.get(podDisruptionBudgets, "one")).status;
    const first = (await status())?.conditions?.[0];
    expect(first).toMatchObject({ status: "False", observedGeneration: 1 });
    await world.run(600_000);
    expect(world.takeWrites()).toHaveLength(1);
    isReady = true;
    await world.run(60_000);
    const then = await status();
    expect(then).toMatchObject({ currentHealthy: 1, observedGeneration: 1 });
    expect(then?.conditions?.[0]?.status).toBe("True");
    expect(then?.conditions?.[0]?.lastTransitionTime).not.toBe(first?.lastTransitionTime);
    expect(world.takeWrites().map(lineOf)).toEqual(["patch poddisruptionbudgets/status one"]);
  });

  test("is written on what others have made of the object meanwhile", async () => {
    await world.create(podDisruptionBudgets, budget("one"));
    const other = {
      type: "Other",
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const errors: unknown[] = [];
    await world.start(
      controller("teller", podDisruptionBudgets)
        .onError((error) => void errors.push(error))
        .reconcile(async (object, ctx) => {
          if (ctx.reasons[0]?.change === "listed") {
            const client = world.client.clientFor(podDisruptionBudgets);
            const required = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
            await client.updateStatus({ ...object, status: { ...required, conditions: [other] } });
          }
          await ctx.status({}, condition("Ready", true, "Because"));
        }),
    );
    expect(errors).toEqual([]);
    const { status } = await world.get(podDisruptionBudgets, "one");
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Other", "Ready"]);
  });
});

describe("an object that is to go", () => {
  test("waits for what is to be done before, and is not reconciled", async () => {
    const seen: string[] = [];
    let isDone = false;
    await world.create(configMaps, map("one"));
    await world.start(
      controller("cleaner", configMaps)
        .finalize(async () => {
          seen.push("finalize");
          return isDone ? undefined : { requeueAfterMs: 30_000 };
        })
        .reconcile(async () => void seen.push("reconcile")),
    );
    expect((await world.get(configMaps, "one")).metadata.finalizers).toEqual(["cleaner/finalizer"]);
    await world.delete(configMaps, "one");
    await world.run();
    expect(await world.list(configMaps)).toHaveLength(1);
    isDone = true;
    await world.run(30_000);
    expect(await world.list(configMaps)).toEqual([]);
    expect(seen.filter((each) => each === "finalize")).toHaveLength(2);
    expect(seen.lastIndexOf("reconcile")).toBeLessThan(seen.indexOf("finalize"));
  });

  test("from what the controller looks at is finalized, and others are left alone", async () => {
    const seen: string[] = [];
    await world.create(configMaps, map("other"));
    await world.create(configMaps, { metadata: { name: "one", labels: { mine: "yes" } } });
    await world.start(
      controller("choosy", configMaps)
        .only(({ metadata }) => metadata.labels?.["mine"] === "yes")
        .finalize(async ({ metadata }) => void seen.push(`finalize ${metadata.name}`))
        .reconcile(async ({ metadata }) => void seen.push(`reconcile ${metadata.name}`)),
    );
    expect((await world.get(configMaps, "other")).metadata.finalizers).toBeUndefined();
    await world.update<ConfigMap>(configMaps, "one", ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: {} },
    }));
    await world.run();
    expect(new Set(seen)).toEqual(new Set(["reconcile one", "finalize one"]));
    expect((await world.get(configMaps, "one")).metadata.finalizers).toBeUndefined();
  });

  test("keeps the finalizers of others", async () => {
    await world.create(configMaps, { metadata: { name: "one", finalizers: ["example.com/other"] } });
    await world.start(
      controller("cleaner", configMaps)
        .finalize(async () => undefined)
        .reconcile(async () => undefined),
    );
    expect((await world.get(configMaps, "one")).metadata.finalizers).toEqual([
      "example.com/other",
      "cleaner/finalizer",
    ]);
    await world.delete(configMaps, "one");
    await world.run();
    expect((await world.get(configMaps, "one")).metadata.finalizers).toEqual(["example.com/other"]);
  });
});

describe("a reconcile that fails", () => {
  test("is tried again as onError says, which is told how often it has failed", async () => {
    const attempts: number[] = [];
    const times: number[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("failing", configMaps)
        .onError(
          (_, __, attempt) => (attempts.push(attempt), attempt < 3 ? { requeueAfterMs: 10_000 } : "drop"),
        )
        .reconcile(async () => {
          times.push(world.clock.monotonicMs());
          throw new Error("no");
        }),
    );
    await world.run(120_000);
    expect(attempts).toEqual([1, 2, 3]);
    expect(times.map((ms) => Math.round((ms - (times[0] ?? 0)) / 1_000))).toEqual([0, 10, 20]);
    await touch("one", "wakes it");
    await world.run();
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(await value('controller_runtime_terminal_reconcile_errors_total{controller="failing"}')).toBe("2");
  });

  test("for good waits for the next change, whatever else went wrong", async () => {
    let runs = 0;
    await world.create(configMaps, map("one"));
    const set = await world.start(
      controller("failing", configMaps).reconcile(async () => {
        runs++;
        throw new Error("wrapped", { cause: new PermanentError("the spec makes no sense") });
      }),
    );
    await world.run(600_000);
    expect(runs).toBe(1);
    expect(set.debug("failing", "/", new URLSearchParams())?.body).toContain("failed: wrapped");
    await touch("one", "better");
    await world.run();
    expect(runs).toBe(2);
  });

  test("is given up after so many tries", async () => {
    let runs = 0;
    await world.create(configMaps, map("one"));
    await world.start(
      controller("failing", configMaps)
        .options({ maxRetries: 3 })
        .reconcile(async () => {
          runs++;
          throw new Error("no");
        }),
    );
    await world.run(600_000);
    expect(runs).toBe(4);
  });

  test("for its time being over is told so by its signal", async () => {
    const reasons: unknown[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("slow", configMaps)
        .options({ timeoutMs: 5_000 })
        .onError(() => "drop")
        .reconcile(
          async (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => {
                reasons.push(signal.reason);
                reject(signal.reason as Error);
              });
            }),
        ),
    );
    await world.run(10_000);
    expect(String(reasons)).toBe("DeadlineError: the reconcile of default/one took longer than 5000 ms");
    expect(await value('controller_runtime_reconcile_timeouts_total{controller="slow"}')).toBe("1");
  });
});

test("metrics have the names that dashboards know", async () => {
  await world.create(configMaps, map("one"));
  await world.create(configMaps, map("two"));
  await world.start(
    controller("counted", configMaps)
      .options({ workers: 7, maxRetries: 0 })
      .reconcile(async ({ metadata }) => {
        if (metadata.name === "two") throw new Error("no");
        return metadata.name === "one" ? { requeueAfterMs: 3_600_000 } : undefined;
      }),
  );
  const result = (name: string): string =>
    `controller_runtime_reconcile_total{controller="counted",result="${name}"}`;
  expect(await value(result("requeue_after"))).toBe("1");
  expect(await value(result("error"))).toBe("1");
  expect(await value(result("success"))).toBe("0");
  expect(await value('controller_runtime_reconcile_errors_total{controller="counted"}')).toBe("1");
  expect(await value('controller_runtime_reconcile_time_seconds_count{controller="counted"}')).toBe("2");
  expect(await value('controller_runtime_max_concurrent_reconciles{controller="counted"}')).toBe("7");
  expect(await value('controller_runtime_active_workers{controller="counted"}')).toBe("0");
  expect(await value('workqueue_adds_total{name="counted"}')).toBe("2");
});

describe("a resource that the cluster does not serve", () => {
  const things = { group: "example.com", version: "v1", plural: "things", kind: "Thing", namespaced: true };

  test("ends the controller in time, with an error that says so", async () => {
    await world.start(controller("lost", things).reconcile(async () => undefined));
    await world.run(120_000);
    await expect(world.stop()).rejects.toThrow("is the CustomResourceDefinition installed?");
  });

  test("fails the reconcile that reads it", async () => {
    const errors: unknown[] = [];
    await world.create(configMaps, map("one"));
    await world.start(
      controller("reader", configMaps)
        .onError((error) => (errors.push(error), "drop"))
        .reconcile(async (_, ctx) => void (await ctx.read(things, "a"))),
    );
    expect(String(errors)).toContain("the cluster serves no things.example.com in example.com/v1");
  });
});

test("events name the object and the controller", async () => {
  await world.create(configMaps, map("one"));
  await world.start(
    controller("teller", configMaps).reconcile(async (_, ctx) =>
      ctx.event("Normal", "Seen", "It was looked at"),
    ),
  );
  expect(await world.events()).toEqual(["Seen It was looked at"]);
});
