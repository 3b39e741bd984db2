import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Container, PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import {
  FAILURES_ANNOTATION,
  IGNORED_FAILURES_ANNOTATION,
  ignoredIndexFailures,
  INDEX_ANNOTATION,
  indexFailures,
  TRACKING_FINALIZER,
  type PodOfJob,
} from "./job-pods.ts";
import { hasLimitPerIndex, podFailurePolicy } from "./job-spec.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import type { Stored } from "../../pkg/api/object.ts";

const INDEX_ENV = "JOB_COMPLETION_INDEX";
/** The server appends five characters, and names of pods serve as host names of 63. */
const LONGEST_PREFIX = 58;

/** What a pod of the Job is made of. */
export function podTemplate(job: Stored<Job>): PodTemplateSpec {
  const template = job.spec?.template ?? {};
  const finalizers = template.metadata?.finalizers ?? [];
  if (finalizers.includes(TRACKING_FINALIZER)) return template;
  return { ...template, metadata: { ...template.metadata, finalizers: [...finalizers, TRACKING_FINALIZER] } };
}

/** The same for one index; `replaces` is the pod of it that failed last. */
export function podTemplateForIndex(
  job: Stored<Job>,
  index: number,
  replaces: PodOfJob | undefined,
): PodTemplateSpec {
  const template = podTemplate(job);
  const { labels, annotations } = template.metadata ?? {};
  const text = `${index}`;
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: { ...labels, [INDEX_ANNOTATION]: text },
      annotations: {
        ...annotations,
        [INDEX_ANNOTATION]: text,
        ...(hasLimitPerIndex(job) && failureAnnotations(job, replaces)),
      },
    },
    ...(template.spec && {
      spec: {
        ...template.spec,
        hostname: `${job.metadata.name}-${index}`,
        containers: template.spec.containers.map(withIndexVariable),
        ...(template.spec.initContainers && {
          initContainers: template.spec.initContainers.map(withIndexVariable),
        }),
      },
    }),
  };
}

/** E.g. "work-7-". The name of the Job is cut where it would be too long. */
export function podNamePrefixForIndex(job: Stored<Job>, index: number): string {
  const suffix = `-${index}-`;
  return `${job.metadata.name.slice(0, LONGEST_PREFIX - suffix.length)}${suffix}`;
}

function failureAnnotations(
  job: Stored<Job>,
  replaces: PodOfJob | undefined,
): Readonly<Record<string, string>> {
  if (replaces === undefined) return { [FAILURES_ANNOTATION]: "0" };
  const { counts } = judgeFailure(podFailurePolicy(job), replaces);
  const failures = indexFailures(replaces) + (counts ? 1 : 0);
  const ignored = ignoredIndexFailures(replaces) + (counts ? 0 : 1);
  return {
    [FAILURES_ANNOTATION]: `${failures}`,
    ...(ignored > 0 && { [IGNORED_FAILURES_ANNOTATION]: `${ignored}` }),
  };
}

/** A variable of that name that the user has set stays. */
function withIndexVariable(container: Container): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === INDEX_ENV)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${INDEX_ANNOTATION}']` };
  return { ...container, env: [...env, { name: INDEX_ENV, valueFrom: { fieldRef } }] };
}
