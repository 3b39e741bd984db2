import { afterEach, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import type { Namespace, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { listerOf } from "../../../test/harness/lister-of.ts";
import { type ControllerWorld, newWorld } from "../../../test/harness/controller-world.ts";
import { ownerSyncOf } from "../../../test/harness/sync-of.ts";
import { serviceAccountController } from "./controller.ts";
import { ensureDefaultAccount } from "./sync.ts";

const active: Namespace = { metadata: { name: "a" }, status: { phase: "Active" } };
const leaving: Namespace = { metadata: { name: "a" }, status: { phase: "Terminating" } };
const named = (name: string): ServiceAccount => ({ metadata: { namespace: "a", name } });

let world: ControllerWorld | undefined;
afterEach(async () => world?.stop());

test("a namespace is looked at when it changes, an account's when that is deleted", async () => {
  world = await newWorld();
  const controller = serviceAccountController();
  const set = await world.start(controller);
  const synced = (): number => set.health().get(controller.name)?.pools["serviceaccount"]?.syncs ?? 0;
  const syncsAfter = async (act: () => Promise<unknown>): Promise<number> => {
    await world?.run(60_000);
    const before = synced();
    await act();
    await world?.run(60_000);
    return synced() - before;
  };
  const { namespaces, serviceAccounts } = resources;
  const label = <T extends Namespace | ServiceAccount>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, labels: { touched: "yes" } },
  });
  const account = { metadata: { name: "other" } };
  expect(await syncsAfter(async () => world?.update(namespaces, "default", label))).toBe(1);
  expect(await syncsAfter(async () => world?.create(serviceAccounts, account))).toBe(0);
  expect(await syncsAfter(async () => world?.update(serviceAccounts, "other", label))).toBe(0);
  expect(await syncsAfter(async () => world?.delete(serviceAccounts, "other"))).toBe(1);
});

// upstream: pkg/controller/serviceaccount/serviceaccounts_controller_test.go#TestServiceAccountCreation
test.each<[string, Namespace, readonly ServiceAccount[], readonly string[]]>([
  ["in a namespace without accounts", active, [], ["default"]],
  ["in a namespace with others", active, [named("other")], ["default"]],
  ["not where it is", active, [named("default")], []],
  ["not in a namespace that is being deleted", leaving, [named("other")], []],
])("the account is created %s", async (_, namespace, accounts, expected) => {
  const created: (string | undefined)[] = [];
  const context = {
    accounts: { lister: listerOf(accounts) },
    client: {
      create: async (account: ServiceAccount) => {
        created.push(account.metadata.name);
        return account;
      },
    },
  };
  await ensureDefaultAccount(ownerSyncOf(namespace), context as never);
  expect(created).toEqual(expected);
});
