import { expect, test } from "vitest";
import { leaderMigrationOf, readLeaderMigration } from "./leader-migration-file.ts";
import { assembleOptions, parseArguments } from "./parse.ts";

const file = (version: string, ...lines: string[]): string =>
  [
    `apiVersion: controllermanager.config.k8s.io/${version}`,
    "kind: LeaderMigrationConfiguration",
    ...lines,
  ].join("\n");

test.each([
  ["v1alpha1", ["leaderName: test", "resourceLock: leases", "controllerLeaders: []"]],
  ["v1beta1", ["leaderName: test", "resourceLock: leases", "controllerLeaders: []"]],
  ["v1", ["leaderName: test", "controllerLeaders: []"]],
  ["v1", ["leaderName: test"]],
])("a file of version %s without controllers: %j", (version, lines) => {
  expect(readLeaderMigration(file(version, ...lines))).toEqual({ leaderName: "test", controllerLeaders: [] });
});

test("controllers are read with the component that runs them", () => {
  const text = file(
    "v1",
    "leaderName: test",
    "controllerLeaders:",
    '- {name: route-controller, component: "*"}',
    "- {name: node-ipam-controller, component: kube-controller-manager}",
  );
  expect(readLeaderMigration(text).controllerLeaders).toEqual([
    { name: "route-controller", component: "*" },
    { name: "node-ipam-controller", component: "kube-controller-manager" },
  ]);
});

test.each([
  ["an empty file", "", "the input is empty"],
  ["a list", "[]", "must hold one object"],
  [
    "another kind",
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration",
    "must be of apiVersion",
  ],
  ["another version", file("v2", "leaderName: test"), "must be of apiVersion"],
  ["an unknown field", file("v1", "leaderName: test", "foo: bar"), "unknown field foo"],
  ["a lock in v1", file("v1", "leaderName: test", "resourceLock: leases"), "unknown field resourceLock"],
  ["a field twice", file("v1", "leaderName: a", "leaderName: b"), "duplicated mapping key"],
  ["no name", file("v1", "controllerLeaders: []"), "leaderName must be set"],
  ["an empty name", file("v1", 'leaderName: ""'), "leaderName must be set"],
  ["a name of another type", file("v1", "leaderName: 7"), "leaderName must be a string"],
  ["no lock", file("v1beta1", "leaderName: a"), "resourceLock must be leases"],
  ["an unknown lock", file("v1beta1", "leaderName: a", "resourceLock: x"), "resourceLock must be leases"],
  ["the old lock", file("v1beta1", "leaderName: a", "resourceLock: endpoints"), "does not exist any more"],
  ["no list", file("v1", "leaderName: a", "controllerLeaders: {}"), "controllerLeaders must be a list"],
  [
    "no object",
    file("v1", "leaderName: a", "controllerLeaders: [a]"),
    "controllerLeaders[0] must be an object",
  ],
  [
    "a controller without component",
    file("v1", "leaderName: a", "controllerLeaders: [{name: a}]"),
    "controllerLeaders[0].component must be set",
  ],
  [
    "a controller without name",
    file("v1", "leaderName: a", "controllerLeaders: [{component: a}]"),
    "controllerLeaders[0].name must be set",
  ],
  [
    "an unknown field of a controller",
    file("v1", "leaderName: a", 'controllerLeaders: [{name: a, component: "*", x: 1}]'),
    "unknown field controllerLeaders[0].x",
  ],
])("%s is refused", (_what, text, message) => {
  expect(() => readLeaderMigration(text)).toThrow(message);
});

const read = (...argv: string[]) =>
  leaderMigrationOf(assembleOptions(parseArguments(argv).given), () => file("v1", "leaderName: from-file"));

test("nothing migrates unless migration and leader election are both on", () => {
  expect(read("--leader-migration-config=x")).toBeUndefined();
  expect(read("--enable-leader-migration", "--leader-elect=false")).toBeUndefined();
});

test("the default names the controllers of cloud providers, and a file goes before it", () => {
  expect(read("--enable-leader-migration")).toEqual({
    leaderName: "cloud-provider-extraction-migration",
    controllerLeaders: [
      { name: "route-controller", component: "*" },
      { name: "service-controller", component: "*" },
      { name: "cloud-node-lifecycle-controller", component: "*" },
    ],
  });
  expect(read("--enable-leader-migration", "--leader-migration-config=x")?.leaderName).toBe("from-file");
});

test("a file that cannot be read is named in one line", () => {
  const options = assembleOptions(
    parseArguments(["--enable-leader-migration", "--leader-migration-config=/nowhere"]).given,
  );
  const readNothing = (): string => {
    throw new Error("ENOENT: no such file");
  };
  expect(() => leaderMigrationOf(options, readNothing)).toThrow(
    "--leader-migration-config /nowhere: ENOENT: no such file",
  );
});
