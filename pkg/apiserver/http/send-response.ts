import type { ServerResponse } from "node:http";
import { isLarge } from "../../api/large.ts";
import type { Clock } from "../../clock/clock.ts";
import { TurnOfSteps } from "../../clock/turns.ts";
import type { ApiResponse, WatchFrame } from "../server/request.ts";
import { encodeList, encodeListPretty, type FrameEncoder, jsonPieces } from "./encode.ts";
import { encodeListYaml, yamlPieces } from "./encode-yaml.ts";
import { PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import { protobufOf, protobufPieces } from "./encode-protobuf.ts";
import type { MediaType } from "../server/negotiate.ts";
import { writeThrough } from "../../client/http/write-through.ts";
import type { HttpResponse } from "./messages.ts";

export interface SendOptions {
  readonly pretty: boolean;
  readonly encoder: FrameEncoder;
  readonly type: MediaType;
  readonly clock: Clock;
}

/** Both kinds of response have these; their overloads do not unite. */
type Writable = Pick<
  ServerResponse,
  "write" | "end" | "once" | "off" | "writableEnded" | "destroyed" | "cork" | "uncork"
>;

export async function sendResponse(
  response: HttpResponse,
  answer: ApiResponse,
  options: SendOptions,
): Promise<void> {
  const { body, status } = answer;
  const writable = response as Writable;
  const headers: Record<string, string | string[]> = {
    "content-type": options.type,
    "cache-control": "no-cache, private",
  };
  for (const [name, value] of Object.entries(answer.headers))
    headers[name] = typeof value === "string" ? value : [...value];
  const yaml = options.type === "application/yaml";
  const protobuf = options.type === PROTOBUF_TYPE;
  if (body.kind === "watch") {
    if (protobuf) headers["content-type"] = `${PROTOBUF_TYPE};stream=watch`;
    (response as ServerResponse).writeHead(status, headers);
    (response as ServerResponse).flushHeaders();
    return sendFrames(writable, body.frames, options);
  }
  if (body.kind === "list" && (yaml || protobuf || !options.pretty)) {
    (response as ServerResponse).writeHead(status, headers);
    const encode = yaml ? encodeListYaml : protobuf ? protobufPieces : encodeList;
    const turns = new TurnOfSteps(options.clock);
    for (const chunk of encode(body.list)) {
      if (chunk !== undefined) await writeThrough(writable, chunk);
      // A client that reads fast enough leaves no pause by itself.
      await turns.step();
    }
    writable.end();
    return;
  }
  if (body.kind === "stream") {
    (response as ServerResponse).writeHead(status, headers);
    (response as ServerResponse).flushHeaders();
    for await (const chunk of body.chunks) await writeThrough(writable, chunk);
    writable.end();
    return;
  }
  if (body.kind === "session" || body.kind === "ports")
    throw new Error("a session needs a connection of its own");
  if (body.kind === "object" && !protobuf && (yaml || (!options.pretty && isLarge(body.value)))) {
    const pieces = yaml ? yamlPieces(body.value) : jsonLine(body.value);
    await sendPieces(response, { status, headers, pieces }, options.clock);
    return;
  }
  const bytes =
    protobuf && body.kind === "object" ? protobufOf(body.value) : encodeWhole(body, options.pretty);
  headers["content-length"] = String(bytes.byteLength);
  (response as ServerResponse).writeHead(status, headers);
  writable.end(bytes);
}

function* jsonLine(value: object): Generator<string, void> {
  yield* jsonPieces(value);
  yield "\n";
}

interface AnswerInPieces {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly pieces: Generator<string, void>;
}

/** A long one goes piece by piece: to make it as a whole takes several turns. */
async function sendPieces(
  response: HttpResponse,
  { status, headers, pieces }: AnswerInPieces,
  clock: Clock,
): Promise<void> {
  const writable = response as Writable;
  const turns = new TurnOfSteps(clock);
  const first = pieces.next();
  const second = pieces.next();
  if (first.done !== true && second.done === true)
    headers["content-length"] = String(Buffer.byteLength(first.value));
  (response as ServerResponse).writeHead(status, headers);
  for (const piece of [first, second]) if (piece.done !== true) await writeThrough(writable, piece.value);
  for (const piece of pieces) {
    await turns.step();
    await writeThrough(writable, piece);
  }
  writable.end();
}

export type WholeBody = Exclude<ApiResponse["body"], { kind: "watch" | "stream" | "session" | "ports" }>;

export function encodeWhole(body: WholeBody, pretty: boolean): Uint8Array {
  if (body.kind === "bytes") return body.bytes;
  if (body.kind === "text") return Buffer.from(body.text);
  if (body.kind === "list") return Buffer.from(encodeListPretty(body.list));
  return Buffer.from(pretty ? JSON.stringify(body.value, undefined, 2) : `${JSON.stringify(body.value)}\n`);
}

/**
 * As fast as the client reads, and no faster: what it leaves waits in the watch's own bounded queue. What comes in one
 * turn of the event loop goes out together: to hand each event to the kernel on its own takes half of the work.
 */
async function sendFrames(
  response: Writable,
  frames: AsyncIterable<WatchFrame>,
  { encoder, clock }: SendOptions,
): Promise<void> {
  let isGathering = false;
  const sendGathered = (): void => {
    isGathering = false;
    if (!response.destroyed && !response.writableEnded) response.uncork();
  };
  for await (const frame of frames) {
    if (response.destroyed) return;
    if (!isGathering) {
      isGathering = true;
      response.cork();
      void clock.turn().then(sendGathered);
    }
    await writeThrough(response, encoder.encode(frame));
  }
  response.end();
}
