import type { Mutant } from "./mutant.ts";

/** In the controllers that clean up: of garbage, namespaces, quotas, pods. */
export const garbageMutants: readonly Mutant[] = [
  {
    name: "deletes what has a live owner beside one that is gone",
    file: "controllers/garbagecollector/deletion.ts",
    find: "if (gone.length + waiting.length < owners.length) {",
    replace: "if (gone.length + waiting.length === 0) {",
  },
  {
    name: "believes the graph that an owner is gone",
    file: "controllers/garbagecollector/sync-collect-objects.ts",
    find: "if ([clusterScoped, namespaced].some((each) => absentOwners.get(identityKey(each)))) return undefined;",
    replace:
      "if (context.graph.get(reference.uid) === undefined || context.graph.get(reference.uid)?.virtual === true) return undefined;",
  },
  {
    name: "takes an owner of the same name for the one that is gone",
    file: "pkg/controller/read-live.ts",
    find: "return uid !== undefined && live.metadata.uid === uid ? live : undefined;",
    replace: "return live;",
  },
  {
    name: "lets an owner go while dependents hold it up",
    file: "controllers/garbagecollector/sync-collect-objects.ts",
    find: "if (blocking.length === 0) {",
    replace: "if (blocking.length < 2) {",
  },
  {
    name: "does not delete what an owner waits for",
    file: "controllers/garbagecollector/consequences.ts",
    find: "for (const dependent of node.dependents) then.toDelete.add(dependent);\n    then.toDelete.add(node);",
    replace: "then.toDelete.add(node);",
    also: {
      file: "controllers/garbagecollector/sync-collect-objects.ts",
      find: "for (const dependent of blocking) if (!dependent.deletingDependents) context.toDelete.add(dependent);",
      replace: "",
    },
  },
  {
    name: "lets an owner go before its dependents are orphans",
    file: "controllers/garbagecollector/sync-orphan-dependents.ts",
    find: "unless: isNotFound,",
    replace: "unless: () => true,",
  },
  {
    name: "deletes dependents that are to be orphans",
    file: "controllers/garbagecollector/sync-orphan-dependents.ts",
    find: "disown(context, identity, [owner.identity.uid], signal);",
    replace: "undefined;",
  },
  {
    name: "leaves owners that are gone on what has others",
    file: "controllers/garbagecollector/sync-collect-objects.ts",
    find: "await disown(context, node.identity, plan.uids, signal);",
    replace: "",
  },
  {
    name: "does not look at dependents when their owner has gone",
    file: "controllers/garbagecollector/handlers.ts",
    find: 'if (change.type === "deleted") wake(GraphChange.deleted(change.object));',
    replace: 'if (change.type === "deleted") return;',
  },
  {
    name: "lets a namespace go that is not empty",
    area: "namespaces",
    file: "controllers/namespace/sync.ts",
    find: "if (estimateSeconds > 0) {",
    replace: "if (false as boolean) {",
  },
  {
    name: "does not look again at a namespace whose pods take a while",
    area: "namespaces",
    needs: ["watches hold"],
    file: "controllers/namespace/sync.ts",
    find: "return { requeueAfterMs: recheckAfterMs(estimateSeconds) };",
    replace: "return {};",
  },
  {
    name: "counts a quota only when the quota changes",
    area: "namespaces",
    needs: ["watches hold"],
    file: "controllers/resourcequota/replenishment.ts",
    find: "return factsOf(before) !== factsOf(after);",
    replace: "return false;",
  },
  {
    name: "takes any pod without a node for one that nobody will end",
    area: "daemonsets",
    file: "controllers/podgc/victims.ts",
    find: "return pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName;",
    replace: "return !pod.spec?.nodeName;",
  },
  {
    name: "deletes the pods of a node that it has not seen for long enough",
    area: "daemonsets",
    file: "controllers/podgc/sync.ts",
    find: "if (!isBack && !(await nodeExists(context, name, signal))) gone.add(name);",
    replace: "gone.add(name);",
  },
  {
    name: "does not give a namespace its account back",
    area: "namespaces",
    file: "controllers/serviceaccount/default-account/controller.ts",
    find: 'context.accounts.wakes(queue, onlyWhen(["deleted"], itsNamespace));',
    replace: "void [queue, itsNamespace];",
  },
];
