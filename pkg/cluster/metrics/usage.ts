import { resources } from "../../api/resources.ts";
import { selectorFromLabels } from "../../api/labels.ts";
import { parseTime } from "../../api/time.ts";
import type { Container, Pod, Service } from "../../api/types/core-v1.gen.ts";
import type { ClusterReader } from "../../apiserver/admission/cluster-reader.ts";
import { type Load, loadAt, parseLoad, saidSinceMs } from "./load.ts";

/** Let a user say what containers use, `cpu: 250m`, `memory: 64Mi`. `.NAME` behind it: that one. */
const CPU_ANNOTATION = "kcm.dev/cpu";
const MEMORY_ANNOTATION = "kcm.dev/memory";
/** Of a Service: what its pods use together. */
const SPREAD_CPU_ANNOTATION = "kcm.dev/spread-cpu";
const SPREAD_MEMORY_ANNOTATION = "kcm.dev/spread-memory";

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

/** A load, and since when it is there. */
interface SaidLoad {
  readonly load: Load;
  readonly sinceMs: number;
}

interface ContainerLoads {
  readonly name: string;
  readonly cpu: SaidLoad | undefined;
  readonly memory: SaidLoad | undefined;
  /** Where nobody says anything: what it asks for. */
  readonly usual: Usage;
}

const known = new WeakMap<Pod, readonly ContainerLoads[]>();

/** Of each container that runs; a pod that does not run has none. Remembered, as lists are asked for again and again. */
function loadsOf(pod: Pod): readonly ContainerLoads[] {
  let loads = known.get(pod);
  if (loads === undefined) {
    const running = new Map(
      [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].flatMap(
        ({ name, state }) =>
          state?.running === undefined ? [] : [[name, parseTime(state.running.startedAt) ?? 0] as const],
      ),
    );
    loads = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].flatMap((container) => {
      const startMs = running.get(container.name);
      return startMs === undefined ? [] : [containerLoads(pod, container, startMs)];
    });
    known.set(pod, loads);
  }
  return loads;
}

function containerLoads(pod: Pod, { name, resources: asked }: Container, startMs: number): ContainerLoads {
  const { annotations = {} } = pod.metadata;
  const said = (annotation: string): SaidLoad | undefined => {
    const own = `${annotation}.${name}`;
    const [key, text] =
      annotations[own] === undefined ? [annotation, annotations[annotation]] : [own, annotations[own]];
    const load = parseLoad(text);
    return load && { load, sinceMs: Math.max(startMs, saidSinceMs(pod, key)) };
  };
  const usual = (resource: string, least: number): number =>
    parseLoad(asked?.requests?.[resource])?.to ?? least;
  return {
    name,
    cpu: said(CPU_ANNOTATION),
    memory: said(MEMORY_ANNOTATION),
    usual: { cpu: usual("cpu", LEAST_CPU), memory: usual("memory", LEAST_MEMORY) },
  };
}

/** What pods use at one moment. */
export class PodUsages {
  readonly #reader: ClusterReader;
  readonly #nowMs: number;
  readonly #shares = new Map<string, ReadonlyMap<Pod, Partial<Usage>>>();

  constructor(reader: ClusterReader, nowMs: number) {
    this.#reader = reader;
    this.#nowMs = nowMs;
  }

  /** What is said of the pod itself, else its share of what its Service is said to bear, else what it asks for. */
  of(pod: Pod): readonly ContainerUsage[] {
    const loads = loadsOf(pod);
    const share = loads.length === 0 ? undefined : this.#sharesIn(pod.metadata.namespace ?? "").get(pod);
    return loads.map(({ name, cpu, memory, usual }) => {
      const amount = (said: SaidLoad | undefined, shared: number | undefined, asked: number): number => {
        if (said !== undefined) return loadAt(said.load, said.sinceMs, this.#nowMs);
        return shared === undefined ? asked : shared / loads.length;
      };
      return {
        name,
        cpu: amount(cpu, share?.cpu, usual.cpu),
        memory: amount(memory, share?.memory, usual.memory),
      };
    });
  }

  #sharesIn(namespace: string): ReadonlyMap<Pod, Partial<Usage>> {
    let shares = this.#shares.get(namespace);
    if (shares === undefined) {
      const made = new Map<Pod, Partial<Usage>>();
      for (const service of this.#reader.list<Service>(resources.services, namespace))
        this.#addShares(service, made);
      this.#shares.set(namespace, (shares = made));
    }
    return shares;
  }

  #addShares(service: Service, shares: Map<Pod, Partial<Usage>>): void {
    const cpu = this.#shared(service, SPREAD_CPU_ANNOTATION);
    const memory = this.#shared(service, SPREAD_MEMORY_ANNOTATION);
    const { selector } = service.spec ?? {};
    if ((cpu === undefined && memory === undefined) || selector === undefined) return;
    const selected = selectorFromLabels(selector);
    const pods = this.#reader
      .list<Pod>(resources.pods, service.metadata.namespace)
      .filter((pod) => selected.matches(pod.metadata.labels) && loadsOf(pod).length > 0);
    for (const pod of pods) {
      shares.set(pod, {
        ...shares.get(pod),
        ...(cpu !== undefined && { cpu: cpu / pods.length }),
        ...(memory !== undefined && { memory: memory / pods.length }),
      });
    }
  }

  #shared(service: Service, annotation: string): number | undefined {
    const load = parseLoad(service.metadata.annotations?.[annotation]);
    return load && loadAt(load, saidSinceMs(service, annotation), this.#nowMs);
  }
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
