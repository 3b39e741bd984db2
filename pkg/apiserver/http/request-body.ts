import { decodeProtobufObject } from "../../api/protobuf/decode.ts";
import { ProtobufError } from "../../api/protobuf/reader.ts";
import { mediaType } from "../server/negotiate.ts";
import type { RequestBody } from "../server/request.ts";
import { badRequest } from "../server/status-error.ts";
import type { HttpRequest } from "./messages.ts";

const yamlTypes = new Set(["application/yaml", "application/apply-patch+yaml"]);
const maxBytes = 3 * 1024 * 1024;

/** The whole body; undefined when it is longer than the API server takes. */
export async function readBody(request: HttpRequest): Promise<Buffer | undefined> {
  if (request.method === "GET" || request.method === "HEAD") return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and dropped, so that the client gets to the answer.
    if (length <= maxBytes) chunks.push(chunk);
  }
  if (length > maxBytes) return undefined;
  return Buffer.concat(chunks);
}

export interface DecodedBody {
  readonly body?: RequestBody;
  /** Of what `body` is now. */
  readonly contentType: string | undefined;
}

/** Clients in Go send the built-in kinds as protobuf; everything behind this speaks JSON. */
export function decodeBody(bytes: Buffer, contentType: string | undefined): DecodedBody {
  const media = mediaType(contentType);
  // In YAML, nothing is a document, too.
  if (bytes.length === 0 && media !== "application/yaml") return { contentType };
  if (media !== "application/vnd.kubernetes.protobuf") {
    const format = yamlTypes.has(media) ? "yaml" : "json";
    return { body: { text: bytes.toString(), format }, contentType };
  }
  try {
    return { body: { value: decodeProtobufObject(bytes) }, contentType: "application/json" };
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw error;
  }
}
