import { semanticEqual } from "../../api/equality.ts";
import type {
  Device,
  DeviceAttribute,
  DeviceRequestAllocationResult,
} from "../../api/types/resource-v1.gen.ts";
import { type DeviceFilter, isFree, isSelected } from "./device-filter.ts";
import { deviceKey, type NodeDevices } from "./node-devices.ts";

/** More than that the server does not let a claim have. */
const MOST_RESULTS = 32;
/** Whoever asks for what is hard to find does not keep everybody else waiting. */
const MOST_STEPS = 10_000;

/** Devices of one sort: so many, or all that there are on the node, of which none may be taken. */
export interface AskedDevices extends DeviceFilter {
  /** As results name it. */
  readonly name: string;
  readonly count: number | "all";
}

/** One of several sorts of devices, the best first. */
export interface DeviceRequest {
  readonly name: string;
  readonly alternatives: readonly AskedDevices[];
}

/** The devices of these requests, or of all when there are none, have one value of an attribute. */
export interface SameAttribute {
  readonly attribute: string;
  readonly requests: readonly string[];
}

export interface ClaimRequests {
  readonly requests: readonly DeviceRequest[];
  readonly constraints: readonly SameAttribute[];
}

type Results = readonly DeviceRequestAllocationResult[];

interface Candidate {
  readonly key: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
}

/**
 * The first devices of a node that are what a claim asks for; undefined when there are none, or none were found soon. A device
 * that one request may have is left to another that can have no other one.
 */
export function allocateDevices(
  asked: ClaimRequests,
  offered: NodeDevices,
  isTaken: (device: string) => boolean,
): Results | undefined {
  return new Search(asked, offered, isTaken).run();
}

class Search {
  readonly #asked: ClaimRequests;
  readonly #lacksSlices: boolean;
  readonly #isTaken: (device: string) => boolean;
  readonly #candidates: readonly Candidate[];
  readonly #selected = new Map<AskedDevices, (boolean | undefined)[]>();
  readonly #chosen: { readonly asked: AskedDevices; readonly candidate: Candidate }[] = [];
  readonly #held = new Set<string>();
  #steps = 0;

  constructor(asked: ClaimRequests, { slices, lacksSlices }: NodeDevices, isTaken: (key: string) => boolean) {
    this.#asked = asked;
    this.#lacksSlices = lacksSlices;
    this.#isTaken = isTaken;
    this.#candidates = slices.flatMap(({ spec: { devices = [], driver, pool } }) =>
      devices.map((device) => {
        const key = deviceKey({ driver, pool: pool.name, device: device.name });
        return { key, driver, pool: pool.name, device };
      }),
    );
  }

  run(): Results | undefined {
    if (!this.#request(0)) return undefined;
    return this.#chosen.map(({ asked: { name, tolerations }, candidate: { driver, pool, device } }) => ({
      request: name,
      driver,
      pool,
      device: device.name,
      ...(tolerations.length > 0 && { tolerations }),
    }));
  }

  /** This request and all that follow. */
  #request(index: number): boolean {
    const request = this.#asked.requests[index];
    if (request === undefined) return true;
    return request.alternatives.some((asked) =>
      asked.count === "all"
        ? this.#all(asked, index)
        : this.#some(asked, { index, from: 0, left: asked.count }),
    );
  }

  #all(asked: AskedDevices, index: number): boolean {
    if (this.#lacksSlices) return false;
    const all = this.#candidates.filter((_, at) => this.#isSelected(asked, at));
    const before = this.#chosen.length;
    if (all.length > 0 && all.every((candidate) => this.#take(asked, candidate)) && this.#request(index + 1))
      return true;
    this.#giveBack(before);
    return false;
  }

  #some(
    asked: AskedDevices,
    { index, from, left }: { readonly index: number; readonly from: number; readonly left: number },
  ): boolean {
    if (left === 0) return this.#request(index + 1);
    const before = this.#chosen.length;
    for (const [at, candidate] of this.#candidates.entries()) {
      if (at < from || !this.#isSelected(asked, at) || !this.#take(asked, candidate)) continue;
      if (this.#some(asked, { index, from: at + 1, left: left - 1 })) return true;
      this.#giveBack(before);
    }
    return false;
  }

  #isSelected(asked: AskedDevices, at: number): boolean {
    const known = this.#selected.get(asked) ?? [];
    this.#selected.set(asked, known);
    const candidate = this.#candidates[at];
    return (known[at] ??= candidate !== undefined && isSelected(candidate.driver, candidate.device, asked));
  }

  #take(asked: AskedDevices, candidate: Candidate): boolean {
    if (++this.#steps > MOST_STEPS || this.#chosen.length === MOST_RESULTS) return false;
    const { device, key } = candidate;
    if (this.#held.has(key) || this.#isTaken(key) || !isFree(device, asked)) return false;
    if (!this.#asked.constraints.every((constraint) => this.#agrees(constraint, asked, candidate)))
      return false;
    this.#held.add(key);
    this.#chosen.push({ asked, candidate });
    return true;
  }

  #giveBack(length: number): void {
    for (const { candidate } of this.#chosen.splice(length)) this.#held.delete(candidate.key);
  }

  #agrees({ attribute, requests }: SameAttribute, asked: AskedDevices, candidate: Candidate): boolean {
    if (!isNamed(requests, asked)) return true;
    const value = attributeOf(candidate, attribute);
    if (value === undefined) return false;
    const other = this.#chosen.find((each) => isNamed(requests, each.asked));
    return other === undefined || semanticEqual(attributeOf(other.candidate, attribute), value);
  }
}

/** By the name of the request, or of this alternative of it ("request/alternative"). */
function isNamed(requests: readonly string[], { name }: AskedDevices): boolean {
  return requests.length === 0 || requests.includes(name) || requests.includes(name.split("/")[0] ?? "");
}

/** Names without a domain are of the driver's. */
function attributeOf({ device, driver }: Candidate, attribute: string): DeviceAttribute | undefined {
  const { attributes = {} } = device;
  const [domain, name = ""] = attribute.split("/");
  return attributes[attribute] ?? (domain === driver ? attributes[name] : undefined);
}
