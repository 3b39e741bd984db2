import { messageOf } from "../../api/errors.ts";
import type { ApiObject } from "../../api/object.ts";
import type { StoredEvent } from "../storage/bucket.ts";
import { CompactedError } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { Output } from "./output.ts";
import { type ListQuery, parseVersion } from "./query-options.ts";
import type { ApiResponse, WatchFrame } from "./request.ts";
import type { Selection } from "./selection.ts";
import { readyToRead, type RemoteConversion } from "./served-resource.ts";
import { expired, internalError, StatusError, tooLargeVersion } from "./status-error.ts";
import { WatchStream } from "./watch-stream.ts";

/** Without timeoutSeconds a watch ends after half an hour to an hour, so that load spreads over servers. */
const defaultTimeoutMs = 1_800_000;

export async function watchResource(
  call: Call,
  query: ListQuery,
  selection: Selection,
  output: Output,
): Promise<ApiResponse> {
  const { clock, random, request, store, served } = call;
  output.requireForm();
  const timeoutMs =
    query.timeoutSeconds > 0 ? query.timeoutSeconds * 1000 : defaultTimeoutMs * (1 + random.next());
  const remote = served.conversion?.remote;
  if (remote !== undefined) await readyToRead(remote, () => beginning(call, query, selection));
  const start = shown(startWatch(call, query, selection, output), output);
  const toFrame = frameMaker(call, selection, output);
  // Where events are held up, so are those that a client has missed meanwhile; not the state that it begins with.
  const held = start.live && !start.fromState && call.faults.holds(call.subject) ? start.frames : [];
  const stream: WatchStream = new WatchStream({
    clock,
    random,
    timeoutMs,
    initial: held.length > 0 ? [] : start.frames,
    // It must not overtake events: it says that there are none before it.
    bookmark: query.allowWatchBookmarks
      ? () => tellBookmark(bookmarkFrame(output, { resourceVersion: String(store.revision) }))
      : undefined,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
  const deliver = (frame: WatchFrame): void => call.faults.deliver(frame, stream);
  const inOrder = remote && onceReady(remote, stream);
  const tellBookmark = (frame: WatchFrame): void =>
    inOrder === undefined ? deliver(frame) : inOrder([], () => deliver(frame));
  const tell = (event: StoredEvent): void => {
    const frame = toFrame(event);
    if (frame === undefined) return;
    if (output.showsEvents) deliver(frame);
    else stream.finish();
  };
  if (start.live) {
    const unsubscribe = store.subscribe(served.bucket, (event) => {
      if (event.revision <= start.after) return;
      if (inOrder === undefined) tell(event);
      else inOrder(statesOf(event), () => tell(event));
    });
    stream.onEnd(unsubscribe);
    if (served.custom) stream.onEnd(endWhenGone(call, stream));
    call.faults.watchStarted(call.subject, stream);
    for (const frame of held) deliver(frame);
  } else stream.finish();
  return { status: 200, headers: {}, body: { kind: "watch", frames: stream, inProtobuf: output.inProtobuf } };
}

/** A watch whose events cannot be shown ends where there is one. */
function shown(start: WatchStart, { showsEvents }: Output): WatchStart {
  return showsEvents || start.frames.length === 0 ? start : { ...start, frames: [], live: false };
}

type InOrder = (objects: readonly ApiObject[], tell: () => void) => void;

function statesOf({ object, previous }: StoredEvent): readonly ApiObject[] {
  return previous === undefined ? [object] : [object, previous];
}

/** One after the other, each when what it is about can be read. What cannot ends the watch. */
function onceReady(remote: RemoteConversion, stream: WatchStream): InOrder {
  let before = Promise.resolve();
  return (objects, tell) => {
    before = before.then(async () => {
      try {
        await readyToRead(remote, () => objects);
        tell();
      } catch (error) {
        const { status } = error instanceof StatusError ? error : internalError(messageOf(error), error);
        stream.push({ type: "ERROR", object: status, shared: false });
        stream.finish();
      }
    });
  };
}

/** All that the watch may begin with. */
function beginning(call: Call, query: ListQuery, { prefix }: Selection): readonly ApiObject[] {
  const { store, served } = call;
  const version = parseVersion(query.resourceVersion, "watch");
  if (query.sendInitialEvents ?? version === undefined) return store.scan(served.bucket, { prefix }).items;
  if (version === undefined) return [];
  try {
    return store.eventsAfter(served.bucket, version).flatMap(statesOf);
  } catch (error) {
    // That it cannot begin there is told by the watch itself.
    if (error instanceof CompactedError) return [];
    throw error;
  }
}

/** With its version, or with the definition, ends a watch of custom resources, after the events that wait. */
function endWhenGone({ registry, served }: Call, stream: WatchStream): () => void {
  const { group, version, plural } = served.resource;
  return registry.onChange(() => {
    if (registry.find(group, version, plural) === undefined) stream.finish();
  });
}

interface WatchStart {
  readonly frames: readonly WatchFrame[];
  /** Only events after this revision are new. */
  readonly after: number;
  readonly live: boolean;
  /** Whether the frames are the state, and not events. */
  readonly fromState: boolean;
}

/**
 * Nothing here waits, so that no write falls between the state that the stream begins with and its subscription.
 */
function startWatch(call: Call, query: ListQuery, selection: Selection, output: Output): WatchStart {
  const { store, served } = call;
  const version = parseVersion(query.resourceVersion, "watch");
  const fromState = query.sendInitialEvents ?? version === undefined;
  if (fromState && version !== undefined && version > store.revision) {
    const { status } = tooLargeVersion(version, store.revision);
    return { frames: [{ type: "ERROR", object: status, shared: false }], after: 0, live: false, fromState };
  }
  if (fromState)
    return {
      frames: stateFrames(call, query, selection, output),
      after: store.revision,
      live: true,
      fromState,
    };
  // sendInitialEvents=false without a version means: from now on.
  if (version === undefined) return { frames: [], after: store.revision, live: true, fromState };
  try {
    const toFrame = frameMaker(call, selection, output);
    const frames = store
      .eventsAfter(served.bucket, version)
      .map(toFrame)
      .filter((frame) => frame !== undefined);
    return { frames, after: Math.max(version, store.revision), live: true, fromState };
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    const { status } = expired(`too old resource version: ${version} (${error.floor})`);
    return { frames: [{ type: "ERROR", object: status, shared: false }], after: 0, live: false, fromState };
  }
}

function stateFrames(
  { store, served, clock }: Call,
  query: ListQuery,
  selection: Selection,
  output: Output,
): WatchFrame[] {
  const { items, revision } = store.scan(served.bucket, {
    prefix: selection.prefix,
    matches: selection.matches,
  });
  const nowMs = clock.nowMs();
  const frames = items.map((item): WatchFrame => ({
    type: "ADDED",
    object: output.event(item, nowMs),
    shared: output.shared,
  }));
  if (query.allowWatchBookmarks) {
    const annotations = { "k8s.io/initial-events-end": "true" };
    frames.push(bookmarkFrame(output, { resourceVersion: String(revision), annotations }));
  }
  return frames;
}

function bookmarkFrame(output: Output, metadata: ApiObject["metadata"]): WatchFrame {
  return { type: "BOOKMARK", object: output.bookmark(metadata), shared: false };
}

/** What one watcher sees of a write: with selectors, an object that stops to match was deleted for the watcher. */
function frameMaker(
  { clock }: Call,
  selection: Selection,
  output: Output,
): (event: StoredEvent) => WatchFrame | undefined {
  const { prefix, everything } = selection;
  return (event) => {
    if (!event.key.startsWith(prefix)) return undefined;
    const { object, previous } = event;
    const matched = previous !== undefined && (everything || selection.matches(previous));
    const matches = event.type !== "DELETED" && (everything || selection.matches(object));
    if (!matches && !matched) return undefined;
    if (matches) {
      const type = matched ? "MODIFIED" : "ADDED";
      return { type, object: output.event(object, clock.nowMs()), shared: output.shared };
    }
    if (event.type === "DELETED")
      return { type: "DELETED", object: output.event(object, clock.nowMs()), shared: output.shared };
    // The last state that matched, under the version of the write that made it stop.
    const last = output.event(previous ?? object, clock.nowMs(), String(event.revision));
    return { type: "DELETED", object: last, shared: output.shared };
  };
}
