import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type { Namespace } from "../../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { serviceAccountController } from "./controller.ts";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

// upstream: pkg/controller/serviceaccount/serviceaccounts_controller_test.go#TestServiceAccountCreation
describe("the account is created", () => {
  test("in a namespace that is there at the start", async () => {
    expect(await linesAfter(async () => world.start(serviceAccountController()))).toEqual([
      "create serviceaccounts default",
    ]);
  });

  test("in a namespace that is new, beside other accounts", async () => {
    await world.start(serviceAccountController());
    const lines = await linesAfter(async () => {
      await world.create<Namespace>(resources.namespaces, { metadata: { name: "new" } });
      await account("other", "new");
    });
    expect(lines).toEqual(["create serviceaccounts new"]);
    expect(await accountsOf("new")).toEqual(["default", "other"]);
  });

  test("again when it is deleted, and nothing is done for others", async () => {
    await account("other", "default");
    await world.start(serviceAccountController());
    expect(await linesAfter(async () => world.delete(resources.serviceAccounts, "other"))).toEqual([]);
    expect(await linesAfter(async () => world.delete(resources.serviceAccounts, "default"))).toEqual([
      "create serviceaccounts default",
    ]);
  });

  test("although it could not be at first", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "serviceaccounts" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(serviceAccountController());
    expect(await accountsOf("default")).toEqual([]);
    repair();
    // At the back-off of a failure, and not when it would be looked for again anyway.
    await world.run(2_500);
    expect(await accountsOf("default")).toEqual(["default"]);
  });
});

describe("nothing is created", () => {
  test("where the account is", async () => {
    await account("default", "default");
    expect(await linesAfter(async () => world.start(serviceAccountController()))).toEqual([]);
    expect(await linesAfter(async () => touch("default"))).toEqual([]);
  });

  test.each(["new", "changed"])("in a namespace that is being deleted and %s", async (how) => {
    await world.delete(resources.namespaces, "default");
    if (how === "new") await world.start(serviceAccountController());
    else {
      await world.start(serviceAccountController());
      await touch("default");
      await world.run();
    }
    expect(world.takeWrites()).toEqual([]);
    expect(await accountsOf("default")).toEqual([]);
  });

  test("when an account goes with its namespace", async () => {
    await world.start(serviceAccountController());
    const lines = await linesAfter(async () => {
      await world.delete(resources.namespaces, "default");
      await world.delete(resources.serviceAccounts, "default");
    });
    expect(lines).toEqual([]);
  });
});

test("an account that is created and deleted while nobody can watch is created again", async () => {
  await world.start(serviceAccountController());
  const { faults, store } = world.server.parts;
  const repair = faults.add({
    target: { resource: "serviceaccounts", verb: "watch" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  faults.dropWatches({ resource: "serviceaccounts" });
  await world.create<Namespace>(resources.namespaces, { metadata: { name: "new" } });
  await world.run(1_000);
  expect(await accountsOf("new")).toEqual(["default"]);
  await world.client.clientFor(resources.serviceAccounts).delete({ namespace: "new", name: "default" });
  store.compact();
  repair();
  await world.run(120_000);
  expect(await accountsOf("new")).toEqual(["default"]);
});

test("an account that somebody else creates first is no failure", async () => {
  world.server.parts.faults.add({
    target: { verb: "create", resource: "serviceaccounts" },
    times: 1,
    action: { kind: "interfere", run: async () => account("default", "default") },
  });
  await world.start(serviceAccountController());
  expect(world.takeWrites()).toHaveLength(1);
  await world.run(10_000);
  expect(world.takeWrites()).toEqual([]);
});

async function linesAfter(act: () => Promise<unknown>): Promise<readonly string[]> {
  await world.run();
  world.takeWrites();
  await act();
  await world.run();
  return world.takeWrites().map((write) => `${lineOf({ ...write, name: "" })} ${write.namespace}`);
}

async function account(name: string, namespace: string): Promise<void> {
  await world.client.clientFor(resources.serviceAccounts).create({ metadata: { name, namespace } });
}

async function accountsOf(namespace: string): Promise<readonly (string | undefined)[]> {
  const { items } = await world.client.clientFor(resources.serviceAccounts).list({ namespace });
  return items.map(({ metadata }) => metadata.name);
}

async function touch(name: string): Promise<void> {
  const { labels } = (await world.get<Namespace>(resources.namespaces, name)).metadata;
  const body = { metadata: { labels: { ...labels, touched: String(world.clock.nowMs()) } } };
  await world.client.clientFor(resources.namespaces).patch({ name }, { type: "merge", body });
}
