import type { Mutant } from "./mutant.ts";

/** Makes rows of one controller. */
function rowsOf(
  controller: string,
  folder: string,
  tests: readonly string[],
): (name: string, file: string, edit: readonly [find: string, replace: string]) => Mutant {
  return (name, file, [find, replace]) => ({
    name: `${controller}: ${name}`,
    file: `${folder}/${file}.ts`,
    find,
    replace,
    tests: tests.map((test) => `${folder}/${test}.test.ts`),
  });
}

/** Claims of ephemeral volumes, claims that grow, and claims whose pods' labels do not go together. */
export const volumesClaimsMutants: readonly Mutant[] = [...ephemeral(), ...expand(), ...labels()];

function ephemeral(): readonly Mutant[] {
  const row = rowsOf("ephemeral-volume", "controllers/ephemeralvolume", ["sync"]);
  return [
    row("claims have no owner", "claim-of-volume", [
      "      ownerReferences: [newControllerRef(pod, resources.pods)],\n",
      "",
    ]),
    row("claims have the owner of another kind", "claim-of-volume", [
      "newControllerRef(pod, resources.pods)",
      "newControllerRef(pod, resources.nodes)",
    ]),
    row("claims lack the labels of their templates", "claim-of-volume", [
      "      ...(labels && { labels }),\n",
      "",
    ]),
    row("claims lack the annotations of their templates", "claim-of-volume", [
      "      ...(annotations && { annotations }),\n",
      "",
    ]),
    row("claims are in no namespace", "claim-of-volume", ["      namespace: pod.metadata.namespace,\n", ""]),
    row("claims have no spec", "claim-of-volume", ["spec: volumeClaimTemplate?.spec ?? {},", "spec: {},"]),
    row("pods that go get claims", "sync", [
      "if (pod.metadata.deletionTimestamp !== undefined) return {};",
      "",
    ]),
    row("a claim of somebody else will do", "sync", [
      "if (isClaimOfPod(known, pod)) return;",
      "if (known !== null) return;",
    ]),
    row("a claim of the pod's own will not do", "sync", ["if (isClaimOfPod(known, pod)) return;", ""]),
    row("attempts are not counted", "sync", ["attempts.inc();", "void attempts;"]),
    row("failures are not counted", "sync", ["failures.inc();", "void failures;"]),
    row("nobody is told of a failure", "sync", [
      'context.events.event(pod, "Warning", "FailedBinding", what);',
      "",
    ]),
    row("a failure is the end", "sync", [
      "throw new Error(`pod ${keyOf(pod)}, ${what}`, { cause: error });",
      "return {};",
    ]),
    row("what another manager has made is a failure", "sync", [
      "if (isAlreadyExists(error)) return { backOff: true };",
      "",
    ]),
    row("a namespace that goes is told of", "sync", [
      "if (signal.aborted || isNamespaceTerminating(error)) throw error;\n      // Another",
      "if (signal.aborted) throw error;\n      // Another",
    ]),
    row("which claim could not be made is not told", "sync", [
      "throw new Error(`create PVC ${claim.metadata.name}: ${messageOf(error)}`, { cause: error });",
      "throw error;",
    ]),
    row("claims that are deleted wake nobody", "controller", [
      "if (mayNeedClaims(pod)) wake(keyOf(pod));",
      "void pod;",
    ]),
    row("all pods are looked at", "controller", [
      "&& ephemeralVolumes(pod).length > 0",
      "&& ephemeralVolumes(pod).length >= 0",
    ]),
    row("pods that come wake nobody", "controller", ['onlyWhen(["added"]', 'onlyWhen(["deleted"]']),
    row("the flag reaches nobody", "controller", ["      workers,\n", "      workers: workers * 0,\n"]),
    row("events name no source", "controller", [', eventSource: "ephemeral_volume"', ""]),
    row("what was made is not remembered", "context", [
      "claimWrites: kit.writes(resources.persistentVolumeClaims),",
      "claimWrites: { createUnread: async (_: unknown, claim: object) => { await kit.env.client.clientFor(resources.persistentVolumeClaims).create(claim as never); throw new Error('x'); } },",
    ]),
    row("the metrics have another name", "context", [
      "`ephemeral_volume_controller_${name}`",
      "`ephemeral_volume_${name}`",
    ]),
  ];
}

