import {
  type ApiObject,
  isStored,
  type ObjectRef,
  type PartialObject,
  type Stored,
  type StoredObject,
} from "../api/object.ts";
import type { TypedResource } from "../api/resource.ts";
import type { DeleteOptions, Patch, ResourceClient, WriteOptions } from "../client/resource-client.ts";
import type { ConsistencyStore } from "./consistency.ts";
import type { Env } from "./env.ts";
import { identityOf, isGone, type LiveChange, readLive, readThenWrite } from "./read-live.ts";
import type { OwnerSync } from "./sync.ts";
import { WithoutEffect } from "./without-effect.ts";

/** The sync that writes, and the owner that it writes for. */
export type Writer = Pick<OwnerSync<PartialObject>, "owner" | "signal">;

export type Deletion = Omit<DeleteOptions, "preconditions">;

/** What writing needs of a Kit. */
export interface WritingKit {
  readonly env: Pick<Env, "client" | "log" | "clock">;
  readonly consistency: ConsistencyStore;
}

type LiveWrite<T extends ApiObject> = Pick<LiveChange<T>, "change" | "write">;
type ApplyOptions = Parameters<ResourceClient["apply"]>[1];

const OF_STATUS = { subresource: "status" } as const;

/**
 * What syncs write for their owners, be it the owner itself or another object. Every answer is remembered: the next sync
 * of the owner waits until the cache of the resource has seen that, if the controller reads it.
 */
export class RecordedWrites<T extends ApiObject> {
  readonly #client: ResourceClient<T>;
  /** Its answers hold metadata only. */
  readonly #unread: Pick<ResourceClient, "create" | "updateStatus" | "patch" | "delete">;
  readonly #consistency: ConsistencyStore;
  readonly #writing: WriteOptions;
  readonly #idle: WithoutEffect<Stored<T>>;
  readonly #idleUnread: WithoutEffect<Stored>;

  /** `writing` is for what is created and updated. */
  constructor({ env, consistency }: WritingKit, resource: TypedResource<T>, writing: WriteOptions = {}) {
    this.#client = env.client.clientFor(resource);
    this.#unread = env.client.metadata(resource);
    this.#consistency = consistency;
    this.#writing = writing;
    this.#idle = new WithoutEffect(env.clock);
    this.#idleUnread = new WithoutEffect(env.clock);
  }

