import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Int64 } from "../../api/int64.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { DataDirectoryError, FileJournal } from "./file-journal.ts";
import type { JournalFiles } from "./journal-files.ts";
import { Store, type Unstored } from "./store.ts";

/** A directory in memory, of which a copy can be taken at any moment: what a killed process leaves. */
class MemoryFiles implements JournalFiles {
  readonly directory = "/data";
  readonly contents = new Map<string, Buffer>();
  failing = false;

  list(): string[] {
    return [...this.contents.keys()];
  }
  read(name: string): Buffer {
    return this.contents.get(name) ?? Buffer.alloc(0);
  }
  open(name: string): ReturnType<JournalFiles["open"]> {
    this.contents.set(name, this.read(name));
    return {
      write: (bytes) => {
        // A full disk takes a part of a write.
        const taken = this.failing ? bytes.subarray(0, 5) : bytes;
        this.contents.set(name, Buffer.concat([this.read(name), taken]));
        if (this.failing) throw new Error("no space left on device");
      },
      sync: () => undefined,
      close: () => undefined,
    };
  }
  truncate(name: string, length: number): void {
    this.contents.set(name, this.read(name).subarray(0, length));
  }
  rename(from: string, to: string): void {
    this.contents.set(to, this.read(from));
    this.contents.delete(from);
  }
  remove(name: string): void {
    this.contents.delete(name);
  }
  copy(): MemoryFiles {
    const copy = new MemoryFiles();
    for (const [name, bytes] of this.contents) copy.contents.set(name, Buffer.from(bytes));
    return copy;
  }
}

function openStore(files: MemoryFiles, snapshotBytes?: number): Store {
  const clock = new VirtualClock();
  const options = { files, clock, ...(snapshotBytes === undefined ? {} : { snapshotBytes }) };
  return new Store({ clock, journal: new FileJournal(options) });
}

function put(store: Store, key: string, value: Int64): void {
  store.put("things", key, store.get("things", key), { metadata: { name: key }, value } as Unstored);
}

function contents(store: Store): unknown {
  return { revision: store.revision, items: store.scan("things", { prefix: "" }).items };
}

const writes = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c", "d"), remove: fc.boolean() }), {
  minLength: 1,
  maxLength: 30,
});

function run(store: Store, list: readonly { readonly key: string; readonly remove: boolean }[]): void {
  for (const [index, { key, remove }] of list.entries()) {
    const current = store.get("things", key);
    if (remove && current !== undefined) store.remove("things", key, current);
    // Beyond 2^53, of two neighbours one is no double.
    else put(store, key, 9007199254740992n + BigInt(index));
  }
}

describe("the journal", () => {
  test("a store comes back as the killed process left it, with its history", () => {
    fc.assert(
      fc.property(writes, (list) => {
        const files = new MemoryFiles();
        const store = openStore(files);
        run(store, list);
        const again = openStore(files.copy());
        expect(contents(again)).toEqual(contents(store));
        expect(again.eventsAfter("things", 1).map(({ type, key }) => [type, key])).toEqual(
          store.eventsAfter("things", 1).map(({ type, key }) => [type, key]),
        );
      }),
    );
  });

  test("a log cut at any byte gives the state after some prefix of the writes, and takes further writes", () => {
    const files = new MemoryFiles();
    const store = openStore(files);
    const states = [contents(store)];
    for (let index = 0; index < 6; index++) {
      put(store, `k${index % 3}`, index);
      states.push(contents(store));
    }
    const [name = ""] = files.list();
    for (let length = 0; length <= files.read(name).length; length++) {
      const cut = files.copy();
      cut.truncate(name, length);
      const again = openStore(cut);
      expect(states).toContainEqual(contents(again));
      put(again, "after", 1);
      expect(contents(openStore(cut.copy()))).toEqual(contents(again));
    }
  });

  test("any flipped bit outside a torn end is refused with one clear line", () => {
    const files = new MemoryFiles();
    const store = openStore(files);
    for (let index = 0; index < 4; index++) put(store, "k", index);
    const [name = ""] = files.list();
    fc.assert(
      fc.property(fc.nat(files.read(name).length - 1), fc.nat(7), (byte, bit) => {
        const broken = files.copy();
        const bytes = broken.read(name);
        bytes.writeUInt8(bytes.readUInt8(byte) ^ (1 << bit), byte);
        expect(() => openStore(broken)).toThrow(DataDirectoryError);
        expect(() => openStore(broken)).toThrow(
          /^data directory \/data: log-\d+ is corrupt \(.*at byte \d+\)[^\n]*$/,
        );
      }),
    );
  });

  test("a snapshot replaces the log, and writes during it are kept", async () => {
    const files = new MemoryFiles();
    const store = openStore(files, 500);
    // In the snapshot alone.
    put(store, "first", 9007199254740993n);
    for (let index = 0n; index < 40n; index++) put(store, `k${index % 7n}`, 9007199254740992n + index);
    await store.close();
    expect(files.list().filter((name) => name.startsWith("snapshot-"))).toHaveLength(1);
    const again = openStore(files.copy(), 500);
    expect(contents(again)).toEqual(contents(store));
    put(again, "later", 1);
    expect(contents(openStore(files.copy(), 500))).toEqual(contents(store));
  });

  test("a process killed during a snapshot loses nothing", () => {
    const files = new MemoryFiles();
    const store = openStore(files, 300);
    for (let index = 0; index < 12; index++) {
      put(store, `k${index % 5}`, index);
      // The snapshot goes on in the background: it has not got its name yet.
      expect(contents(openStore(files.copy(), 300))).toEqual(contents(store));
    }
  });

  test("an incomplete snapshot and a gap between files are refused", async () => {
    const files = new MemoryFiles();
    const store = openStore(files, 200);
    for (let index = 0; index < 10; index++) put(store, `k${index}`, index);
    await store.close();
    const snapshot = files.list().find((name) => name.startsWith("snapshot-")) ?? "";
    const torn = files.copy();
    torn.truncate(snapshot, torn.read(snapshot).length - 3);
    expect(() => openStore(torn)).toThrow(/is incomplete/);
    const gap = files.copy();
    gap.remove(snapshot);
    expect(() => openStore(gap)).toThrow(/there are no changes between/);
  });

  test("a write that the disk refuses changes nothing, and later ones work again", () => {
    const files = new MemoryFiles();
    const store = openStore(files);
    put(store, "k", 1);
    files.failing = true;
    expect(() => put(store, "k", 2)).toThrow(/no space left/);
    files.failing = false;
    put(store, "k", 3);
    expect(contents(openStore(files.copy()))).toEqual(contents(store));
    expect(store.revision).toBe(3);
  });
});
