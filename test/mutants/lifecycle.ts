import { lifecycleDiscoveryMutants } from "./lifecycle-discovery.ts";
import { lifecycleQuotaMutants } from "./lifecycle-quotas.ts";
import { lifecycleWiringMutants } from "./lifecycle-wiring.ts";
import type { Mutant } from "./mutant.ts";

const collector = "controllers/garbagecollector";
const namespace = "controllers/namespace";
const token = "controllers/serviceaccount/token";
const names = [`${collector}/names.test.ts`];

/** Where a name is taken for an object, and where part of what was to be done failed. */
const identities: readonly Mutant[] = [
  {
    name: "the garbage collector takes whatever has the name for the object",
    file: `${collector}/apply.ts`,
    find: "return readLive(client, { ...ref, uid: identity.uid }, signal);",
    replace: "return client.get(ref, {}, signal);",
    tests: names,
  },
  {
    name: "the garbage collector takes a finalizer off whatever has the name",
    file: `${collector}/apply.ts`,
    find: "const latest = await readObject(context, identity, signal);",
    replace: "const latest = await client.get(ref, {}, signal);",
    tests: names,
  },
  {
    name: "an owner that lives is remembered as absent",
    file: `${collector}/sync-collect-objects.ts`,
    find: "if (owner === undefined) absentOwners.set(",
    replace: "if (owner !== undefined) absentOwners.set(",
    tests: [`${collector}/sync.test.ts`],
  },
  {
    name: "a namespace made anew is finalized",
    file: `${namespace}/apply.ts`,
    find: "latest = await readLive(namespaceClient, identity, signal)",
    replace: 'latest = await namespaceClient.get({ name: namespace.metadata.name ?? "" }, {}, signal)',
    tests: [`${namespace}/sync.test.ts`],
  },
  {
    name: "an account inherits the credentials of one that is gone",
    file: `${token}/sync-secret.ts`,
    find: 'return uid === "" || uid === account?.metadata.uid ? account : undefined;',
    replace: "return account;",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "an account loses its reference with the token of another of its name",
    file: `${token}/apply.ts`,
    find: 'if (uid !== "" && uid !== account.metadata.uid) return;',
    replace: "",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "a dependent that could not be made an orphan is forgotten, and deleted",
    file: `${collector}/sync-orphan-dependents.ts`,
    find: "unless: isNotFound,",
    replace: "unless: () => true,",
    tests: names,
  },
  {
    name: "the first object that cannot be deleted keeps the others of the namespace",
    file: `${namespace}/sync-resource.ts`,
    find: "await attempt(async () => client.delete({ namespace, name }, OPTIONS, signal));",
    replace: "await client.delete({ namespace, name }, OPTIONS, signal); void attempt;",
    tests: [`${namespace}/sync-content.test.ts`],
  },
  {
    name: "an object that cannot be deleted is passed over in silence",
    file: `${namespace}/sync-resource.ts`,
    find: "throwAll(errors.filter((error) => !isNotServed(error)));",
    replace: "void [throwAll, errors];",
    tests: [`${namespace}/sync-content.test.ts`],
  },
  {
    name: "a token that was not deleted with its account is forgotten",
    file: `${token}/sync-account.ts`,
    find: "throwAll(failures);",
    replace: "throwAll([]); void failures;",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "a namespace is let go as it was read first, and meets a conflict",
    file: `${namespace}/sync.ts`,
    find: "await finalize(context, written, signal);",
    replace: "await finalize(context, namespace, signal); void written;",
    tests: [`${namespace}/sync.test.ts`],
  },
  {
    name: "a namespace that could not be let go is forgotten",
    file: `${namespace}/sync.ts`,
    find: "await finalize(context, written, signal);",
    replace: "await finalize(context, written, signal).catch(() => undefined);",
    tests: [`${namespace}/sync.test.ts`],
  },
];

export const lifecycleMutants: readonly Mutant[] = [
  ...identities,
  ...lifecycleQuotaMutants,
  ...lifecycleDiscoveryMutants,
  ...lifecycleWiringMutants,
];
