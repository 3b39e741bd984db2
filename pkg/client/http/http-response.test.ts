import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import { TransportError } from "../transport.ts";
import { failureOf } from "./failure.ts";
import { HttpResponse } from "./http-response.ts";
import { ResponseBody } from "./response-body.ts";

function answer(headers: IncomingHttpHeaders, bytes: Buffer): HttpResponse {
  const nothing = (): void => undefined;
  const body = new ResponseBody({ pause: nothing, resume: nothing, abort: nothing });
  body.push(bytes);
  body.end();
  return new HttpResponse({ status: 500, headers, body }, 0);
}

test("headers that come several times are joined, and those that are none are left out", () => {
  const headers = { "x-many": ["a", "b"], "set-cookie": ["c", "d"], "x-one": "y", "x-none": undefined };
  expect(answer(headers, Buffer.alloc(0)).headers).toEqual({
    "x-many": "a, b",
    "set-cookie": "c, d",
    "x-one": "y",
  });
});

test("protobuf that cannot be read is a broken answer, and not the end of the caller", async () => {
  const broken = Buffer.from("k8s\0\xff\xff\xff", "latin1");
  const failure: unknown = await answer({ "content-type": PROTOBUF_TYPE }, broken)
    .json()
    .catch((e: unknown) => e);
  expect(failure).toBeInstanceOf(TransportError);
  expect(failure).toMatchObject({ code: "malformed", sent: true, message: "broken protobuf of 7 bytes" });
});

test.each([
  ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
  ["UND_ERR_BODY_TIMEOUT", "timeout"],
  ["UND_ERR_SOCKET", "lost"],
])("%s is told as %s, and the server may have acted", (code, told) => {
  const failure = Object.assign(new Error("of undici"), { code });
  expect(failureOf(failure, undefined)).toMatchObject({ code: told, sent: true, cause: failure });
});

test("after an abort its reason is told, whatever it has led to", () => {
  const reason = new Error("stop");
  expect(failureOf(new Error("of undici"), AbortSignal.abort(reason))).toBe(reason);
});
