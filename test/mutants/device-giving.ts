import { type Mutant, mutantsOf } from "./mutant.ts";

const selector = "pkg/cel/device-selector.ts";
const kinds = "pkg/apiserver/kinds/devices/device-kinds.ts";
const scheduler = "pkg/cluster/scheduler";
const hollow = "pkg/cluster/hollow";
const cel = mutantsOf("selectors of devices", ["pkg/cel/device-selector.test.ts"]);
const api = mutantsOf("selectors of devices", ["test/integration/api/device-selectors.test.ts"]);
const given = mutantsOf("devices that are given", ["test/integration/hollow-devices.test.ts"]);
const search = `${scheduler}/allocate-devices.ts`;
const searched = mutantsOf("devices that are looked for", [
  `${scheduler}/allocate-devices.test.ts`,
  `${scheduler}/pod-devices.test.ts`,
  `${scheduler}/bind-devices.test.ts`,
]);
const quotas = mutantsOf("quotas of devices", [
  "controllers/resourcequota/usage.test.ts",
  "test/integration/controllers/resourcequota-devices.test.ts",
]);

/** Selectors of devices, who gives devices to claims, and what quotas say of them. */
export const deviceGivingMutants: readonly Mutant[] = [
  cel("nothing has a name", selector, ", { withBind: true }", ""),
  cel(
    "an unknown domain is a mistake",
    selector,
    "readonly fallback = nothing;",
    "readonly other = nothing;",
  ),
  cel(
    "sizes of attributes are not known",
    selector,
    "at.element === attribute ? attribute : undefined",
    "at.element === quantity ? attribute : undefined",
  ),
  cel(
    "names without a domain are nobody's",
    selector,
    "slash < 0 ? driver : name.slice(0, slash)",
    "slash < 0 ? name : name.slice(0, slash)",
  ),
  cel(
    "attributes can be looped over",
    "pkg/cel/check.ts",
    "(isDynOrError(type) && type.name !== anyType.name)",
    "isDynOrError(type)",
  ),
  api(
    "costs are no reason",
    "pkg/apiserver/kinds/devices/selectors.ts",
    "else if (made.isTooComplex)",
    "else if (path === '')",
  ),
  api(
    "alternatives are not looked at",
    "pkg/apiserver/kinds/devices/selectors.ts",
    'items(request, "firstAvailable")',
    'items(request, "firstPossible")',
  ),
  api(
    "what a class becomes is not looked at",
    "pkg/apiserver/kinds/devices/selectors.ts",
    "sameValue(selectors, old) ? found",
    "sameValue([], []) || sameValue(selectors, old) ? found",
  ),
  api(
    "those of templates are not looked at",
    kinds,
    '(template) => selectorsOfClaim(descend(template, "spec", "spec"), "spec.spec")',
    '(template) => selectorsOfClaim(child(template, "spec"), "spec.spec")',
  ),
  given(
    "a device is given twice",
    `${scheduler}/scheduling.ts`,
    "deviceClaims.byIndex(CLAIMS_OF_DEVICE, device).length > 0",
    "deviceClaims.byIndex(CLAIMS_OF_DEVICE, device).length > 1",
  ),
  given(
    "claims are not held",
    `${scheduler}/bind-devices.ts`,
    "[...(claim.metadata.finalizers ?? []), CLAIM_FINALIZER]",
    "[...(claim.metadata.finalizers ?? [])].filter((each) => each !== CLAIM_FINALIZER)",
  ),
  searched(
    "a claim that a pod uses twice is allocated twice",
    `${scheduler}/pod-devices.ts`,
    "    if (isKnown) continue;\n",
    "    void isKnown;\n",
  ),
  given(
    "who shares a claim does not reserve it",
    `${scheduler}/pod-devices.ts`,
    "writes.push({ claim, status: { ...claim.status, reservedFor: [...reservedFor, consumer] } });",
    "void reservedFor;",
  ),
  given(
    "selectors of classes are not asked",
    `${scheduler}/pod-devices.ts`,
    "...(found.spec.selectors ?? []), ",
    "",
  ),
  given(
    "tainted devices are given",
    `${scheduler}/device-filter.ts`,
    "untoleratedTaint(device.taints, tolerations, KEEPS_OUT) === undefined",
    "untoleratedTaint([], tolerations, KEEPS_OUT) === undefined",
  ),
  given(
    "slices of before stay",
    `${hollow}/device-publisher.ts`,
    "else await this.#writes.remove(sync, slice);",
    "",
  ),
  given(
    "nobody publishes",
    "pkg/cluster/plant.ts",
    "left.awaitsDevices ? [hollowDevices()] : []",
    "left.awaitsDevices ? [] : [hollowDevices()]",
  ),
  given(
    "a failed selector fails the scheduler",
    `${scheduler}/pod-devices.ts`,
    "if (error instanceof EvaluationError) return",
    "if (error instanceof TypeError) return",
  ),
  searched("a claim gets any number", search, " || this.#chosen.length === MOST_RESULTS", ""),
  searched("what is hard to find is looked for to the end", search, "++this.#steps > MOST_STEPS || ", ""),
  searched("what was tried stays taken", search, "this.#giveBack(before);\n    }", "void before;\n    }"),
  searched("some of all are enough", search, "all.every((candidate)", "all.some((candidate)"),
  searched("all of nothing will do", search, "all.length > 0 && ", ""),
  searched("slices that are yet to come do not matter", search, "if (this.#lacksSlices) return false;", ""),
  searched("constraints are of all requests", search, "if (!isNamed(requests, asked)) return true;", ""),
  searched("what is not there is alike", search, "if (value === undefined) return false;", ""),
  searched(
    "attributes without a domain are everybody's",
    search,
    "(domain === driver ? attributes[name] : undefined)",
    "(domain === '' ? undefined : attributes[name])",
  ),
  searched(
    "alternatives have the name of their request",
    `${scheduler}/pod-devices.ts`,
    "name: `${request}/${each.name}`",
    "name: `${request}`",
  ),
  searched(
    "devices of a pod's own claims are not taken",
    `${scheduler}/pod-devices.ts`,
    "picked.has(key) || isTaken(key)",
    "isTaken(key)",
  ),
  searched(
    "devices of everywhere are of one node",
    `${scheduler}/pod-devices.ts`,
    "spec.allNodes !== true &&",
    "",
  ),
  searched(
    "old slices count",
    `${scheduler}/node-devices.ts`,
    "spec.pool.generation >= newest",
    "spec.pool.generation <= newest",
  ),
  searched(
    "halves of pools are given",
    `${scheduler}/node-devices.ts`,
    "if (isComplete) return usable;",
    "if (isComplete || usable.length > 0) return usable;",
  ),
  mutantsOf("devices that are looked for", [`${scheduler}/scheduling.test.ts`])(
    "what happens while a pod is looked at is forgotten",
    `${scheduler}/scheduling.ts`,
    "this.#waiting.add(key);",
    "void key;",
  ),
  searched(
    "devices of claims that were refused stay taken",
    `${scheduler}/bind-devices.ts`,
    "inFlight.end(left);",
    "void left;",
  ),
  quotas(
    "what is counted has one name",
    "controllers/resourcequota/usage.ts",
    "const used = isForeign ? names : limits;",
    "const used = names;",
  ),
  quotas(
    "what is admitted has one name",
    "pkg/apiserver/admission/resource-quota.ts",
    "old), hard.keys());",
    "old), names);",
  ),
];
