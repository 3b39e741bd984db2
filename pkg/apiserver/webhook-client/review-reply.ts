import { isJson, type Json, text } from "../../api/json.ts";
import { parseJson } from "../../api/wire-json.ts";
import { WebhookCallError } from "./webhook-call-error.ts";
import type { WebhookReply } from "./webhook-transport.ts";

/** The kind of what is asked and answered. */
export interface ReviewKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const KNOWN_VERSIONS = new Set(["v1", "v1beta1"]);

/** What was answered, if that is a review of the version that was asked for. Throws a WebhookCallError. */
export function requireReview(reply: WebhookReply, expected: ReviewKind): Json {
  const value = parsed(reply.body);
  if (reply.status < 200 || reply.status > 206) throw failed(refusal(reply, value));
  if (reply.body === "")
    throw failed(
      `0-length response with status code: ${reply.status} and content type: ${reply.contentType}`,
    );
  if (!isJson(value)) throw failed(`couldn't get version/kind; json parse error: ${NO_OBJECT}`);
  const apiVersion = text(value, "apiVersion") || `${expected.group}/${expected.version}`;
  const kind = text(value, "kind") || expected.kind;
  if (kind === expected.kind && apiVersion === `${expected.group}/${expected.version}`) return value;
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const isKnown =
    (kind === "Status" && apiVersion === "v1") ||
    (kind === expected.kind && group === expected.group && KNOWN_VERSIONS.has(version));
  throw failed(
    isKnown
      ? `converting (${version}.${kind}) to (${expected.version}.${expected.kind}): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

const NO_OBJECT =
  "json: cannot unmarshal string into Go value of type struct " +
  String.raw`{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Undefined for what is no JSON. */
function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The webhook's own words where it sent a Status. upstream: apimachinery/pkg/api/errors#NewGenericServerResponse */
function refusal({ status, body }: WebhookReply, value: unknown): string {
  if (isJson(value) && value["kind"] === "Status" && value["apiVersion"] === "v1")
    return text(value, "message");
  switch (status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return body.trim();
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      return "the server was unable to respond with a content type that the client supports";
    case 409:
      return "the server reported a conflict";
    case 410:
      return "the requested resource no longer exists";
    case 413:
      return "Request entity too large: limit is 3145728";
    case 415:
      return "the server was unable to understand the content type of our request";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing the request";
    default:
      return status >= 500
        ? `an error on the server (${JSON.stringify(body.trim())}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return more information`;
  }
}

function failed(message: string): WebhookCallError {
  return new WebhookCallError(`failed to call webhook: ${message}`);
}
