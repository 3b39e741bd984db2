import {
  ApiError,
  isConnectionError,
  isExpired,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from "../../client/errors.ts";

/** The version is one that the server does not know any more, or not yet: only the newest state can be had. */
export function isVersionUnavailable(error: unknown): boolean {
  return isExpired(error) || isTooLarge(error);
}

/** Servers before 1.19 gave no cause that a machine can read. upstream: tools/cache/reflector.go#isTooLargeResourceVersionError */
export function isTooLarge(error: unknown): boolean {
  if (isTooLargeResourceVersion(error)) return true;
  if (!(error instanceof ApiError) || !isTimeout(error)) return false;
  const messages = [error.message, ...error.causes.map((cause) => cause.message ?? "")];
  return messages.some((message) => message.includes("Too large resource version"));
}

/**
 * The server cannot be reached or has no time: nothing is wrong with the version or the request, and the same may
 * succeed later. An internal error (500) is not of this kind, for it may be an object in that very version which the
 * server cannot read.
 */
export function isPassing(error: unknown): boolean {
  if (isTooLarge(error)) return false;
  if (isConnectionError(error) || isTooManyRequests(error)) return true;
  return error instanceof ApiError && error.code > 500;
}

/** A watch that ends at once and empty is a failure, though the server did not call it one. */
export class ShortWatchError extends Error {
  readonly code = "ShortWatch";
  constructor() {
    super("the watch ended within a second and without an event");
    this.name = "ShortWatchError";
  }
}

/** The sink could not take what it was given. */
export class LostStateError extends Error {
  readonly code = "LostState";
  constructor(cause: unknown) {
    super("what was read could not be taken into the cache", { cause });
    this.name = "LostStateError";
  }
}

export class UnfinishedStreamError extends Error {
  readonly code = "UnfinishedStream";
  constructor() {
    super("the watch ended before all initial events had come");
    this.name = "UnfinishedStreamError";
  }
}
