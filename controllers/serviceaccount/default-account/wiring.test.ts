import { beforeEach, expect, test } from "vitest";
import type { Namespace, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { createWorkQueue } from "../../../pkg/workqueue/work-queue.ts";
import type { WorkQueue } from "../../../pkg/workqueue/queue.ts";
import { drain, listerOf } from "../../../test/harness/lister-of.ts";
import { VirtualClock } from "../../../test/harness/virtual-clock.ts";
import { accountHandler, namespaceHandler } from "./handlers.ts";
import { ensureDefaultAccount } from "./sync.ts";

const active: Namespace = { metadata: { name: "a" }, status: { phase: "Active" } };
const leaving: Namespace = { metadata: { name: "a" }, status: { phase: "Terminating" } };
const named = (name: string): ServiceAccount => ({ metadata: { namespace: "a", name } });

let queue: WorkQueue<string>;
beforeEach(() => {
  queue = createWorkQueue<string>({ clock: new VirtualClock() });
});

test("a namespace is looked at when it changes, an account's when that is deleted", () => {
  namespaceHandler(queue).onUpdate?.(active, active);
  expect(drain(queue)).toEqual(["a"]);
  accountHandler(queue).onDelete?.(named("other"), false);
  expect(drain(queue)).toEqual(["a"]);
});

// upstream: pkg/controller/serviceaccount/serviceaccounts_controller_test.go#TestServiceAccountCreation
test.each<[string, readonly Namespace[], readonly ServiceAccount[], readonly string[]]>([
  ["in a namespace without accounts", [active], [], ["default"]],
  ["in a namespace with others", [active], [named("other")], ["default"]],
  ["not where it is", [active], [named("default")], []],
  ["not in a namespace that is being deleted", [leaving], [named("other")], []],
  ["not in a namespace that is gone", [], [], []],
])("the account is created %s", async (_, namespaces, accounts, expected) => {
  const created: (string | undefined)[] = [];
  const context = {
    namespaces: listerOf(namespaces),
    accounts: listerOf(accounts),
    client: {
      create: async (account: ServiceAccount) => {
        created.push(account.metadata.name);
        return account;
      },
    },
  };
  await ensureDefaultAccount("a", context, new AbortController().signal);
  expect(created).toEqual(expected);
});