function expand(): readonly Mutant[] {
  const row = rowsOf("expander", "controllers/expand", ["expansion", "sync"]);
  return [
    row("claims that have what they ask for are handed over", "expansion", [
      "if (!wantsMore(claim) && !isKeptForNodes(volume)) return NOTHING;",
      "",
    ]),
    row("volumes that are kept for nodes are passed over", "expansion", [
      "if (!wantsMore(claim) && !isKeptForNodes(volume)) return NOTHING;",
      "if (!wantsMore(claim)) return NOTHING;",
    ]),
    row("volumes of plugins are left alone", "expansion", [
      "if (plugin !== undefined && driver !== undefined) return",
      "if (plugin === '' && driver !== undefined) return",
    ]),
    row("a volume of another claim of the name is made larger", "expansion", [
      "&& uid !== undefined && uid === metadata.uid",
      "&& uid !== ''",
    ]),
    row("what nodes have done is not cleaned up", "expansion", [
      'if (isKeptForNodes(volume) && isNodeDone(claim, volume)) return { kind: "clean up" };',
      "",
    ]),
    row("nodes are done too early", "expansion", [
      "has.compare(storageOf(volume.spec?.capacity)) >= 0",
      "has.compare(storageOf(volume.spec?.capacity)) >= -1",
    ]),
    row("nodes that work are disturbed", "expansion", [
      'if (isLargeEnough && (status === "NodeResizePending" || status === "NodeResizeInProgress")) return NOTHING;',
      "",
    ]),
    row("nodes that have failed are not asked again", "expansion", [
      'if (isLargeEnough && status === "NodeResizeInfeasible") return { kind: "retry on nodes" };',
      "",
    ]),
    row("what was begun is forgotten", "expansion", ["size: wasBegun ? allocated : asked", "size: asked"]),
    row("what cannot be is gone on with", "expansion", [' && status !== "ControllerResizeInfeasible"', ""]),
    row("a resizer that is right is written again", "apply", [
      "if (claim.metadata.annotations?.[STORAGE_RESIZER] === driver) return;",
      "",
    ]),
    row("a claim made anew is written for the one before", "apply", [
      "const { uid } = claim.metadata;\n  const body = { metadata: { uid, annotations: { [STORAGE_RESIZER]: driver } } };",
      "const body = { metadata: { annotations: { [STORAGE_RESIZER]: driver } } };",
    ]),
    row("nobody is told who makes the volume larger", "apply", [
      'events.event(claim, "Normal", "ExternalExpanding", waiting);',
      "void waiting;",
    ]),
    row("nobody is told that it cannot be handed over", "apply", [
      'if (!sync.signal.aborted) events.event(claim, "Warning", "ExternalExpanding", what);',
      "",
    ]),
    row("the volume stays as it is", "apply", [
      'await volumeWrites.patchUnread(sync, volume, { type: "merge", body });\n  if (volume',
      "void [volumeWrites, body];\n  if (volume",
    ]),
    row("block devices wait for nodes", "apply", [
      'if (volume.spec?.volumeMode !== "Block")',
      "if (volume !== undefined)",
    ]),
    row("what the claim has had is not kept", "apply", [
      'await annotate(sync, context, volume, claim.status?.capacity?.["storage"] ?? "0");',
      "",
    ]),
    row("what is done is still in progress", "apply", [
      'const storage = allocatedResourceStatuses?.["storage"] ?? null;',
      'const storage = allocatedResourceStatuses?.["storage"];',
    ]),
    row("nobody is told of the end", "apply", [
      'events.event(claim, "Normal", "VolumeResizeSuccessful", done);',
      "void done;",
    ]),
    row("a claim without a volume is given up", "sync", [
      "return { backOff: true };\n  }\n  const plan",
      "return {};\n  }\n  const plan",
    ]),
    row("nobody is told of a failure", "sync", [
      'events.event(claim, "Warning", "VolumeResizeFailed", messageOf(error));',
      "void [events, messageOf];",
    ]),
    row("a failure is the end", "sync", [
      "messageOf(error));\n    throw error;",
      "messageOf(error));\n    return {};",
    ]),
    row("nobody is told to wait", "sync", [
      'context.events.event(claim, "Normal", "ExternalExpanding", waiting);',
      "void waiting;",
    ]),
    row("claims that are lost are looked at", "controller", [' || object.status?.phase !== "Bound"', ""]),
    row("every change of a claim is looked at", "controller", ["if (asked <= 0 && has <= 0) return;", ""]),
    row("claims that have got more are passed over", "controller", [
      "if (asked <= 0 && has <= 0) return;",
      "if (asked <= 0) return;",
    ]),
    row("claims that ask for more are passed over", "controller", [
      "if (asked <= 0 && has <= 0) return;",
      "if (has <= 0) return;",
    ]),
    row("events name no source", "controller", ['    eventSource: "volume_expand",\n', ""]),
    row("another account works", "controller", ['    clientName: "expand-controller",\n', ""]),
    row("what is kept for nodes is not read", "expansion", [
      "  `metadata.annotations[${PRE_RESIZE_CAPACITY}]`,\n",
      "",
    ]),
    row("plugins are not read", "expansion", ['  "spec.awsElasticBlockStore.volumeID",\n', ""]),
  ];
}

