import { messageOf } from "../api/errors.ts";
import { groupResource, type Resource } from "../api/resource.ts";
import { ApiError, hasCause } from "./errors.ts";

/** What a request was about, as client-go names it. */
export interface Requested extends Pick<Resource, "group" | "plural"> {
  readonly verb?: string;
  readonly name?: string;
}

const TEXTS: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [
    504,
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
]);

const UNKNOWN = "unknown";

/**
 * The message of a failure as client-go has it, for texts that people know from there. What the server said itself is that;
 * of an answer that is no Status client-go keeps the code.
 *
 * upstream: apimachinery/pkg/api/errors/errors.go#NewGenericServerResponse
 */
export function goMessageOf(error: unknown, { group, plural, verb = "get", name = "" }: Requested): string {
  if (!(error instanceof ApiError) || !hasCause(error, "UnexpectedServerResponse")) return messageOf(error);
  const [cause] = error.causes;
  const said = cause?.message || UNKNOWN;
  const what = `${groupResource({ group, plural })}${name === "" ? "" : ` ${name}`}`;
  return `${textOf(error.code, said)} (${verb} ${what})`;
}

function textOf(code: number, said: string): string {
  const text = TEXTS.get(code);
  if (text !== undefined) return text;
  // What the server says of them is more than their names: who may not, and which types it takes.
  if (code === 406 && said === UNKNOWN)
    return "the server was unable to respond with a content type that the client supports";
  if ([403, 406, 415].includes(code)) return said;
  if (code >= 500)
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
