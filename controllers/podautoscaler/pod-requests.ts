import { wrapInt64 } from "../../pkg/api/go-numbers.ts";
import { STEP, type Steps } from "../../pkg/api/steps.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { milliValueInt64 } from "../../pkg/api/quantity-int64.ts";
import { podRequests } from "../../pkg/api/quota/pod-requests.ts";
import type { CachedPod } from "./fields.ts";

type Spec = NonNullable<CachedPod["spec"]>;
type Container = Spec["containers"][number];

/** By name of the pod, in thousandths. */
export type Requests = ReadonlyMap<string, bigint>;

export interface RequestedOf {
  readonly resource: string;
  /** Only of the container with this name; of the whole pod without one. */
  readonly container?: string | undefined;
  readonly podLevelResources: boolean;
}

/** What the pods ask for; or what is wrong where one of them does not say. */
export function* requestsOf(pods: readonly CachedPod[], of: RequestedOf): Steps<Requests | string> {
  const requests = new Map<string, bigint>();
  for (const [index, pod] of pods.entries()) {
    const request = requestOf(pod, of);
    if (typeof request === "string") return request;
    requests.set(pod.metadata.name ?? "", request);
    if (index % STEP === 0) yield;
  }
  return requests;
}

function requestOf({ metadata: { name }, spec }: CachedPod, of: RequestedOf): bigint | string {
  const { resource, container, podLevelResources } = of;
  if (podLevelResources && container === undefined && spec !== undefined && asksAsAWhole(spec)) {
    const request = podRequests(spec).get(resource);
    return request === undefined
      ? `missing pod-level request for ${resource} in Pod ${name}`
      : milliValueInt64(request);
  }
  let sum = 0n;
  for (const each of runningContainers(spec)) {
    if (container !== undefined && container !== each.name) continue;
    const written = each.resources?.requests?.[resource];
    if (written === undefined)
      return `missing request for ${resource} in container ${each.name} of Pod ${name}`;
    sum = wrapInt64(sum + milliValueInt64(parseQuantity(written)));
    if (container !== undefined) return sum;
  }
  return container === undefined ? sum : `container ${container} not found in Pod ${name}`;
}

/** Init containers that go on running are at work beside the others. */
function runningContainers(spec: Spec | undefined): readonly Container[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(spec?.containers ?? []), ...sidecars];
}

function asksAsAWhole({ resources }: Spec): boolean {
  return Object.keys(resources?.requests ?? {}).some(
    (name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-"),
  );
}
