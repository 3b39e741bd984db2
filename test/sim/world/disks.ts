/** What has really become of volumes, whatever is written of them: the disks of a storage system, and directories. */
export class Disks {
  /** Nodes that have the disk, by its handle. */
  readonly #disks = new Map<string, Set<string>>();
  readonly #removed = new Set<string>();
  readonly #directories = new Set<string>();

  /** One that a user brings is there with its first use. */
  make(handle: string): void {
    this.#removed.delete(handle);
    this.#nodesOf(handle);
  }

  /** Gives why it cannot be. */
  remove(handle: string): string | undefined {
    const nodes = this.nodesOf(handle);
    if (nodes.length > 0) return `the disk is attached to ${nodes.join()}`;
    this.#disks.delete(handle);
    this.#removed.add(handle);
    return undefined;
  }

  /** Gives why it cannot be. */
  attach(handle: string, node: string, isExclusive: boolean): string | undefined {
    if (this.#removed.has(handle)) return `there is no disk ${handle} any more`;
    const nodes = this.#nodesOf(handle);
    const others = [...nodes].filter((other) => other !== node);
    if (isExclusive && others.length > 0) return `the disk is attached to ${others.join()}`;
    nodes.add(node);
    return undefined;
  }

  detach(handle: string, node: string): void {
    this.#disks.get(handle)?.delete(node);
  }

  nodesOf(handle: string): readonly string[] {
    return [...(this.#disks.get(handle) ?? [])];
  }

  get handles(): readonly string[] {
    return [...this.#disks.keys()];
  }

  get directories(): readonly string[] {
    return [...this.#directories];
  }

  /** Of all managers: they run on one machine, as far as directories go. */
  readonly hostPaths = {
    make: async (path: string): Promise<void> => void this.#directories.add(path),
    remove: async (path: string): Promise<void> => void this.#directories.delete(path),
  };

  #nodesOf(handle: string): Set<string> {
    const nodes = this.#disks.get(handle) ?? new Set();
    this.#disks.set(handle, nodes);
    return nodes;
  }
}
