import { type Decide, type Json, patching } from "./webhook-stage.ts";

export const denied = 'admission webhook "w0.test.example" denied the request';
export const failing = 'Internal error occurred: failed calling webhook "w0.test.example": ';
export const calling = `${failing}failed to call webhook: `;
export const invalid = `${failing}received invalid webhook response: `;

export const raw =
  (body: unknown, status = 200, type = "application/json"): Decide =>
  () => ({
    raw: { body, status, type },
  });
export const respond =
  (response: Json): Decide =>
  () => ({ response });
export const review =
  (response: Json, version = "v1"): Decide =>
  (request) => ({
    raw: {
      body: {
        apiVersion: `admission.k8s.io/${version}`,
        kind: "AdmissionReview",
        response: { uid: request.uid, allowed: true, ...response },
      },
    },
  });

export interface Told {
  readonly status: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: Json;
}

export const told = (status: number, message: string, more: Omit<Told, "status" | "message"> = {}): Told => ({
  status,
  message,
  ...more,
});
export const internal = (message: string): Told => told(500, message, { reason: "InternalError" });
const NO_JSON =
  "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct " +
  String.raw`{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Both sorts of webhooks are told the same of these. */
export const refusals: readonly (readonly [name: string, decide: Decide, told: Told])[] = [
  ["a refusal without words", respond({ allowed: false }), told(400, `${denied} without explanation`)],
  ["no verdict at all", respond({}), told(400, `${denied} without explanation`)],
  ["a message", respond({ allowed: false, status: { message: "no way" } }), told(400, `${denied}: no way`)],
  [
    "a reason",
    respond({ allowed: false, status: { reason: "Because" } }),
    told(400, `${denied}: Because`, { reason: "Because" }),
  ],
  [
    "a code, details and a reason",
    respond({
      allowed: false,
      status: {
        code: 418,
        message: "tea",
        reason: "Pot",
        details: { causes: [{ field: "a", message: "b" }] },
      },
    }),
    told(418, `${denied}: tea`, { reason: "Pot", details: { causes: [{ field: "a", message: "b" }] } }),
  ],
  [
    "a refusal that calls itself a success",
    respond({ allowed: false, status: { code: 200, status: "Success", metadata: { continue: "" } } }),
    told(400, `${denied} without explanation`),
  ],
  [
    "the uid of another request",
    respond({ allowed: true, uid: "x" }),
    internal(`${invalid}expected response.uid="UID", got "x"`),
  ],
  [
    "no response",
    raw({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }),
    internal(`${invalid}webhook response was absent`),
  ],
  [
    "a review of another version",
    review({}, "v1beta1"),
    internal(`${calling}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`),
  ],
  [
    "a review without a kind",
    raw({ response: {} }),
    internal(`${invalid}expected response.uid="UID", got ""`),
  ],
  [
    "another kind",
    raw({ apiVersion: "v1", kind: "ConfigMap" }),
    internal(
      `${calling}no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
    ),
  ],
  ["a text", raw("hello"), internal(calling + NO_JSON)],
  [
    "nothing",
    raw(""),
    internal(`${calling}0-length response with status code: 200 and content type: application/json`),
  ],
  [
    "404",
    raw("x", 404, "text/plain"),
    internal(`${calling}the server could not find the requested resource`),
  ],
  [
    "500",
    raw("broken", 500, "text/plain"),
    internal(`${calling}an error on the server ("broken") has prevented the request from succeeding`),
  ],
  [
    "503",
    raw("x", 503, "text/plain"),
    internal(`${calling}the server is currently unable to handle the request`),
  ],
  [
    "400",
    raw("x", 400, "text/plain"),
    internal(`${calling}the server rejected our request for an unknown reason`),
  ],
  ["403", raw("mine", 403, "text/plain"), internal(`${calling}mine`)],
  [
    "a redirection",
    raw("x", 301, "text/plain"),
    internal(`${calling}the server responded with the status code 301 but did not return more information`),
  ],
  [
    "a Status that fails",
    raw({ kind: "Status", apiVersion: "v1", status: "Failure", message: "said so", code: 403 }, 403),
    internal(`${calling}said so`),
  ],
  [
    "a Status that does not",
    raw({ kind: "Status", apiVersion: "v1", status: "Success" }),
    internal(`${calling}converting (v1.Status) to (v1.AdmissionReview): unknown conversion`),
  ],
  [
    "a patch that is no base64",
    review({ patch: "%%%", patchType: "JSONPatch" }),
    internal(`${calling}illegal base64 data at input byte 0`),
  ],
];

export const add = { op: "add", path: "/data/x", value: "1" };

/** What a mutating webhook makes of a ConfigMap with data a=b. */
export const patches: readonly (readonly [name: string, decide: Decide, outcome: Told | Json])[] = [
  [
    "without its type",
    review({ patch: "W10=" }),
    internal(`${invalid}webhook returned response.patch but not response.patchType`),
  ],
  [
    "that is missing",
    review({ patchType: "JSONPatch" }),
    internal(`${invalid}webhook returned response.patchType but not response.patch`),
  ],
  [
    'of type ""',
    review({ patch: "W10=", patchType: "" }),
    internal(`${invalid}webhook returned invalid response.patchType of ""`),
  ],
  [
    "of an unknown type",
    () => ({ response: { ...patching([add]).response, patchType: "Merge" } }),
    internal(`${failing}unsupported patch type "Merge"`),
  ],
  [
    "that ends too soon",
    () => patching("{"),
    internal(`${failing}received undecodable patch in webhook response: unexpected end of JSON input`),
  ],
  [
    "that is no list",
    () => patching({}),
    internal(
      `${failing}received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
    ),
  ],
  ["of no operations", () => patching([]), { a: "b" }],
  ["that adds", () => patching([add]), { a: "b", x: "1" }],
  [
    "of a place that is not there",
    () => patching([{ op: "replace", path: "/nope/x", value: "1" }]),
    internal(
      "Internal error occurred: replace operation does not apply: doc is missing path: /nope/x: missing value",
    ),
  ],
  [
    "whose test fails",
    () => patching([{ op: "test", path: "/data/a", value: "no" }]),
    internal("Internal error occurred: testing value /data/a failed: test failed"),
  ],
  [
    "that makes a number of a map",
    () => patching([{ op: "replace", path: "/data", value: 5 }]),
    internal(
      "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string",
    ),
  ],
  [
    "with a field that does not exist",
    () => patching([{ op: "add", path: "/unknown", value: 5 }]),
    { a: "b" },
  ],
  [
    "of the namespace",
    () => patching([{ op: "replace", path: "/metadata/namespace", value: "other" }]),
    told(400, "the namespace of the provided object does not match the namespace sent on the request", {
      reason: "BadRequest",
    }),
  ],
  [
    "that leads to what is invalid",
    () => patching([{ op: "add", path: "/binaryData", value: { a: "" } }]),
    told(
      422,
      'ConfigMap "f" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData',
      {
        reason: "Invalid",
      },
    ),
  ],
];
