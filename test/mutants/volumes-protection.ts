import type { Mutant } from "./mutant.ts";

const shared = "pkg/controller/protection.ts";
const claims = "controllers/pvcprotection";
const sharedTests = ["pkg/controller/protection.test.ts"];
const claimTests = [`${claims}/sync.test.ts`];

/** What keeps claims while they are used, and what that has in common with volumes and classes of attributes. */
export const volumesProtectionMutants: readonly Mutant[] = [...protections(), ...ofClaims()];

function protections(): readonly Mutant[] {
  return [
    {
      name: "protection: what is being deleted without the finalizer gets it",
      file: shared,
      find: "if (isLeaving !== finalizers.includes(finalizer)) return undefined;",
      replace: "if (finalizers.includes(finalizer) && !isLeaving) return undefined;",
      tests: sharedTests,
    },
    {
      name: "protection: nothing gets the finalizer",
      file: shared,
      find: 'return isLeaving ? "remove" : "add";',
      replace: 'return isLeaving ? "remove" : undefined;',
      tests: sharedTests,
    },
    {
      name: "protection: other finalizers are lost",
      file: shared,
      find: 'change === "add" ? [...others, finalizer] : others',
      replace: 'change === "add" ? [finalizer] : []',
      tests: sharedTests,
    },
    {
      name: "protection: a finalizer that is there twice goes once",
      file: shared,
      find: ".filter((each) => each !== finalizer)",
      replace: ".filter((each, at, all) => at !== all.indexOf(finalizer))",
      tests: sharedTests,
    },
    {
      name: "protection: what is used goes",
      file: shared,
      find: 'const next = change === "remove" ? await stays(sync) : undefined;',
      replace: "const next = undefined;",
      tests: sharedTests,
    },
    {
      name: "protection: when to look again is forgotten",
      file: shared,
      find: "    return next;",
      replace: "    return {};",
      tests: sharedTests,
    },
    {
      name: "protection: deletions wake",
      file: shared,
      find: 'if (type !== "deleted" && finalizerChange(object, finalizer) !== undefined)',
      replace: "if (finalizerChange(object, finalizer) !== undefined && type === 'deleted')",
      tests: sharedTests,
    },
    {
      name: "protection: a conflict is a failure",
      file: shared,
      find: "if (isNotFound(error) || isConflict(error)) return { backOff: true };",
      replace: "if (isNotFound(error)) return { backOff: true };",
      tests: sharedTests,
    },
    {
      name: "protection: a conflict is the end",
      file: shared,
      find: "if (isNotFound(error) || isConflict(error)) return { backOff: true };",
      replace: "if (isNotFound(error) || isConflict(error)) return {};",
      tests: sharedTests,
    },
    {
      name: "protection: a failure is the end",
      file: shared,
      find: "return { backOff: true };\n    throw error;",
      replace: "return { backOff: true };\n    return {};",
      tests: sharedTests,
    },
    {
      name: "protection: another object of the name is written",
      file: shared,
      find: "return { ...object, metadata: { ...object.metadata, finalizers } };",
      replace:
        "return { ...object, metadata: { ...object.metadata, finalizers, uid: '', resourceVersion: '' } };",
      tests: sharedTests,
    },
  ];
}