function labels(): readonly Mutant[] {
  const row = rowsOf("selinux-warning", "controllers/selinuxwarning", ["label", "volume-uses", "sync"]);
  return [
    row("what is not said conflicts", "label", ['part !== "" && other[at] !== "" && part', "part"]),
    row("levels that are not said never conflict", "label", ["if (one[3] !== other[3]) return true;", ""]),
    row("levels end at a colon", "label", ['level.join(":")', 'level[0] ?? ""']),
    row("options that say nothing are a label", "label", ['label === NOTHING_SAID ? "" : label', "label"]),
    row("policies never conflict", "volume-uses", [
      "return one.policy !== other.policy || labelsConflict",
      "return labelsConflict",
    ]),
    row("only one of two pods is told", "conflict", [
      "return [conflict, {",
      "return [conflict, conflict] as never; void ({",
    ]),
    row("pods of other namespaces are named", "conflict", [
      "if (splitKey(pod).namespace === other.namespace)",
      "if (splitKey(pod).namespace !== '')",
    ]),
    row("what is known is told again", "volume-uses", ["if (groupOfPod.get(pod) === group) return [];", ""]),
    row("pods that are gone stay", "volume-uses", ["group.pods.delete(pod);", ""]),
    row("volumes that are not used any more stay", "volume-uses", [
      "if (!ids.has(id)) this.#remove(pod, id);",
      "void id;",
    ]),
    row("pods of other drivers are forgotten", "volume-uses", ["if (used.driver !== driver) continue;", ""]),
    row("a driver that changes leaves what was known", "volume-uses", [
      "      this.#volumes.delete(id);\n    }\n    return [...pods];",
      "    }\n    return [...pods];",
    ]),
    row("pods that have ended count", "sync", [
      "if (isPodTerminal(pod)) {",
      "if (isPodTerminal(pod) && key === '') {",
    ]),
    row("pods are told of the other's conflict", "sync", [
      "pods.lister.getByKey(conflict.pod)",
      "pods.lister.getByKey(conflict.otherPod)",
    ]),
    row("the policy of pods does not count", "sync", [
      "&& seLinuxChangePolicy !== RECURSIVE",
      "&& seLinuxChangePolicy !== ''",
    ]),
    row("drivers have no say", "sync", [
      "drivers.lister.get(undefined, driver)?.spec.seLinuxMount === true",
      "drivers !== undefined",
    ]),
    row("pods without a label keep their policy", "sync", [
      'policy: label === "" ? RECURSIVE : seLinuxChangePolicy',
      "policy: seLinuxChangePolicy",
    ]),
    row("containers that do not agree are not told of", "sync", [
      "if (own.size > 1) {",
      "if (own.size > 2) {",
    ]),
    row("a claim that is not bound counts", "sync", [
      'claim?.status?.phase !== "Bound"',
      "claim === undefined",
    ]),
    row("a volume of another claim counts", "sync", [
      "bound?.spec?.claimRef?.uid === claim.metadata.uid",
      "bound !== undefined",
    ]),
    row("containers have no label of the pod's", "mounts", ["?? spec?.securityContext?.seLinuxOptions", ""]),
    row("handles do not tell volumes apart", "volume-identity", [
      "`kubernetes.io/csi/${driver}^${handle}`",
      "`kubernetes.io/csi/${driver}${handle === '' ? '' : '^'}`",
    ]),
    row("drivers do not tell volumes apart", "volume-identity", [
      "`kubernetes.io/csi/${driver}^${handle}`",
      "`kubernetes.io/csi/${driver === '' ? '' : 'x'}^${handle}`",
    ]),
    row("zones tell disks apart", "volume-identity", [
      'id?.replace(/^aws:\\/\\/[^/]*\\//, "") ?? ""',
      'id ?? ""',
    ]),
    row("shares of Azure are all one", "volume-identity", [
      "`${azureFile.secretName}#${azureFile.shareName}`",
      "azureFile.secretName",
    ]),
    row("claims that are bound wake nobody", "controller", [
      "claims.wakes(queue, claimRule(context));",
      "void [claims, claimRule];",
    ]),
    row("volumes that are bound wake nobody", "controller", [
      "volumes.wakes(queue, volumeRule(context));",
      "void [volumes, volumeRule];",
    ]),
    row("drivers that change wake nobody", "controller", [
      "drivers.wakes(queue, driverRule(context));",
      "void [drivers, driverRule];",
    ]),
    row("pods that go are remembered", "controller", [
      "gone: (key) => uses.delete(key),",
      "gone: () => undefined,",
    ]),
    row("pods that end wake nobody", "handlers", [
      "isPodTerminal(change.before) === isPodTerminal(change.object)",
      "isPodTerminal(change.before) !== null",
    ]),
    row("a claim whose phase changes wakes nobody", "handlers", [
      'if (before?.status?.phase === "Bound" && before.spec?.volumeName === spec?.volumeName) return;',
      "if (before?.spec?.volumeName === spec?.volumeName) return;",
    ]),
    row("a volume of another claim of the name wakes nobody", "handlers", [
      'if (change.type === "updated" && change.before.spec?.claimRef?.uid === uid) return;',
      'if (change.type === "updated") return;',
    ]),
    row("metrics show nothing", "metrics", ["metrics.onCollect(() => {", "void (() => {"]),
    row("metrics keep what is over", "metrics", ["gauge.reset();", ""]),
    row("the metric has its pods the other way round", "metrics", [
      "pod1_value: value,",
      "pod1_value: otherValue,",
    ]),
    row("events name no source", "controller", ['    eventSource: "selinux_warning",\n', ""]),
    row("the gate is forgotten", "controller", ['    featureGates: ["SELinuxChangePolicy"],\n', ""]),
    row("drivers are not read", "fields", ['DRIVER_FIELDS = ["spec.seLinuxMount"]', "DRIVER_FIELDS = []"]),
  ];
}