  async create(writer: Writer, draft: T): Promise<Stored<T>> {
    return this.wrote(writer, await this.#client.create(draft, this.#writing, writer.signal));
  }

  /** As `create`, for those who have no use for the answer: nothing but its metadata is asked for. */
  async createUnread(writer: Writer, draft: T): Promise<void> {
    this.#note(writer, await this.#unread.create(draft, this.#writing, writer.signal));
  }

  /** Writes the object as it is to be. The server refuses it when somebody has changed or replaced the object meanwhile. */
  async update(writer: Writer, changed: T): Promise<Stored<T>> {
    return this.wrote(writer, await this.#client.update(changed, this.#writing, writer.signal));
  }

  /** The same for its status. What the server made nothing of is not sent again. */
  async updateStatus(writer: Writer, changed: T): Promise<Stored<T>> {
    const write = async (): Promise<Stored<T>> => this.#client.updateStatus(changed, {}, writer.signal);
    return this.wrote(writer, await unlessIdle(this.#idle, changed, write));
  }

  /** As `updateStatus`, for those who have no use for the answer. */
  async updateStatusUnread(writer: Writer, changed: T): Promise<void> {
    const write = async (): Promise<Stored> => this.#unread.updateStatus(changed, {}, writer.signal);
    this.#note(writer, await unlessIdle(this.#idleUnread, changed, write));
  }

  /** The same for another subresource of which the body is the whole object, such as "approval". */
  async updateSubresource(writer: Writer, changed: Stored<T>, subresource: string): Promise<Stored<T>> {
    const { signal } = writer;
    return this.wrote(
      writer,
      await this.#client.updateSubresource<Stored<T>>(refOf(changed), subresource, changed, signal),
    );
  }

  /** Server-side apply. */
  async apply(writer: Writer, object: Partial<T> & ApiObject, options: ApplyOptions): Promise<Stored<T>> {
    return this.wrote(writer, await this.#client.apply(object, options, writer.signal));
  }

  async patch(writer: Writer, object: StoredObject, patch: Patch): Promise<Stored<T>> {
    return this.wrote(writer, await this.#client.patch(refOf(object), patch, {}, writer.signal));
  }

  /** As `patch`, for those who have no use for the answer. */
  async patchUnread(writer: Writer, object: StoredObject, patch: Patch): Promise<void> {
    this.#note(writer, await this.#unread.patch(refOf(object), patch, {}, writer.signal));
  }

  /** As `patch`, for its status. */
  async patchStatus(writer: Writer, object: StoredObject, patch: Patch): Promise<Stored<T>> {
    return this.wrote(writer, await this.#client.patch(refOf(object), patch, OF_STATUS, writer.signal));
  }

  /** As `patchStatus`, for those who have no use for the answer. */
  async patchStatusUnread(writer: Writer, object: StoredObject, patch: Patch): Promise<void> {
    this.#note(writer, await this.#unread.patch(refOf(object), patch, OF_STATUS, writer.signal));
  }

  /** This very object as the server has it now; undefined when it is gone. */
  async live({ signal }: Pick<Writer, "signal">, object: StoredObject): Promise<Stored<T> | undefined> {
    return readLive(this.#client, identityOf(object), signal);
  }

  /**
   * Writes what becomes of the object as the server has it now: a cache may have only a part of it. Nothing is written
   * when that is undefined. Gives the object as it is then, and the next sync waits until the cache has seen that;
   * undefined when it is gone.
   */
  async change(
    writer: Writer,
    object: StoredObject,
    change: (live: Stored<T>) => T | undefined,
  ): Promise<Stored<T> | undefined> {
    const write: LiveWrite<T>["write"] = async (changed, signal) =>
      this.#client.update(changed, this.#writing, signal);
    return this.#change(writer, object, { change, write });
  }

  /** The same for its status. */
  async changeStatus(
    writer: Writer,
    object: StoredObject,
    change: (live: Stored<T>) => T,
  ): Promise<Stored<T> | undefined> {
    const write: LiveWrite<T>["write"] = async (changed, signal) =>
      this.#client.updateStatus(changed, {}, signal);
    return this.#change(writer, object, { change, write });
  }

  async #change(writer: Writer, object: StoredObject, how: LiveWrite<T>): Promise<Stored<T> | undefined> {
    const identity = identityOf(object);
    const live = await readThenWrite<T>({ client: this.#client, identity, ...how }, writer.signal);
    return live && this.wrote(writer, live);
  }

  /** Deletes this very object. False when it was gone already. */
  async remove(writer: Writer, object: StoredObject, how: Deletion = {}): Promise<boolean> {
    try {
      await this.delete(writer, object, how);
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /**
   * As `remove`, for who has to know why it was gone: the server's answer is thrown. With `unchanged` the object stays
   * when it is not any more as it was read.
   */
  async delete(
    writer: Writer,
    object: StoredObject,
    { unchanged = false, ...how }: Deletion & { readonly unchanged?: boolean } = {},
  ): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const only = { ...how, preconditions: unchanged ? { uid, resourceVersion } : { uid } };
    const answer = await this.#unread.delete(refOf(object), only, writer.signal);
    // What goes at once is answered with a Status, which tells no version.
    if (answer.kind !== "Status") this.#note(writer, answer as Stored<ApiObject>);
    else this.#consistency.deletedFor(writer.owner, this.#client.resource, object);
  }

  /** The object is as the server has it, and the cache may have yet to show that. */
  protected wrote(writer: Writer, answer: Stored<T>): Stored<T> {
    this.#note(writer, answer);
    return answer;
  }

  #note({ owner }: Writer, answer: StoredObject): void {
    this.#consistency.wroteFor(owner, this.#client.resource, answer);
  }
}

async function unlessIdle<A extends StoredObject>(
  idle: WithoutEffect<A>,
  changed: PartialObject,
  write: () => Promise<A>,
): Promise<A> {
  if (!isStored(changed)) return write();
  const known = idle.answerTo(changed);
  if (known !== undefined) return known;
  const answer = await write();
  idle.note(changed, answer);
  return answer;
}

function refOf({ metadata: { namespace, name } }: StoredObject): ObjectRef {
  return { ...(namespace !== undefined && { namespace }), name };
}