function ofClaims(): readonly Mutant[] {
  return [
    {
      name: "pvc-protection: a pod without a node holds its claims",
      file: `${claims}/claim-use.ts`,
      find: 'if ((pod.spec?.nodeName ?? "") === "" || !namesClaim(pod, claim)) return false;',
      replace: "if (!namesClaim(pod, claim)) return false;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a pod that has finished lets go",
      file: `${claims}/claim-use.ts`,
      find: 'if ((pod.spec?.nodeName ?? "") === "" || !namesClaim(pod, claim)) return false;',
      replace:
        'if ((pod.spec?.nodeName ?? "") === "" || hasPodEnded(pod) || !namesClaim(pod, claim)) return false;',
      tests: claimTests,
    },
    {
      name: "pvc-protection: a claim of a pod's own waits for the pod's finalizers",
      file: `${claims}/claim-use.ts`,
      find: "return !isShutDown(pod) || !isClaimOfPod(claim, pod);",
      replace: "return true;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: no claim waits for the pod's finalizers",
      file: `${claims}/claim-use.ts`,
      find: "return !isShutDown(pod) || !isClaimOfPod(claim, pod);",
      replace: "return !isShutDown(pod);",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a claim of an ephemeral volume's name is the pod's",
      file: `${claims}/claim-use.ts`,
      find: "(!isEphemeral || isClaimOfPod(claim, pod))",
      replace: "true",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a pod that has finished needs its claims",
      file: `${claims}/claim-use.ts`,
      find: "!hasPodEnded(pod) && namesClaim",
      replace: "namesClaim",
      tests: claimTests,
    },
    {
      name: "pvc-protection: the node of pods is not read",
      file: `${claims}/claim-use.ts`,
      find: ', "spec.nodeName"]',
      replace: "]",
      tests: claimTests,
    },
    {
      name: "pvc-protection: what says whether pods have ended is not read",
      file: `${claims}/claim-use.ts`,
      find: "...POD_END_FIELDS, ",
      replace: "",
      tests: claimTests,
    },
    {
      name: "pvc-protection: the server is not asked",
      file: `${claims}/sync.ts`,
      find: 'return live.some((pod) => uses(pod, owner)) ? "live" : undefined;',
      replace: "return undefined;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: the server is asked though the cache knows",
      file: `${claims}/sync.ts`,
      find: 'if (known.some((pod) => uses(pod, owner))) return "cached";',
      replace: "",
      tests: claimTests,
    },
    {
      name: "pvc-protection: pods of another index are asked",
      file: `${claims}/sync.ts`,
      find: "byIndex(CLAIMS_OF_PODS, keyOf(owner))",
      replace: "byIndex(CLAIMS_OF_PODS, owner.metadata.name)",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a pod that the cache may never know is waited for",
      file: `${claims}/sync.ts`,
      find: 'return user === "cached" ? {} : { requeueAfterMs: UNSEEN_POD_MS };',
      replace: "return {};",
      tests: claimTests,
    },
    {
      name: "pvc-protection: claims say nothing of their use",
      file: `${claims}/sync.ts`,
      find: "if (!context.tellsUnused || owner.metadata.deletionTimestamp !== undefined) return owner;",
      replace: "if (owner.metadata.deletionTimestamp !== undefined || context.tellsUnused) return owner;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: claims that go say something of their use",
      file: `${claims}/sync.ts`,
      find: "if (!context.tellsUnused || owner.metadata.deletionTimestamp !== undefined) return owner;",
      replace: "if (!context.tellsUnused) return owner;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: what the server made of the claim is not gone on with",
      file: `${claims}/sync.ts`,
      find: "const owner = await toldUse(sync, context);",
      replace: "await toldUse(sync, context);\n    const { owner } = sync;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: the gate is another",
      file: `${claims}/unused-condition.ts`,
      find: '"PersistentVolumeClaimUnusedSinceTime"',
      replace: '"VolumeAttributesClass"',
      tests: claimTests,
    },
    {
      name: "pvc-protection: the condition has no time",
      file: `${claims}/unused-condition.ts`,
      find: ", lastTransitionTime: formatTime(nowMs) }",
      replace: ", lastTransitionTime: formatTime(0 * nowMs) + 'x' }",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a second condition comes beside the first",
      file: `${claims}/unused-condition.ts`,
      find: "return before === undefined\n    ? [...conditions, next]",
      replace: "return before !== null\n    ? [...conditions, next]",
      tests: claimTests,
    },
    {
      name: "pvc-protection: pods that go wake nobody",
      file: `${claims}/controller.ts`,
      find: "pods.wakes(queue, podRule(context));",
      replace: "void [pods, queue, podRule];",
      tests: claimTests,
    },
    {
      name: "pvc-protection: claims that come wake nobody",
      file: `${claims}/handlers.ts`,
      find: "ofFinalizer(change, wake);",
      replace: "void ofFinalizer;",
      tests: claimTests,
    },
    {
      name: "pvc-protection: every pod wakes its claims",
      file: `${claims}/handlers.ts`,
      find: "if (tellsUnused || claims.lister.getByKey(key)?.metadata.deletionTimestamp !== undefined) wake(key);",
      replace: "void claims, wake(key);",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a pod that was deleted by force wakes nobody",
      file: `${claims}/handlers.ts`,
      find: 'change.type === "updated" && isShutDown(change.object) && !isShutDown(change.before)',
      replace: "false",
      tests: claimTests,
    },
    {
      name: "pvc-protection: pods that come do not tell that claims are used",
      file: `${claims}/handlers.ts`,
      find: 'if (change.type !== "updated") return true;',
      replace: 'if (change.type === "deleted") return true;\n  if (change.type === "added") return false;',
      tests: claimTests,
    },
    {
      name: "pvc-protection: pods that finish do not tell that claims are unused",
      file: `${claims}/handlers.ts`,
      find: "return letsGo(change) || (hasPodEnded(change.object) && !hasPodEnded(change.before));",
      replace: "return letsGo(change);",
      tests: claimTests,
    },
    {
      name: "pvc-protection: a list that runs answers those that ask while it does",
      file: `${claims}/live-pods.ts`,
      find: "    this.#next.delete(namespace);\n    const listing",
      replace: "    const listing",
      tests: [`${claims}/live-pods.test.ts`],
    },
    {
      name: "pvc-protection: each claim has a list of its own",
      file: `${claims}/live-pods.ts`,
      find: "this.#next.get(namespace) ?? this.#listNext(namespace, signal)",
      replace: "this.#listNext(namespace, signal)",
      tests: [`${claims}/live-pods.test.ts`],
    },
    {
      name: "pvc-protection: lists of a namespace run side by side",
      file: `${claims}/live-pods.ts`,
      find: "await Promise.allSettled([this.#running.get(namespace)]);",
      replace: "await Promise.resolve();",
      tests: [`${claims}/live-pods.test.ts`],
    },
    {
      name: "pvc-protection: a list that fails fails for who comes after",
      file: `${claims}/live-pods.ts`,
      find: "await Promise.allSettled([this.#running.get(namespace)]);",
      replace: "await this.#running.get(namespace);",
      tests: [`${claims}/live-pods.test.ts`],
    },
    {
      name: "pvc-protection: pods of all namespaces are listed",
      file: `${claims}/context.ts`,
      find: "podClient.listEach({ namespace }, onPod, signal)",
      replace: "podClient.listEach({}, onPod, signal), void namespace",
      tests: claimTests,
    },
    {
      name: "pvc-protection: another account works",
      file: `${claims}/controller.ts`,
      find: ', clientName: "pvc-protection-controller"',
      replace: "",
      tests: claimTests,
    },
  ];
}
