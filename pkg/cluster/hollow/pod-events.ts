import { keyOf } from "../../api/object.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../api/types/core-v1.gen.ts";
import { pullProblem } from "./image-pull.ts";

/** What a kubelet tells of a pod. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The part of the pod that it is about. */
  readonly fieldPath: string;
}

/** Whether the node has the image already; from then on it has it. */
export type ImageLookup = (image: string) => boolean;

/** The events of what has happened between the pod's status and this one, in the order and words of a kubelet. */
export function eventsBetween(pod: Pod, after: PodStatus, hasImage: ImageLookup): readonly PodEvent[] {
  const { spec, status } = pod;
  const events: PodEvent[] = [];
  const follow = (
    field: string,
    containers: readonly Container[] = [],
    before: readonly ContainerStatus[] = [],
    now: readonly ContainerStatus[] = [],
  ): void => {
    for (const container of containers) {
      const [was, is] = [before, now].map((all) => all.find(({ name }) => name === container.name));
      if (is === undefined) continue;
      const fieldPath = `${field}{${container.name}}`;
      for (const event of containerEvents(pod, container, { was, is }, hasImage))
        events.push({ ...event, fieldPath });
    }
  };
  follow(
    "spec.initContainers",
    spec?.initContainers,
    status?.initContainerStatuses,
    after.initContainerStatuses,
  );
  follow("spec.containers", spec?.containers, status?.containerStatuses, after.containerStatuses);
  return events;
}

/** A pod that is being deleted: all that runs is told to end. */
export function killEvents({ spec, status }: Pod): readonly PodEvent[] {
  const running = (status?.containerStatuses ?? []).filter(({ state }) => state?.running !== undefined);
  return (spec?.containers ?? [])
    .filter(({ name }) => running.some((one) => one.name === name))
    .map(({ name }) => ({
      type: "Normal",
      reason: "Killing",
      message: `Stopping container ${name}`,
      fieldPath: `spec.containers{${name}}`,
    }));
}

type Said = Omit<PodEvent, "fieldPath">;

interface Transition {
  readonly was: ContainerStatus | undefined;
  readonly is: ContainerStatus;
}

const normal = (reason: string, message: string): Said => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): Said => ({ type: "Warning", reason, message });

function containerEvents(
  pod: Pod,
  container: Container,
  { was, is }: Transition,
  hasImage: ImageLookup,
): readonly Said[] {
  const image = container.image ?? "";
  const started = hasStarted(was, is) ? startEvents(container, hasImage) : [];
  const reason = is.state?.waiting?.reason;
  if (reason === undefined || reason === was?.state?.waiting?.reason) return started;
  switch (reason) {
    case "ErrImagePull":
      return [
        normal("Pulling", `Pulling image "${image}"`),
        warning("Failed", `Failed to pull image "${image}": ${pullProblem(image)}`),
        warning("Failed", "Error: ErrImagePull"),
      ];
    case "ImagePullBackOff":
      return [
        normal("BackOff", `Back-off pulling image "${image}"`),
        warning("Failed", "Error: ImagePullBackOff"),
      ];
    case "CrashLoopBackOff": {
      const message = `Back-off restarting failed container ${container.name} in pod ${podText(pod)}`;
      return [...started, warning("BackOff", message)];
    }
    default:
      return started;
  }
}

function startEvents({ image = "", imagePullPolicy }: Container, hasImage: ImageLookup): readonly Said[] {
  const isThere = hasImage(image) && imagePullPolicy !== "Always";
  const pulled = isThere
    ? [
        normal(
          "Pulled",
          `Container image "${image}" already present on machine and can be accessed by the pod`,
        ),
      ]
    : [
        normal("Pulling", `Pulling image "${image}"`),
        normal(
          "Pulled",
          `Successfully pulled image "${image}" in 0s (0s including waiting). Image size: 0 bytes.`,
        ),
      ];
  return [...pulled, normal("Created", "Container created"), normal("Started", "Container started")];
}

/** A process has begun since, be it that it has ended again. */
function hasStarted(was: ContainerStatus | undefined, is: ContainerStatus): boolean {
  const begun = beginningOf(is);
  return begun !== undefined && begun !== (was && beginningOf(was));
}

function beginningOf({ state, lastState, restartCount }: ContainerStatus): string | undefined {
  const startedAt =
    state?.running?.startedAt ?? state?.terminated?.startedAt ?? lastState?.terminated?.startedAt;
  return startedAt === undefined || startedAt === null ? undefined : `${restartCount} ${startedAt}`;
}

/** As kubelets name pods. */
export function podText(pod: Pod): string {
  const { namespace, name, uid } = pod.metadata;
  return uid === undefined ? keyOf(pod) : `${name}_${namespace}(${uid})`;
}
