import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import { REVISION, ROLLBACK_TO } from "./annotations.ts";
import { decideRollback, rollbackTarget } from "./rollback.ts";
import { deployment, replicaSet, template } from "./samples.test-data.ts";

const sets = [
  replicaSet("one", 0, {
    annotations: { [REVISION]: "1", cause: "create" },
    template: template("first", { foo: "bar", "pod-template-hash": "abc" }),
  }),
  replicaSet("two", 0, { annotations: { [REVISION]: "2" }, template: template("second") }),
  replicaSet("three", 1, { annotations: { [REVISION]: "3" } }),
];

describe("going back", () => {
  test.each<[string, string, string, string]>([
    ["to the revision before", "0", "second", "DeploymentRollback"],
    ["to one that is named", "1", "first", "DeploymentRollback"],
    ["to one that is not there", "9", "image", "DeploymentRollbackRevisionNotFound"],
    ["to the current one", "3", "image", "DeploymentRollbackTemplateUnchanged"],
  ])("%s", (_, target, image, reason) => {
    const owner = asking(target);
    const plan = decideRollback(asStored(owner), sets, rollbackTarget(asStored(owner)) ?? -1n);
    expect(plan.deployment.spec?.template.spec?.containers[0]?.image).toBe(image);
    expect(plan.deployment.spec?.template.metadata?.labels).toEqual({ foo: "bar" });
    expect(plan.deployment.metadata.annotations).not.toHaveProperty(ROLLBACK_TO);
    expect(plan.event.reason).toBe(reason);
    expect(plan.event.type).toBe(reason === "DeploymentRollback" ? "Normal" : "Warning");
  });

  test("to the revision before, when there is only one", () => {
    const plan = decideRollback(asStored(asking("0")), sets.slice(2), 0n);
    expect(plan.event).toEqual({
      type: "Warning",
      reason: "DeploymentRollbackRevisionNotFound",
      message: "Unable to find last revision.",
    });
  });

  test("tells apart revisions that doubles do not", () => {
    const near = [
      replicaSet("near", 0, { annotations: { [REVISION]: "9007199254740992" }, template: template("near") }),
      replicaSet("asked", 0, {
        annotations: { [REVISION]: "9007199254740993" },
        template: template("asked"),
      }),
    ];
    const owner = asking("9007199254740993");
    const plan = decideRollback(asStored(owner), near, rollbackTarget(asStored(owner)) ?? -1n);
    expect(plan.deployment.spec?.template.spec?.containers[0]?.image).toBe("asked");
    expect(plan.event.message).toBe('Rolled back deployment "foo" to revision 9007199254740993');
  });

  test("brings back the annotations of that time", () => {
    expect(decideRollback(asStored(asking("1")), sets, 1n).deployment.metadata.annotations).toEqual({
      cause: "create",
    });
  });

  test.each<[string, string | undefined, bigint | undefined]>([
    ["nobody asks", undefined, undefined],
    ["what is asked is no number", "soon", undefined],
    ["what is asked is empty", "", undefined],
    ["the one before is asked for", "0", 0n],
    ["a long one is asked for", "9007199254740993", 9007199254740993n],
    ["what is asked is too large", "9223372036854775808", undefined],
  ])("is looked for: %s", (_, text, expected) => {
    expect(rollbackTarget(asStored(asking(text)))).toBe(expected);
  });
});

function asking(target: string | undefined): Deployment {
  return deployment(target === undefined ? {} : { annotations: { [ROLLBACK_TO]: target } });
}
