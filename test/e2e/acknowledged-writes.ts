import { type Random, randomBelow } from "../../pkg/clock/random.ts";

interface Known {
  /** What the server has said is stored: a value, or "" for nothing. */
  readonly acknowledged: string;
  /** What was asked for since then and not answered: it may have happened or not. */
  readonly asked: readonly string[];
}

const NAMES = 40;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/**
 * Writers that create, change and delete ConfigMaps of a server that may be killed at any moment, and remember what it
 * has answered. Each name has one writer, so that what is stored is what that one wrote.
 */
export class AcknowledgedWrites {
  readonly #random: Random;
  readonly #known = new Map<string, Known>();
  #next = 0;
  #newestVersion = 0n;
  writes = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Writes until the server does not answer any more. */
  async writeUntilKilled(url: string, writers: number): Promise<void> {
    await Promise.all(Array.from({ length: writers }, async (_, at) => this.#writeAs(at, writers, url)));
  }

  /** What the server does not have any more of what it has acknowledged; and it must not have gone back in time. */
  async lost(url: string): Promise<readonly string[]> {
    const response = await fetch(url + CONFIG_MAPS);
    const { items, metadata } = (await response.json()) as List;
    const stored = new Map(items.map((item) => [item.metadata.name, item.data?.["value"] ?? ""]));
    const lost: string[] = [];
    for (const [name, { acknowledged, asked }] of this.#known) {
      const found = stored.get(name) ?? "";
      if (found !== acknowledged && !asked.includes(found))
        lost.push(`${name} is ${JSON.stringify(found)} and was ${JSON.stringify(acknowledged)}`);
      this.#known.set(name, { acknowledged: found, asked: [] });
    }
    if (BigInt(metadata.resourceVersion) < this.#newestVersion)
      lost.push(`version ${this.#newestVersion} is ${metadata.resourceVersion} now`);
    return lost;
  }

  async #writeAs(writer: number, writers: number, url: string): Promise<void> {
    for (;;) {
      const name = `c-${writer + writers * randomBelow(this.#random, NAMES)}`;
      const before = this.#known.get(name) ?? { acknowledged: "", asked: [] };
      const isGone = before.acknowledged === "";
      const value = isGone || randomBelow(this.#random, 4) > 0 ? `v${this.#next++}` : "";
      this.#known.set(name, { ...before, asked: [value] });
      const status = await this.#send(url, name, value, isGone);
      // Nobody is there any more.
      if (status === undefined) return;
      if (status >= 300) throw new Error(`a write to ${name} was answered with ${status}`);
      this.#known.set(name, { acknowledged: value, asked: [] });
      this.writes++;
    }
  }

  async #send(url: string, name: string, value: string, isNew: boolean): Promise<number | undefined> {
    const path = url + CONFIG_MAPS + (isNew ? "" : `/${name}`);
    const method = value === "" ? "DELETE" : isNew ? "POST" : "PUT";
    const body = JSON.stringify({ metadata: { name }, data: { value } });
    const headers = { "content-type": "application/json" };
    try {
      const response = await fetch(path, { method, ...(value !== "" && { body, headers }) });
      const answer = (await response.json()) as Item;
      const version = BigInt(answer.metadata.resourceVersion ?? "0");
      if (version > this.#newestVersion) this.#newestVersion = version;
      return response.status;
    } catch (error) {
      // fetch fails with a TypeError when the connection breaks off, and reading with one when the answer does.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Item[];
}
