import { expect, test } from "vitest";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { indexFailures } from "./job-pods.ts";
import { podNamePrefixForIndex, podTemplate, podTemplateForIndex } from "./pod-template.ts";
import { indexed, job, pod } from "./samples.test-data.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";

// upstream: pkg/controller/job/indexed_job_utils_test.go#TestPodGenerateNameWithIndex
test.each([
  ["indexed-job", "indexed-job-1-"],
  ["hhhhhooooo".repeat(7), `${"hhhhhooooo".repeat(5)}hhhhh-1-`],
  [`${"hhhhhooooo".repeat(5)}hhhhhoo`, `${"hhhhhooooo".repeat(5)}hhhhh-1-`],
])("pods of %s are named %s", (name, prefix) => {
  expect(podNamePrefixForIndex(asStored<Job>({ ...job(), metadata: { name } }), 1)).toBe(prefix);
});

// upstream: pkg/controller/job/indexed_job_utils_test.go#TestGetIndexFailureCount
test.each([
  [undefined, 0],
  ["2", 2],
  ["2147483647", 2_147_483_647],
  ["2147483648", 0],
  ["-1", 0],
  ["xyz", 0],
])("an annotation of %s stands for %i failures", (failures, expected) => {
  expect(indexFailures(pod(failures === undefined ? {} : { failures }))).toBe(expected);
});

// upstream: pkg/controller/job/indexed_job_utils_test.go#TestGetNewIndexFailureCountValue
test.each<[string, Stored<Pod> | undefined, string, string | undefined]>([
  ["the first", undefined, "0", undefined],
  ["a first failure", pod({ failures: 0, phase: "Failed" }), "1", undefined],
  ["a later failure", pod({ failures: 3, phase: "Failed" }), "4", undefined],
  ["a failure that is ignored", pod({ failures: 3, phase: "Failed", exitCode: 5 }), "3", "1"],
])("the pod after %s says so", (_, replaced, failures, ignored) => {
  const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [5] } }];
  const subject = indexed(2, { backoffLimitPerIndex: 6, podFailurePolicy: { rules } });
  const { annotations = {} } = podTemplateForIndex(subject, 1, replaced).metadata ?? {};
  expect(annotations["batch.kubernetes.io/job-index-failure-count"]).toBe(failures);
  expect(annotations["batch.kubernetes.io/job-index-ignored-failure-count"]).toBe(ignored);
});

test("a pod has the finalizer once, and the user's variable of the index stays", () => {
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  const env = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
  const containers = [{ name: "a", env }, { name: "b" }];
  const subject = indexed(1, { template: { metadata: { finalizers }, spec: { containers } } });
  expect(podTemplate(subject).metadata?.finalizers).toEqual(finalizers);
  const made = podTemplateForIndex(subject, 0, undefined).spec?.containers ?? [];
  expect(made[0]?.env).toEqual(env);
  expect(made[1]?.env?.[0]?.valueFrom?.fieldRef?.fieldPath).toBe(
    "metadata.labels['batch.kubernetes.io/job-completion-index']",
  );
});
