import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { newRevision, templateData } from "../../pkg/api/controller-revision.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { withTemplateDefaults } from "../../pkg/api/defaults/pod-template.ts";
import { newPod } from "./new-pod.ts";
import { currentRevision, decideRevision, decideTruncation, restoredTemplate } from "./revisions.ts";
import { changed, podOf, statefulSet, withImage } from "./samples.test-data.ts";

function revisionOf(set: Stored<StatefulSet>, revision: number): Stored<ControllerRevision> {
  const template = set.spec?.template ?? {};
  return asStored(
    newRevision({
      owner: set,
      ownerResource: resources.statefulSets,
      labels: template.metadata?.labels ?? {},
      annotations: {},
      data: templateData(template),
      revision,
      collisionCount: 0,
    }),
  );
}

const first = statefulSet("foo", 3);
const second = withImage(first, "foo");
const third = withImage(first, "bar");
const [one, two, three] = [revisionOf(first, 1), revisionOf(second, 2), revisionOf(third, 3)];
const atFirst = asStored<StatefulSet>({
  ...second,
  status: { replicas: 3, ...(one?.metadata.name && { currentRevision: one.metadata.name }) },
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetControl_getSetRevisions
describe("the revision that a StatefulSet asks for", () => {
  test.for<
    [string, Stored<StatefulSet>, readonly Stored<ControllerRevision>[], string, string | undefined, number]
  >([
    ["is made when there is none", first, [], "create", one?.metadata.name, 1],
    ["is made for a new template", atFirst, [one], "create", two?.metadata.name, 2],
    ["stays for the same template", atFirst, [one, two], "keep", two?.metadata.name, 2],
    [
      "is an earlier one again, under a new number",
      atFirst,
      [one, two, three],
      "renumber",
      two?.metadata.name,
      4,
    ],
  ])("%s", ([_name, set, history, action, name, number]) => {
    const plan = decideRevision(asStored(set), history, withTemplateDefaults);
    expect(plan.action).toBe(action);
    expect(plan.revision.metadata.name).toBe(name);
    expect(plan.action === "renumber" ? plan.number : plan.revision.revision).toBe(number);
  });

  test("is the last of several that hold the same", () => {
    const again = { ...two, metadata: { ...two.metadata, name: "again" }, revision: 3 };
    const plan = decideRevision(asStored(atFirst), [one, two, again], withTemplateDefaults);
    expect(plan).toMatchObject({ action: "keep", revision: { metadata: { name: "again" } } });
  });

  test("has the StatefulSet's annotations, the template's labels, and a name of its own after collisions", () => {
    const noted: Stored<StatefulSet> = {
      ...first,
      metadata: { ...first.metadata, annotations: { note: "x" } },
    };
    const collided: Stored<StatefulSet> = { ...noted, status: { replicas: 0, collisionCount: 1 } };
    const [plain, other] = [noted, collided].map(
      (set) => decideRevision(asStored(set), [], undefined).revision.metadata,
    );
    expect(plain).toMatchObject({ annotations: { note: "x" }, labels: { foo: "bar" } });
    expect(other?.name).not.toBe(plain?.name);
  });

  test("is current as long as the status names it and it exists", () => {
    expect(currentRevision(asStored(atFirst), [one, two])).toBe(one);
    expect(currentRevision(asStored(atFirst), [two])).toBeUndefined();
    expect(currentRevision(first, [one, two])).toBeUndefined();
  });
});

// upstream: pkg/controller/statefulset/stateful_set_compatibility_test.go#TestStatefulSetCompatibility
describe("a revision that another version has written", () => {
  const template: PodTemplateSpec = withTemplateDefaults({
    metadata: { labels: { foo: "bar" } },
    spec: { containers: [{ name: "nginx", image: "nginx" }] },
  });
  const set = changed(first, { template });
  const { dnsPolicy: _, ...undefaulted } = template.spec ?? { containers: [] };
  const written = (data: unknown, revision = 1): Stored<ControllerRevision> => ({ ...one, data, revision });
  const latest = written(templateData(template), 2);
  const nulled = written({
    spec: {
      template: {
        ...template,
        metadata: { ...template.metadata, creationTimestamp: null },
        $patch: "replace",
      },
    },
  });
  const sparse = written({ spec: { template: { ...template, spec: undefaulted, $patch: "replace" } } });
  const other = written(templateData({ ...template, spec: { ...undefaulted, dnsPolicy: "Default" } }));

  test.each<[string, readonly Stored<ControllerRevision>[], string]>([
    ["with nothing spelled out is the same", [nulled], "keep"],
    ["in the same bytes is the same", [latest], "keep"],
    ["and one in this version's bytes: the latter", [nulled, latest], "keep"],
    ["without a field that has its default is the same", [sparse], "keep"],
    ["with another value is not", [other], "create"],
    ["that is not the latest is not looked at", [nulled, { ...other, revision: 2 }], "create"],
  ])("%s", (_name, history, action) => {
    const plan = decideRevision(set, history, withTemplateDefaults);
    expect(plan.action).toBe(action);
    if (action === "keep") expect(plan.revision).toBe(history.at(-1));
  });

  test("counts as another where meaning is not compared", () => {
    expect(decideRevision(set, [nulled], undefined).action).toBe("create");
    expect(decideRevision(set, [latest], undefined).action).toBe("keep");
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestCreateApplyRevision, #TestRollingUpdateApplyRevision
describe("a revision brings its template back", () => {
  test("whatever the StatefulSet's own is by then", () => {
    expect(restoredTemplate(third, asStored(one))).toEqual(first.spec?.template);
    expect(restoredTemplate(third, asStored(two))).toEqual(second.spec?.template);
    expect(restoredTemplate(second, asStored(two))).toEqual(second.spec?.template);
  });

  test("without what only the newer one has", () => {
    const richer = changed(first, {
      template: {
        ...first.spec?.template,
        spec: { containers: [{ name: "nginx", image: "nginx", env: [{ name: "foo", value: "bar" }] }] },
      },
    });
    expect(restoredTemplate(richer, asStored(one))).toEqual(first.spec?.template);
    expect(
      newPod(richer, restoredTemplate(richer, asStored(one)), "rev", 0).spec?.containers[0],
    ).not.toHaveProperty("env");
  });
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetHonorRevisionHistoryLimit,
// #TestStatefulSetControlLimitsHistory
describe("of a history of three", () => {
  const history = [one, two, three];
  const names = [three.metadata.name];
  test.each<[string, number, readonly string[], readonly (string | undefined)[]]>([
    ["nothing goes below the limit", 2, [], []],
    ["the oldest goes above it", 1, [], [one.metadata.name]],
    ["all that are unused go without any", 0, [], [one.metadata.name, two.metadata.name]],
    ["what a pod has stays, beside the limit", 0, [one.metadata.name ?? ""], [two.metadata.name]],
    ["and does not count", 1, [one.metadata.name ?? ""], []],
    ["a limit below zero keeps all", -1, [], []],
  ])("%s", (_name, revisionHistoryLimit, ofPods, gone) => {
    const set = changed(third, { revisionHistoryLimit });
    const pods = ofPods.map((revision, ordinal) => podOf(set, ordinal, { revision }));
    expect(decideTruncation(set, history, { pods, names }).map(({ metadata }) => metadata.name)).toEqual(
      gone,
    );
  });
});
