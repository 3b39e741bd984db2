/** How many endpoints there are with one set of ports, and in how many slices they are. */
export interface Filling {
  readonly endpoints: number;
  readonly slices: number;
}

export interface SliceTotals {
  readonly endpoints: number;
  readonly slices: number;
  /** As many slices as would do if each were full. */
  readonly desiredSlices: number;
}

const NOTHING: SliceTotals = { endpoints: 0, slices: 0, desiredSlices: 0 };

/** Sums over all owners, kept up to date owner by owner. */
export class SliceEfficiency {
  readonly #endpointsPerSlice: number;
  /** 1 where an owner without endpoints has a placeholder. */
  readonly #leastSlices: number;
  readonly #byOwner = new Map<string, SliceTotals>();
  #totals = NOTHING;

  constructor(endpointsPerSlice: number, leastSlices: 0 | 1) {
    this.#endpointsPerSlice = endpointsPerSlice;
    this.#leastSlices = leastSlices;
  }

  set(owner: string, fillings: readonly Filling[]): void {
    this.delete(owner);
    const desired = sum(fillings, ({ endpoints }) => Math.ceil(endpoints / this.#endpointsPerSlice));
    const totals = {
      endpoints: sum(fillings, ({ endpoints }) => endpoints),
      slices: sum(fillings, ({ slices }) => slices),
      desiredSlices: Math.max(desired, this.#leastSlices),
    };
    this.#byOwner.set(owner, totals);
    this.#add(totals, 1);
  }

  delete(owner: string): void {
    const totals = this.#byOwner.get(owner);
    if (totals === undefined) return;
    this.#byOwner.delete(owner);
    this.#add(totals, -1);
  }

  totals(): SliceTotals {
    return this.#totals;
  }

  #add({ endpoints, slices, desiredSlices }: SliceTotals, factor: 1 | -1): void {
    this.#totals = {
      endpoints: this.#totals.endpoints + factor * endpoints,
      slices: this.#totals.slices + factor * slices,
      desiredSlices: this.#totals.desiredSlices + factor * desiredSlices,
    };
  }
}

function sum(fillings: readonly Filling[], count: (filling: Filling) => number): number {
  return fillings.reduce((total, filling) => total + count(filling), 0);
}
