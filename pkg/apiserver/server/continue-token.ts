import { parseJson } from "../../api/wire-json.ts";
import { binaryProblem, jsonProblem } from "./json-problem.ts";
import { badRequest } from "./status-error.ts";

/** Where a list goes on, and at which revision; -1 stands for the newest. */
export interface ContinuePosition {
  readonly revision: number;
  readonly from: string;
}

const tokenVersion = "meta.k8s.io/v1";

/** `from` is the first key of the next page; the token names it relative to the prefix of the list. */
export function encodeContinue(position: ContinuePosition, prefix: string): string {
  const start = position.from.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: position.revision, start })).toString("base64url");
}

export function decodeContinue(token: string, prefix: string): ContinuePosition {
  const { v, rv, start } = parseToken(token);
  if (v !== tokenVersion)
    throw invalidToken(
      `continue key is not valid: server does not recognize this encoded version ${typeof v === "string" ? v : ""}`,
    );
  if (typeof rv !== "number" || rv === 0)
    throw invalidToken(
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  if (typeof start !== "string" || start === "")
    throw invalidToken("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  if (start.includes("..")) throw invalidToken(`continue key is not valid: ${start}`);
  return { revision: rv, from: prefix + start };
}

function parseToken(token: string): {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
} {
  const wrongAt = wrongByteOf(token);
  if (wrongAt !== undefined)
    throw invalidToken(`continue key is not valid: illegal base64 data at input byte ${wrongAt}`);
  const bytes = Buffer.from(token, "base64url");
  const text = bytes.toString();
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalidToken(`continue key is not valid: ${binaryProblem(bytes) ?? jsonProblem(text, error)}`);
  }
  if (typeof value === "object" && value !== null) return value;
  throw invalidToken("continue key is not valid: not an object");
}

/** Of base64 for URLs without padding; a last group of one character says nothing. */
function wrongByteOf(token: string): number | undefined {
  const wrong = /[^A-Za-z0-9_-]/.exec(token);
  if (wrong !== null) return wrong.index;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}

function invalidToken(problem: string): Error {
  return badRequest(`invalid continue token: ${problem}`);
}
