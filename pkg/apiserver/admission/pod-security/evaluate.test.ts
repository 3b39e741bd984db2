import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../../api/types/core-v1.gen.ts";
import { copyJson } from "../../../api/json-copy.ts";
import { allKinds } from "../../kinds/all-kinds.ts";
import type { Draft } from "../../kinds/kind.ts";
import type { CheckedPod } from "./check.ts";
import { describeViolations, violations } from "./evaluate.ts";
import type { Level } from "./policy.ts";

type Ranges = Partial<Record<Level, readonly (readonly [number, number])[]>>;

/** One of upstream's fixtures: by level the versions that allow and that refuse it, and how the real server says so. */
interface Fixture {
  readonly pod: Pod;
  readonly allowed: Ranges;
  readonly refused: Ranges;
  readonly messages: readonly { readonly level: Level; readonly version: number; readonly message: string }[];
}

const fixtures = JSON.parse(
  readFileSync(new URL("testdata/fixtures.gen.json", import.meta.url), "utf8"),
) as readonly Fixture[];

/** As the pod arrives at admission. */
function checked({ metadata, spec }: Pod): CheckedPod {
  const draft: Draft = { ...copyJson({ spec }), metadata: { ...metadata } };
  const rules = allKinds.find(({ resource }) => resource.plural === "pods");
  rules?.setDefaults?.(draft);
  rules?.prepareForCreate?.(draft, { nowMs: 0, user: "", subresource: "" });
  return { annotations: metadata?.annotations ?? {}, spec: (draft as Pod).spec ?? { containers: [] } };
}

const versionsOf = (ranges: Ranges): readonly (readonly [Level, number])[] =>
  Object.entries(ranges).flatMap(([level, list]) =>
    list.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => [level as Level, first + index] as const),
    ),
  );

describe("upstream's fixtures", () => {
  test("are judged as upstream judges them, in every version", () => {
    const wrong: string[] = [];
    let judged = 0;
    for (const [index, { pod, allowed, refused }] of fixtures.entries()) {
      const seen = checked(pod);
      for (const [level, version] of versionsOf(allowed)) {
        judged++;
        const found = violations({ level, version }, seen);
        if (found.length > 0)
          wrong.push(`${index}: ${level}:v1.${version} refuses: ${describeViolations(found)}`);
      }
      for (const [level, version] of versionsOf(refused)) {
        judged++;
        if (violations({ level, version }, seen).length === 0)
          wrong.push(`${index}: ${level}:v1.${version} allows ${JSON.stringify(pod.spec)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(4000);
  });

  test("are refused in the words of the real server", () => {
    const told = fixtures.flatMap(({ pod, messages }) =>
      messages.map(({ level, version, message }) => {
        const found = describeViolations(violations({ level, version }, checked(pod)));
        const said = `pods "p" is forbidden: violates PodSecurity "${level}:v1.${version}": ${found}`;
        return [said, message];
      }),
    );
    expect(told.map(([said]) => said)).toEqual(told.map(([, message]) => message));
    expect(told.length).toBeGreaterThan(200);
  });
});

test("a version to come is like the newest", () => {
  const pod: CheckedPod = { annotations: {}, spec: { containers: [], hostNetwork: true } };
  expect(violations({ level: "baseline", version: 99 }, pod)).toEqual(
    violations({ level: "baseline", version: Infinity }, pod),
  );
});
