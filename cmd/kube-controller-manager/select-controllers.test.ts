import { describe, expect, test } from "vitest";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { type KnownController, knownControllers } from "./known-controllers.ts";
import { selectControllers } from "./select-controllers.ts";

const table: readonly KnownController[] = [
  { name: "job-controller", alias: "job" },
  { name: "cronjob-controller", alias: "cronjob" },
  { name: "token-cleaner-controller", alias: "tokencleaner", offByDefault: true },
  { name: "svm-controller", gates: ["StorageVersionMigrator"] },
  { name: "service-lb-controller", alias: "service", cloudOnly: true },
  { name: "hpa-controller" },
  { name: "addresses-controller", needs: "allocate-node-cidrs" },
  { name: "sweeping-controller", offSwitch: "enable-sweeping" },
];
const notBuilt = new Set(["hpa-controller", "addresses-controller", "sweeping-controller"]);
const built = (name: string): boolean => !notBuilt.has(name);

describe("--controllers", () => {
  test.each<[items: string, run: string]>([
    ["*", "job-controller cronjob-controller"],
    ["*,-job", "cronjob-controller"],
    ["-job,*", "cronjob-controller"],
    ["job", "job-controller"],
    ["job-controller,-job", "job-controller"],
    ["-job,job-controller", ""],
    ["*,tokencleaner", "job-controller cronjob-controller token-cleaner-controller"],
    ["", ""],
    ["-job", ""],
    ["service", ""],
    ["-*", ""],
    ["-*,job", "job-controller"],
    ["*,-*,-job", "cronjob-controller"],
  ])("%j runs %j", (items, run) => {
    const selection = selectControllers(items === "" ? [] : items.split(","), table, built, featureGates());
    expect(selection.run.join(" ")).toBe(run);
  });

  test("says of what is on but does not run why", () => {
    expect(selectControllers(["*"], table, built, featureGates()).skipped).toEqual([
      { name: "svm-controller", reason: "feature gate StorageVersionMigrator is off" },
      { name: "service-lb-controller", reason: "runs in the cloud controller manager" },
      { name: "hpa-controller", reason: "not built yet" },
      { name: "addresses-controller", reason: "--allocate-node-cidrs is not given" },
      { name: "sweeping-controller", reason: "--enable-sweeping is false" },
    ]);
    // As upstream, which says nothing.
    for (const name of ["addresses-controller", "sweeping-controller"])
      expect(selectControllers([name], table, built, featureGates()).run).toEqual([]);
  });

  test("-* leaves none that is not named, whatever rules it", () => {
    const ruled: readonly KnownController[] = [{ name: "keyed-controller", ruledBy: "key-file" }];
    const run = (...items: string[]): readonly string[] =>
      selectControllers(items, ruled, () => true, featureGates()).run;
    expect([run("-*"), run("-*", "keyed-controller")]).toEqual([[], ["keyed-controller"]]);
  });

  test.each([["*"], ["-keyed"], ["keyed-controller"], [""]])(
    "%j leaves one that a flag rules to it",
    (item) => {
      const ruled: readonly KnownController[] = [
        { name: "keyed-controller", alias: "keyed", ruledBy: "key-file" },
      ];
      const selected = (isBuilt: boolean): ReturnType<typeof selectControllers> =>
        selectControllers(item === "" ? [] : [item], ruled, () => isBuilt, featureGates());
      expect(selected(true)).toEqual({ run: ["keyed-controller"], skipped: [] });
      expect(selected(false)).toEqual({
        run: [],
        skipped: [{ name: "keyed-controller", reason: "--key-file is not given" }],
      });
    },
  );

  test("a gate that is on lets its controller run", () => {
    const gates = featureGates({ StorageVersionMigrator: true });
    expect(selectControllers(["svm-controller"], table, built, gates).run).toEqual(["svm-controller"]);
  });

  test.each([
    ["-jobs", '"jobs" is not a controller (is it job-controller?)'],
    ["hpa", '"hpa" is not a controller (is it hpa-controller?)'],
    ["Job-Controller", '"Job-Controller" is not a controller (is it job-controller?)'],
    ["tokenclaner", '"tokenclaner" is not a controller (is it token-cleaner-controller?)'],
    ["nope", '"nope" is not a controller'],
    ["-", '"" is not a controller'],
  ])("the unknown name %s is refused in one line, with the nearest ones", (item, message) => {
    expect(() => selectControllers(["*", item], table, built, featureGates())).toThrow(
      `--controllers: ${message}`,
    );
  });

  test("a controller that is asked for by name but not built is refused", () => {
    expect(() => selectControllers(["*", "hpa-controller"], table, built, featureGates())).toThrow(
      "--controllers: hpa-controller cannot be run: not built yet",
    );
  });
});

test("the table knows the 52 controllers of v1.36, with 3 off by default and 3 of the cloud's", () => {
  expect(knownControllers.length).toBe(52);
  expect(new Set(knownControllers.flatMap(({ name, alias }) => [name, alias ?? name])).size).toBe(52 + 42);
  expect(knownControllers.filter((controller) => controller.offByDefault).length).toBe(3);
  expect(knownControllers.filter((controller) => controller.cloudOnly).length).toBe(3);
  const gates = featureGates();
  for (const { gates: needed = [] } of knownControllers) for (const gate of needed) gates.enabled(gate);
});
