import { parseQuantity, QuantityError } from "../../api/quantity-parse.ts";
import type { Container, Pod } from "../../api/types/core-v1.gen.ts";

/** Let a user say what containers use, `cpu: 250m`, `memory: 64Mi`. `.NAME` behind it: that one. */
export const CPU_ANNOTATION = "kcm.dev/cpu";
export const MEMORY_ANNOTATION = "kcm.dev/memory";

/** What one uses that asks for nothing. */
const LEAST_CPU = 0.001;
const LEAST_MEMORY = 16 * 1024 * 1024;

/** In cores and bytes. */
export interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

export interface ContainerUsage extends Usage {
  readonly name: string;
}

const known = new WeakMap<Pod, readonly ContainerUsage[]>();

/** Of each container that runs; a pod that does not run has none. Remembered, as lists are asked for again and again. */
export function podUsage(pod: Pod): readonly ContainerUsage[] {
  let usage = known.get(pod);
  if (usage === undefined) {
    const running = [
      ...(pod.status?.containerStatuses ?? []),
      ...(pod.status?.initContainerStatuses ?? []),
    ].filter(({ state }) => state?.running !== undefined);
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    usage = containers
      .filter(({ name }) => running.some((status) => status.name === name))
      .map((container) => ({ name: container.name, ...containerUsage(pod, container) }));
    known.set(pod, usage);
  }
  return usage;
}

export function totalOf(all: Iterable<Usage>): Usage {
  let [cpu, memory] = [0, 0];
  for (const usage of all) {
    cpu += usage.cpu;
    memory += usage.memory;
  }
  return { cpu, memory };
}

/** As metrics-server writes it: nanocores, and kibibytes. */
export function quantitiesOf({ cpu, memory }: Usage): { readonly cpu: string; readonly memory: string } {
  return { cpu: `${Math.round(cpu * 1e9)}n`, memory: `${Math.round(memory / 1024)}Ki` };
}

/** What it was said to use, else what it asks for. */
function containerUsage({ metadata: { annotations = {} } }: Pod, { name, resources }: Container): Usage {
  const amount = (annotation: string, resource: string, least: number): number => {
    const said = annotations[`${annotation}.${name}`] ?? annotations[annotation];
    return amountOf(said) ?? amountOf(resources?.requests?.[resource]) ?? least;
  };
  return {
    cpu: amount(CPU_ANNOTATION, "cpu", LEAST_CPU),
    memory: amount(MEMORY_ANNOTATION, "memory", LEAST_MEMORY),
  };
}

/** What cannot be read says nothing. */
function amountOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseQuantity(text).milliValue() / 1_000;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
