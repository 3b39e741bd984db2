import type { ObjectRef } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ClientSet } from "../client-set.ts";
import { errorOfFailure } from "../errors.ts";
import { subresourceRequest } from "../resource-requests.ts";

export interface LogOptions {
  /** Which one; a pod with several has to be told. */
  readonly container?: string;
  /** Goes on with what is written later, until the container ends. */
  readonly follow?: boolean;
  /** Of the container before its last restart. */
  readonly previous?: boolean;
  /** In front of each line. */
  readonly timestamps?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** The lines of a container's log, as they come. Leaving the loop early ends the request. */
export async function* podLogs(
  { rest }: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  options: LogOptions = {},
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) query.set(name, String(value));
  const request = subresourceRequest("GET", resources.pods, { ...pod, subresource: "log" });
  const response = await rest.open({ ...request, query, accept: "*/*" }, signal);
  try {
    yield* linesOf(response.chunks());
  } catch (failure) {
    signal?.throwIfAborted();
    throw errorOfFailure(failure, request);
  }
}

/** Without their ends, however they are cut on their way. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
