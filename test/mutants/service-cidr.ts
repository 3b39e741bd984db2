import type { Mutant } from "./mutant.ts";

const dir = "controllers/servicecidr";
const TESTS = ["address-set", "service-ranges", "sync"].map((name) => `${dir}/${name}.test.ts`);

function row(name: string, file: string, [find, replace]: readonly [find: string, replace: string]): Mutant {
  return { name: `service-cidr: ${name}`, file: `${dir}/${file}.ts`, find, replace, tests: TESTS };
}

export const serviceCidrMutants: readonly Mutant[] = [
  row("the first address counts", "ranges", ["first: base + 1n,", "first: base,"]),
  row("the last address of IPv4 counts", "ranges", ['family === "IPv4" ? last - 1n : last', "last"]),
  row("the last address of IPv6 does not count", "ranges", [
    'family === "IPv4" ? last - 1n : last',
    "last - 1n",
  ]),
  row("families are mixed up", "ranges", ["cidr.family === family && first", "first"]),
  row("addresses of everybody count", "ranges", ["if (!isGiven(object)) return undefined;", ""]),
  row("of ranges in each other the last one counts", "ranges", [
    "if (first <= other.last) first = other.last + 1n;",
    "first = other.last + 1n;",
  ]),
  row("what is behind the others does not count", "ranges", [
    "first <= span.last ? [...left, { ...span, first }] : left",
    "left",
  ]),
  row("lists that are split lose their ends", "address-set", [
    "this.#lists.splice(place + 1, 0, list.splice(HALF))",
    "list.splice(HALF)",
  ]),
  row("lists that are empty stay", "address-set", [
    "if (list.length === 0) this.#lists.splice(place, 1);",
    "",
  ]),
  row("an address behind the span is found", "address-set", [
    "found !== undefined && found <= last ? found",
    "found !== undefined ? found",
  ]),
  row("addresses that go stay known", "service-ranges", [
    "this.#addresses[address.family].delete(address.value);",
    "void address.value;",
  ]),
  row("a range counts as another's", "service-ranges", [
    ".filter(([name]) => name !== ownName)",
    '.filter(([name]) => name !== "")',
  ]),
  row("one that is being deleted stays for nobody", "service-ranges", ["length < own.length || ", ""]),
  row("equal ones stay for each other", "service-ranges", [" && name > ownName", ""]),
  row("all others stay", "service-ranges", ["!this.#leaving.has(name) ||", "name !== '' ||"]),
  row("ranges that go stay known", "service-ranges", ["this.#ranges.delete(name);\n", ""]),
  row("all ranges are taken for such as are deleted", "service-ranges", [
    "if (deletionTimestamp !== undefined) this.#leaving.add(name);",
    "this.#leaving.add(deletionTimestamp === undefined ? name : name);",
  ]),
  row("ranges that come wake nobody else", "handlers", [
    "for (const name of ranges.leavingBeside(change.object)) wake(name);",
    "void ranges;",
  ]),
  row("ranges that change wake nobody else", "handlers", [
    'const before = change.type === "updated" ? change.before.spec?.cidrs : undefined;',
    'const before = change.type === "updated" ? change.object.spec?.cidrs : undefined;',
  ]),
  row("addresses that are nobody's any more wake nobody", "handlers", [
    "const address = now ?? before;",
    "const address = now;",
  ]),
  row("addresses wake nobody", "controller", ["addresses.wakes(queue, addressRule(context));", ""]),
  row("addresses are not followed", "controller", [
    "addresses.hears((change) => followAddress(change, context));",
    "",
  ]),
  row("who managed an address before does not count", "handlers", [
    'change.type === "updated" ? change.before : change.object);\n',
    "change.object);\n",
  ]),
  row("another account works", "controller", ['    clientName: "service-cidrs-controller",\n', ""]),
  row("events name no source", "controller", ['    eventSource: "service-cidr-controller",\n', ""]),
  row("the gate is forgotten", "controller", ['    featureGates: ["MultiCIDRServiceAllocator"],\n', ""]),
  row("nobody waits for API servers", "sync", ["GRACE_MS = 10_000", "GRACE_MS = 0"]),
  row("who waits is forgotten", "sync", ["return { requeueAfterMs };", "return {};"]),
  row("patches do not name the uid", "sync", ["{ uid: owner.metadata.uid, ...changes }", "{ ...changes }"]),
  row("applies do not name the uid", "sync", ["metadata: { name, uid }", "metadata: { name }"]),
  row("who is gone is an error", "sync", ["if (isRefusedAsGone(error)) return { backOff: true };", ""]),
  row("a refusal is told of though it is gone", "sync", ["if (!isRefusedAsGone(error))", ""]),
  row("errors are dropped", "sync", [
    "    if (isRefusedAsGone(error)) return { backOff: true };\n    throw error;",
    "    if (isRefusedAsGone(error)) return { backOff: true };\n    return {};",
  ]),
  row("applies name another manager", "sync", [
    'CONTROLLER = "service-cidr-controller"',
    'CONTROLLER = "service-cidrs-controller"',
  ]),
  row("the status is written each time", "sync", ["if (has(owner, wanted)) return;", "void has;"]),
  row("a condition of another status is the same", "conditions", ["current.status === wanted.status &&", ""]),
  row("a condition with another reason is the same", "conditions", [
    "current.reason === wanted.reason &&",
    "",
  ]),
  row("a condition in other words is the same", "conditions", [
    "&&\n    current.message === wanted.message",
    "",
  ]),
];
