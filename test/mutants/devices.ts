import type { Mutant } from "./mutant.ts";

const claims = "controllers/resourceclaim";
const syncs = [`${claims}/sync.test.ts`];
const ofClaims = [`${claims}/sync-claim.test.ts`];
const ofGroups = [`${claims}/groups.test.ts`];

const made = [`${claims}/sync-made-claims.test.ts`];

const madeClaimMutants: readonly Mutant[] = [
  {
    name: "resourceclaim-controller: each try to make a claim asks for another name",
    file: `${claims}/claim-of-template.ts`,
    find: "`${uid}/${claimName}/${taken}`",
    replace: "`${uid}/${claimName}/${process.hrtime.bigint()}`",
    tests: made,
  },
  {
    name: "resourceclaim-controller: claims of a pod made anew have the names of the one before it",
    file: `${claims}/claim-of-template.ts`,
    find: "`${uid}/${claimName}/${taken}`",
    replace: "`${namespace}/${claimName}/${taken}`",
    tests: [`${claims}/claim-of-template.test.ts`],
  },
  {
    name: "resourceclaim-controller: whoever's claim has the name is taken for the pod's",
    file: `${claims}/sync-made-claims.ts`,
    find: "return isControlledBy(live, owner) && ",
    replace: "return ",
    tests: made,
  },
  {
    name: "resourceclaim-controller: one claim of a pod is taken for another",
    file: `${claims}/sync-made-claims.ts`,
    find: " && isCalled(live, claimName);",
    replace: " && claimName !== name;",
    tests: made,
  },
  {
    name: "resourceclaim-controller: the name of a claim that is gone is used again",
    file: `${claims}/sync-made-claims.ts`,
    find: "if (name !== gone && (await",
    replace: "if (gone !== templateName && (await",
    tests: made,
  },
  {
    name: "resourceclaim-controller: what the cache does not show of a pod's claims is gone",
    file: `${claims}/sync-made-claims.ts`,
    find: "if (told !== undefined && (await",
    replace: "if (told === wanted.name && (await",
    tests: made,
  },
  {
    name: "resourceclaim-controller: a claim that nobody was told of is not looked for",
    file: `${claims}/sync-made-claims.ts`,
    find: "    if (isAlreadyExists(error)) return isOwnClaim(sync, context, { name: claim.metadata.name, claimName });\n",
    replace: "",
    tests: made,
  },
  {
    name: "resourceclaim-controller: a pod whose claim is gone gets no other",
    file: `${claims}/sync-made-claims.ts`,
    find: "    if (isNotFound(error)) return false;\n",
    replace: "",
    tests: syncs,
  },
];

