import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { resources } from "../../api/resources.ts";
import type { ConfigMap, Node, Secret } from "../../api/types/core-v1.gen.ts";
import { changed, condition, controller } from "../index.ts";

// Some of this is judged by the compiler: what follows "expect-error" must not compile.

const { configMaps, namespaces, nodes, podDisruptionBudgets, secrets } = resources;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

const node = (name: string): Node => ({
  metadata: { name, annotations: { size: "large" } },
  spec: { unschedulable: true, podCIDR: "10.0.0.0/24" },
});

describe("of the objects of a controller with fields", () => {
  test("these are known, and nothing else compiles, in whatever it is told", async () => {
    const seen: unknown[] = [];
    await world.create(nodes, node("n"));
    await world.create(secrets, { metadata: { name: "a", namespace: "default" } });
    await world.start(
      controller("narrow", nodes, { fields: ["spec.unschedulable"] })
        .only((object) => object.spec?.unschedulable === true)
        .watches(secrets, (_, all) => all.list().filter(({ spec }) => spec?.unschedulable === true))
        .onError((error, object) => (seen.push(error, object.spec?.unschedulable), "drop"))
        .reconcile(async (object, ctx) => {
          seen.push(object.metadata.name, object.spec?.unschedulable, ctx.reasons[0]?.change);
          // It is never called: what is read of it was not asked for.
          const undeclared = (): unknown => {
            // @ts-expect-error: it was not asked for
            const cidr: string | undefined = object.spec?.podCIDR;
            // @ts-expect-error: nor were they
            const annotations: Node["metadata"]["annotations"] = object.metadata.annotations;
            // @ts-expect-error: nor was the status, which is not to be guessed
            return [cidr, annotations, ctx.status({})];
          };
          expect(undeclared).toBeTypeOf("function");
        }),
    );
    expect(seen).toEqual(["n", true, "listed"]);
    seen.length = 0;
    await world.update<Secret>(secrets, "a", (secret) => ({ ...secret, data: { key: "djE=" } }));
    await world.run();
    expect(seen).toEqual(["n", true, "updated"]);
  });

  test("a path that they do not have does not compile", () => {
    // @ts-expect-error: a Node has no such field
    expect(controller("wrong", nodes, { fields: ["spec.nodeName"] })).toHaveProperty("reconcile");
  });

  test("nothing else is kept, and what was not asked for is found missing in a test", async () => {
    const errors: unknown[] = [];
    await world.create(nodes, node("n"));
    await world.start(
      controller("narrow", nodes, { fields: ["spec.unschedulable"] })
        .onError((error) => (errors.push(error), "drop"))
        .reconcile(async (object) => {
          expect(Object.keys(object)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
          expect(Object.keys(object.spec ?? {})).toEqual(["unschedulable"]);
          expect(Object.keys(object.metadata)).not.toContain("annotations");
          expect(JSON.stringify(object.spec?.podCIDR)).toBe("never");
        }),
    );
    const told = "narrow reads spec.podCIDR of nodes, which it has not declared";
    expect(String(errors)).toContain(told);
    await expect(world.stop()).rejects.toThrow(told);
  });

  test("only a change of these is of interest to a predicate", async () => {
    let runs = 0;
    await world.create(nodes, node("n"));
    await world.start(
      controller("narrow", nodes, { fields: ["spec.unschedulable"] })
        .options({ where: changed.spec })
        .reconcile(async () => void runs++),
    );
    const client = world.client.clientFor(nodes);
    const set = async (spec: Node["spec"]): Promise<void> => {
      const { metadata, ...rest } = await client.get({ name: "n" });
      await client.update({ ...rest, metadata, spec: { ...rest.spec, ...spec } });
      await world.run();
    };
    await set({ providerID: "a" });
    expect(runs).toBe(1);
    await set({ unschedulable: false });
    expect(runs).toBe(2);
  });

  test("a status that was asked for is written, once", async () => {
    const fields = ["spec.maxUnavailable", "status"] as const;
    await world.create(podDisruptionBudgets, { metadata: { name: "one" }, spec: { maxUnavailable: 1 } });
    await world.start(
      controller("teller", podDisruptionBudgets, { fields }).reconcile(async ({ spec, status }, ctx) => {
        const currentHealthy = Number(spec?.maxUnavailable);
        await ctx.status(
          { currentHealthy },
          condition("Ready", (status?.currentHealthy ?? 0) > 0, "Because"),
        );
        return { requeueAfterMs: 60_000 };
      }),
    );
    await world.run(600_000);
    const { status } = await world.get(podDisruptionBudgets, "one");
    expect(status).toMatchObject({ currentHealthy: 1, observedGeneration: 1 });
    expect(status?.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
    expect(world.takeWrites().map(lineOf)).toEqual(Array(2).fill("patch poddisruptionbudgets/status one"));
  });

  test("a status of which only a part was asked for is not written", async () => {
    const errors: unknown[] = [];
    await world.create(podDisruptionBudgets, { metadata: { name: "one" }, spec: { maxUnavailable: 1 } });
    await world.start(
      controller("teller", podDisruptionBudgets, { fields: ["status.currentHealthy"] })
        .onError((error) => (errors.push(error), "drop"))
        .reconcile(async (_, ctx) => ctx.status({ currentHealthy: 1 })),
    );
    expect(String(errors)).toContain(
      'teller reads no status of poddisruptionbudgets.policy: put "status" among its fields',
    );
  });

  test("only those with such labels, of such namespaces, are read", async () => {
    const seen: string[] = [];
    const labels = { site: "a" };
    for (const name of ["a", "b"]) await world.client.clientFor(namespaces).create({ metadata: { name } });
    for (const namespace of ["a", "b"]) {
      await world.create(configMaps, { metadata: { name: "one", namespace, labels } });
      await world.create(configMaps, { metadata: { name: "other", namespace } });
    }
    const set = await world.start(
      controller("selective", configMaps, { fields: [] })
        .options({ labelSelector: "site", namespaces: ["a"], resyncMs: 60_000 })
        .reconcile(async ({ metadata: { namespace, name } }) => void seen.push(`${namespace}/${name}`)),
    );
    expect(seen).toEqual(["a/one"]);
    expect(set.informerHealth().map(({ name }) => name)).toEqual(["configmaps (a, site)"]);
    await world.run(90_000);
    expect(seen).toEqual(["a/one", "a/one"]);
  });

  test("what it applies, prunes, finalizes and tells is as that of any other", async () => {
    const seen: string[] = [];
    const maps = (): Promise<readonly ConfigMap[]> => world.list<ConfigMap>(configMaps);
    await world.create(secrets, { metadata: { name: "one" }, data: { key: "djE=" } });
    await world.start(
      controller("keeper", secrets, { fields: ["type"] })
        .owns(configMaps)
        .finalize(async (object) => void seen.push(`${object.metadata.name} ${object.type} goes`))
        .reconcile(async (object, ctx) => {
          seen.push(JSON.stringify([Object.keys(object), object.metadata.finalizers]));
          await ctx.prune(configMaps, [
            await ctx.apply(configMaps, { metadata: { name: "a" }, data: { type: object.type ?? "" } }),
          ]);
          // Another cache has whole ones.
          seen.push((await ctx.read(secrets, "one"))?.data?.["key"] ?? "none");
        }),
    );
    expect(seen.slice(0, 2)).toEqual([
      '[["apiVersion","kind","metadata","type"],["keeper/finalizer"]]',
      "djE=",
    ]);
    expect((await maps()).map(({ data }) => data)).toEqual([{ type: "Opaque" }]);
    await world.update<ConfigMap>(configMaps, "a", (map) => ({ ...map, data: { type: "other" } }));
    await world.run();
    expect((await maps()).map(({ data }) => data)).toEqual([{ type: "Opaque" }]);
    await world.delete(secrets, "one");
    await world.run();
    expect(seen.at(-1)).toBe("one Opaque goes");
    expect(await world.list(secrets)).toEqual([]);
  });
});