const resourceClaimMutants: readonly Mutant[] = [
  {
    name: "resourceclaim-controller: claims that a pod was told of before are taken from its status",
    file: `${claims}/sync-made-claims.ts`,
    find: "return known.filter((each) => each.name === name);",
    replace: "return known.filter(() => name === undefined);",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: a claim that was made before is not found",
    file: `${claims}/context.ts`,
    find: "metadata.annotations?.[CLAIM_NAME_ANNOTATION] === claimName",
    replace: "metadata.annotations?.[CLAIM_NAME_ANNOTATION] === metadata.namespace",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: claims of one pod are taken for each other",
    file: `${claims}/context.ts`,
    find: "metadata.annotations?.[CLAIM_NAME_ANNOTATION] === claimName",
    replace: "claimName !== metadata.name",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: pods do not wait for the claims that were made for them",
    file: `${claims}/context.ts`,
    find: "claimWrites: kit.writes(resources.resourceClaims),",
    replace:
      "claimWrites: new RecordedWrites({ env: kit.env, consistency: kit.newConsistency() }, resources.resourceClaims),",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: the annotations of a template are forgotten",
    file: `${claims}/claim-of-template.ts`,
    find: "annotations: { ...metadata.annotations, [CLAIM_NAME_ANNOTATION]: claimName }",
    replace: "annotations: { [CLAIM_NAME_ANNOTATION]: claimName }",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: a claim does not name its pod as what controls it",
    file: `${claims}/claim-of-template.ts`,
    find: "uid, controller: true }",
    replace: "uid }",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: names are cut behind a dot",
    file: `${claims}/claim-of-template.ts`,
    find: "withoutEnd(part.slice(0, Math.floor((part.length * LONGEST_BASE) / whole.length)))",
    replace: "part.slice(0, Math.floor((part.length * LONGEST_BASE) / whole.length))",
    tests: [`${claims}/claim-of-template.test.ts`],
  },
  {
    name: "resourceclaim-controller: the status of whoever has the name now is written",
    file: `${claims}/sync.ts`,
    find: `const { namespace, name, uid } = pod.metadata;
    const named = { metadata: { namespace, name, uid }`,
    replace: `const { namespace, name } = pod.metadata;
    const named = { metadata: { namespace, name }`,
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: claims are reserved for pods without a node",
    file: `${claims}/sync.ts`,
    find: "if (isOnNode(pod)) await reserveClaims",
    replace: "await reserveClaims",
    tests: syncs,
    also: {
      file: `${claims}/claim-use.ts`,
      find: "if (isOnNode(pod) && lacksReservation",
      replace: "if (lacksReservation",
    },
  },
  {
    name: "resourceclaim-controller: a reservation takes those of others away",
    file: `${claims}/sync.ts`,
    find: "reservedFor: [...others, consumer]",
    replace: "reservedFor: [...others.slice(others.length), consumer]",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: a new template wakes nobody",
    file: `${claims}/controller.ts`,
    find: `    templates.wakes(
      podQueue,
      onlyWhen(
        ["added", "updated"],`,
    replace: `    templates.wakes(
      podQueue,
      onlyWhen(
        ["updated"],`,
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: pods are told of failures in a namespace that is going away",
    file: `${claims}/sync-made-claims.ts`,
    find: "if (signal.aborted || isNamespaceTerminating(error)) throw error;",
    replace: "if (signal.aborted) throw error;",
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: failures are counted as successes",
    file: `${claims}/sync-made-claims.ts`,
    find: 'status: "failure"',
    replace: 'status: "success"',
    tests: syncs,
  },
  {
    name: "resourceclaim-controller: claims wait for the writes of their pods only",
    file: `${claims}/sync-claim.ts`,
    find: "if (context.letGo.has(claim.metadata.uid)) return {};",
    replace: "",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: a pod whose name the cache has seen another have loses its devices",
    file: `${claims}/sync-claim.ts`,
    find: `  if (known?.metadata.uid === pod.uid) return !isDone(known);
`,
    replace: `  if (known !== undefined) return known.metadata.uid === pod.uid && !isDone(known);
`,
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: a pod that no cache has seen loses its devices",
    file: `${claims}/sync-claim.ts`,
    find: "return (await readLive(context.podClient, { ...pod, namespace }, sync.signal)) !== undefined;",
    replace: "return false;",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: a claim is deallocated while others use it",
    file: `${claims}/sync-claim.ts`,
    find: "const isUnused = remaining.length === 0 && isHeld(claim);",
    replace: "const isUnused = isHeld(claim);",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: what others have allocated is deallocated",
    file: `${claims}/sync-claim.ts`,
    find: "const isUnused = remaining.length === 0 && isHeld(claim);",
    replace: "const isUnused = remaining.length === 0;",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: a claim that was deleted unused stays for ever",
    file: `${claims}/sync-claim.ts`,
    find: "else if (remaining.length === 0 && isLeaving(claim) && isHeld(claim))",
    replace:
      "else if (remaining.length === 0 && isLeaving(claim) && isHeld(claim) && reservedFor.length > 0)",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: claims that nobody uses yet are deallocated",
    file: `${claims}/sync-claim.ts`,
    find: "else if (remaining.length === 0 && isLeaving(claim) && isHeld(claim))",
    replace: "else if (remaining.length === 0 && isHeld(claim))",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: the claim of a pod that may need it goes",
    file: `${claims}/sync-claim.ts`,
    find: "if (isNeeded) return;",
    replace: "if (isNeeded && claim.status?.allocation !== undefined) return;",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: claims for extended resources are forgotten",
    file: `${claims}/claim-use.ts`,
    find: "[...claimNamesOf(pod), resourceClaimName]",
    replace: "claimNamesOf(pod)",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: pods that are gone wake nobody",
    file: `${claims}/handlers.ts`,
    find: 'if (type !== "deleted" && !isDone(pod)) return;',
    replace: 'if (type === "deleted" || !isDone(pod)) return;',
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: a claim whose creation nobody was told of outlives its pod",
    file: `${claims}/handlers.ts`,
    find: "[...allClaimNames(pod), ...made]",
    replace: "[...allClaimNames(pod), ...made.slice(made.length)]",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: pods that were deleted before they had a node keep their claims",
    file: `${claims}/claim-use.ts`,
    find: "isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !isOnNode(pod))",
    replace: "isPodTerminal(pod)",
    tests: ofClaims,
  },
  {
    name: "resourceclaim-controller: groups that are gone keep what they have used",
    file: `${claims}/controller.ts`,
    find: "groups.wakes(claimQueue, goneGroupRule);",
    replace: "void goneGroupRule;",
    tests: ofGroups,
  },
  {
    name: "resourceclaim-controller: a group's claim is made for each of its pods",
    file: `${claims}/sync-made-claims.ts`,
    find: "if (known !== undefined || group !== undefined) return known?.metadata.name;",
    replace: "if (known !== undefined) return known.metadata.name;",
    tests: ofGroups,
  },
  {
    name: "resourceclaim-controller: pods are not woken when their group has its claim",
    file: `${claims}/controller.ts`,
    find: "podsWithWork(context, (key) => podsOfGroup(context, key)),",
    replace: "podsWithWork(context, (key) => podsOfGroup(context, key).slice(0, 0)),",
    tests: ofGroups,
  },
  {
    name: "resourceclaim-controller: a group's claim is reserved for its pods",
    file: `${claims}/sync.ts`,
    find: 'ofGroup ? consumerOf(group, "podgroups") : consumerOf(pod, "pods")',
    replace: 'consumerOf(pod, "pods")',
    tests: ofGroups,
  },
  {
    name: "resourceclaim-controller: claims that are gone stay in the metrics",
    file: `${claims}/metrics.ts`,
    find: "known.reset();",
    replace: "",
    tests: [`${claims}/metrics.test.ts`],
  },
  {
    name: "resourceclaim-controller: claims for extended resources are counted as those of templates",
    file: `${claims}/metrics.ts`,
    find: 'return "extended_resource";',
    replace: 'return "resource_claim_template";',
    tests: [`${claims}/metrics.test.ts`],
  },
];

const done: readonly Mutant[] = [
  {
    name: "resourceclaim-controller: claims are made and reserved again for pods that are done",
    file: `${claims}/claim-use.ts`,
    find: "pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod)",
    replace: "pod.metadata.deletionTimestamp === undefined",
    tests: ofClaims,
  },
];

const taints = "controllers/devicetainteviction";
const evictions = [`${taints}/sync.test.ts`];
const rules = [`${taints}/rules.test.ts`];
const plans = [`${taints}/eviction-plan.test.ts`];

const deviceTaintMutants: readonly Mutant[] = [
  {
    name: "device-taint-eviction-controller: claims for extended resources are not looked at",
    file: `${taints}/eviction-plan.ts`,
    find: "if (extended !== undefined) wanted.push",
    replace: "if (extended === pod.metadata.uid) wanted.push",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods without claims of their own are not looked at",
    file: `${taints}/eviction-plan.ts`,
    find: "(pod.spec?.resourceClaims ?? []).length > 0 || pod.status?.extendedResourceClaimStatus !== undefined",
    replace: "(pod.spec?.resourceClaims ?? []).length > 0",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods are evicted for claims that are reserved for others",
    file: `${taints}/eviction-plan.ts`,
    find: "return isReservedForPod(pod, found, withGroups) ? [found] : [];",
    replace: "return [found];",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods are evicted for the claims of others that their status names",
    file: `${taints}/eviction-plan.ts`,
    find: "if (found === undefined || (isMade && !isClaimForPod(pod, found, withGroups))) return [];",
    replace: "if (found === undefined) return [];",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods that have ended are deleted",
    file: `${taints}/eviction-plan.ts`,
    find: "if (isPodTerminal(pod)) return undefined;",
    replace: "void isPodTerminal;",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: who tolerates all effects is evicted",
    file: `${taints}/eviction-plan.ts`,
    find: 'if (effect !== "" && effect !== taint.effect) return false;',
    replace: "if (effect !== taint.effect) return false;",
    tests: plans,
  },
  {
    name: "device-taint-eviction-controller: the longest of several times counts",
    file: `${taints}/eviction-plan.ts`,
    find: "least = Math.min(least ?? Infinity, seconds);",
    replace: "least = Math.max(least ?? 0, seconds);",
    tests: plans,
  },
  {
    name: "device-taint-eviction-controller: a toleration without a time is over at once",
    file: `${taints}/eviction-plan.ts`,
    find: "if (tolerationSeconds === undefined) return undefined;",
    replace: "if (tolerationSeconds === undefined) continue;",
    tests: plans,
  },
  {
    name: "device-taint-eviction-controller: of two devices the last time counts",
    file: `${taints}/eviction-plan.ts`,
    find: "dueMs = Math.min(dueMs, other.dueMs);",
    replace: "dueMs = Math.max(dueMs, other.dueMs);",
    tests: plans,
  },
  {
    name: "device-taint-eviction-controller: slices of old generations count",
    file: `${taints}/device-taints.ts`,
    find: "return slices.filter(({ spec }) => BigInt(spec.pool.generation) === newest);",
    replace: "return slices.filter(() => newest !== undefined);",
    tests: [...evictions, ...rules],
  },
  {
    name: "device-taint-eviction-controller: a newer slice does not bring users of older ones to mind",
    file: `${taints}/device-taints.ts`,
    find: "for (const other of others) for (const name of evictingTaints(other).keys()) changed.add(name);",
    replace: "void others;",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: every change of a slice wakes all users",
    file: `${taints}/device-taints.ts`,
    find: "if (!isSameGeneration || !semanticEqual(old.get(name), next.get(name))) changed.add(name);",
    replace: "changed.add(name);",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: a taint that goes wakes nobody",
    file: `${taints}/device-taints.ts`,
    find: "for (const name of [...old.keys(), ...next.keys()])",
    replace: "for (const name of next.keys())",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: rules of other pools count",
    file: `${taints}/device-taints.ts`,
    find: "(selector.pool === undefined || selector.pool === device.pool) &&",
    replace: "",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: rules wake nobody",
    file: `${taints}/controller.ts`,
    find: "ofRules.rules.wakes(podQueue, ruleRule(context));",
    replace: "void ruleRule;",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: claims wake nobody",
    file: `${taints}/controller.ts`,
    find: "claims.wakes(podQueue, claimRule(context));",
    replace: "void claimRule;",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: a claim that is taken from a pod does not wake it",
    file: `${taints}/handlers.ts`,
    find: "wakeUsers(context, before, wake, claim);",
    replace: "",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods that come to a node are not looked at",
    file: `${taints}/handlers.ts`,
    find: "before.spec?.nodeName === after.spec?.nodeName &&",
    replace: "",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: pods that go by themselves are told that they may stay",
    file: `${taints}/sync.ts`,
    find: "if (planned.delete(uid) && pod.metadata.deletionTimestamp === undefined) tellOfCancelling(context, pod);",
    replace: "if (planned.delete(uid)) tellOfCancelling(context, pod);",
    tests: evictions,
  },
  {
    name: "device-taint-eviction-controller: who goes already is deleted again",
    file: `${taints}/sync.ts`,
    find: "if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return {};",
    replace: "if (pod === undefined) return {};",
    tests: evictions,
    also: {
      file: `${taints}/eviction-plan.ts`,
      find: " || pod.metadata.deletionTimestamp !== undefined) return undefined;",
      replace: ") return undefined;",
    },
  },
  {
    name: "device-taint-eviction-controller: rules do not tell how far they are",
    file: `${taints}/sync.ts`,
    find: "if (rules.has(rule.metadata.uid)) ruleQueue?.addAfter(keyOf(rule), STATUS_PERIOD_MS);",
    replace: "void [keyOf(rule), ruleQueue, STATUS_PERIOD_MS];",
    tests: rules,
  },
  {
    name: "device-taint-eviction-controller: rules tell at every change",
    file: `${taints}/rule-status.ts`,
    find: "return sinceMs < STATUS_PERIOD_MS ? STATUS_PERIOD_MS - sinceMs : undefined;",
    replace: "return sinceMs < 0 ? STATUS_PERIOD_MS - sinceMs : undefined;",
    tests: rules,
  },
  {
    name: "device-taint-eviction-controller: a rule that is about something else waits before it says so",
    file: `${taints}/rule-status.ts`,
    find: "told.observedGeneration !== rule.metadata.generation",
    replace: "rule.metadata.generation === undefined",
    tests: rules,
  },
  {
    name: "device-taint-eviction-controller: rules are written again and again",
    file: `${taints}/rule-status.ts`,
    find: "return isSame ? undefined : next;",
    replace: "return next;",
    tests: rules,
  },
  {
    name: "device-taint-eviction-controller: what a rule has done is told of the next of its name",
    file: `${taints}/sync-rule.ts`,
    find: "evicted: evicted.get(rule.metadata.uid) ?? 0",
    replace: "evicted: [...evicted.values()][0] ?? 0",
    tests: rules,
    also: {
      file: `${taints}/controller.ts`,
      find: 'if (type === "deleted") ofRules.evicted.delete(object.metadata.uid);',
      replace: 'if (type === "deleted") ofRules.evicted.get(object.metadata.uid);',
    },
  },
  {
    name: "device-taint-eviction-controller: rules evict where they are off",
    file: `${taints}/context.ts`,
    find: "features.enabled(RULES_GATE) ? ruleContext(kit) : undefined",
    replace:
      "features.enabled(RULES_GATE) || features.enabled(GROUPS_GATE) !== undefined ? ruleContext(kit) : undefined",
    tests: rules,
  },
];

export const deviceMutants: readonly Mutant[] = [
  ...madeClaimMutants,
  ...resourceClaimMutants,
  ...done,
  ...deviceTaintMutants,
];
