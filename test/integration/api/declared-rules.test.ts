import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

type Json = Readonly<Record<string, unknown>>;
type Cause = readonly [reason: string, field: string, message: string];

const required = (field: string): Cause => ["FieldValueRequired", field, "Required value"];
const tooMany = (field: string, actual: number, most: number): Cause => [
  "FieldValueTooMany",
  field,
  `Too many: ${actual}: must have at most ${most} items`,
];
const duplicate = (field: string, value: string): Cause => [
  "FieldValueDuplicate",
  field,
  `Duplicate value: "${value}"`,
];
const unsupported = (field: string, value: string, values: readonly string[]): Cause => [
  "FieldValueNotSupported",
  field,
  `Unsupported value: "${value}": supported values: ${values.map((one) => `"${one}"`).join(", ")}`,
];

const resourceApi = "/apis/resource.k8s.io/v1";
const claims = `${resourceApi}/namespaces/NS/resourceclaims`;
const classes = `${resourceApi}/deviceclasses`;
const slices = `${resourceApi}/resourceslices`;
const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";

const many = (count: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => item(index));
const exactly = { deviceClassName: "c" };
const claim = (devices: Json): Json => ({
  spec: { devices: { requests: [{ name: "a", exactly }], ...devices } },
});
const request = (fields: Json): Json =>
  claim({ requests: [{ name: "a", exactly: { ...exactly, ...fields } }] });
const selector = { cel: { expression: "true" } };
const opaque = { driver: "a.example.com", parameters: { a: 1 } };
const slice = (fields: Json): Json => ({
  spec: {
    driver: "d.example.com",
    pool: { name: "p", resourceSliceCount: 1 },
    nodeName: "n",
    devices: [{ name: "x" }],
    ...fields,
  },
});
const requests = "spec.devices.requests";

/** What types declare of their fields, and what is said of objects that do not keep to it. */
const refused: readonly (readonly [what: string, path: string, body: Json, causes: readonly Cause[]])[] = [
  ["a handler that is missing", runtimeClasses, { handler: "" }, [required("handler")]],
  [
    "an attacher that is too long",
    attachments,
    { spec: { attacher: "x".repeat(64), nodeName: "n", source: { persistentVolumeName: "p" } } },
    [["FieldValueTooLong", "spec.attacher", "Too long: may not be more than 63 bytes"]],
  ],
  [
    "requests beyond 32",
    claims,
    claim({ requests: many(33, (index) => ({ name: `a${index}`, exactly })) }),
    [tooMany(requests, 33, 32)],
  ],
  [
    "a request twice",
    claims,
    claim({ requests: many(2, () => ({ name: "a", exactly })) }),
    [duplicate(`${requests}[1]`, "a")],
  ],
  [
    "a subrequest without class",
    claims,
    claim({ requests: [{ name: "a", firstAvailable: [{ name: "s", deviceClassName: "" }] }] }),
    [required(`${requests}[0].firstAvailable[0].deviceClassName`)],
  ],
  [
    "subrequests beyond eight",
    claims,
    claim({
      requests: [{ name: "a", firstAvailable: many(9, (index) => ({ name: `s${index}`, ...exactly })) }],
    }),
    [tooMany(`${requests}[0].firstAvailable`, 9, 8)],
  ],
  [
    "constraints beyond 32",
    claims,
    claim({ constraints: many(33, () => ({ matchAttribute: "a.example.com/b" })) }),
    [tooMany("spec.devices.constraints", 33, 32)],
  ],
  [
    "a request twice in a constraint",
    claims,
    claim({ constraints: [{ requests: ["a", "a"], matchAttribute: "a.example.com/b" }] }),
    [duplicate("spec.devices.constraints[0].requests[1]", "a")],
  ],
  [
    "a configuration without driver, of a request twice",
    claims,
    claim({ config: [{ requests: ["a", "a"], opaque: { driver: "", parameters: {} } }] }),
    [required("spec.devices.config[0].opaque.driver"), duplicate("spec.devices.config[0].requests[1]", "a")],
  ],
  [
    "selectors beyond 32",
    claims,
    request({ selectors: many(33, () => selector) }),
    [tooMany(`${requests}[0].exactly.selectors`, 33, 32)],
  ],
  [
    "an unknown way of allocation",
    claims,
    request({ allocationMode: "x" }),
    [unsupported(`${requests}[0].exactly.allocationMode`, "x", ["All", "ExactCount"])],
  ],
  [
    "unknown tolerations",
    claims,
    request({ tolerations: [{ key: "a", operator: "x", effect: "y" }] }),
    [
      unsupported(`${requests}[0].exactly.tolerations[0].effect`, "y", ["NoExecute", "NoSchedule", "None"]),
      unsupported(`${requests}[0].exactly.tolerations[0].operator`, "x", ["Equal", "Exists"]),
    ],
  ],
  [
    "selectors of a class beyond 32",
    classes,
    { spec: { selectors: many(33, () => selector) } },
    [tooMany("spec.selectors", 33, 32)],
  ],
  [
    "configurations of a class beyond 32",
    classes,
    { spec: { config: many(33, () => ({ opaque })) } },
    [tooMany("spec.config", 33, 32)],
  ],
  [
    "a class without driver",
    classes,
    { spec: { config: [{ opaque: { ...opaque, driver: "" } }] } },
    [required("spec.config[0].opaque.driver")],
  ],
  [
    "counters beyond eight",
    slices,
    slice({
      devices: null,
      sharedCounters: many(9, (index) => ({ name: `a${index}`, counters: { a: { value: "1" } } })),
    }),
    [tooMany("spec.sharedCounters", 9, 8)],
  ],
  [
    "counters without name",
    slices,
    slice({ devices: null, sharedCounters: [{ name: "", counters: {} }] }),
    [required("spec.sharedCounters[0].counters"), required("spec.sharedCounters[0].name")],
  ],
  [
    "a taint without effect",
    slices,
    slice({ devices: [{ name: "x", taints: [{ key: "a", effect: "" }] }] }),
    [required("spec.devices[0].taints[0].effect")],
  ],
];

const taken: readonly (readonly [what: string, path: string, body: Json])[] = [
  ["a runtime class", runtimeClasses, { handler: "h" }],
  ["a claim", claims, request({ tolerations: [{ key: "a.example.com/b", operator: "Exists" }] })],
  [
    "a claim with configuration",
    claims,
    claim({ config: [{ opaque: { ...opaque, driver: "D.example.com" } }] }),
  ],
  ["a class", classes, { spec: { selectors: [selector] } }],
  ["a slice", slices, slice({})],
];

function causesOf(details: Json | undefined): readonly Cause[] {
  const causes = (details?.["causes"] ?? []) as readonly { reason: string; field: string; message: string }[];
  return causes
    .map(({ reason, field, message }): Cause => [reason, field, message])
    .toSorted(([, a], [, b]) => (a < b ? -1 : 1));
}

describeApi("rules that types declare", (api) => {
  test.each(refused)("%s is refused", async (_what, path, body, causes) => {
    const namespace = await api().namespace();
    const object = { ...body, metadata: { name: `of-${namespace}` } };
    const answer = await api().send("POST", path.replace("NS", namespace), object);
    expect([answer.status, causesOf(answer.body.details)]).toEqual([422, causes]);
  });

  test.each(taken)("%s is taken", async (_what, path, body) => {
    const namespace = await api().namespace();
    const object = { ...body, metadata: { name: `of-${namespace}` } };
    const { status, body: answer } = await api().send("POST", path.replace("NS", namespace), object);
    expect(status, answer.message).toBe(201);
  });

  test("an address needs its parent", async () => {
    const path = "/apis/networking.k8s.io/v1/ipaddresses";
    const create = async (name: string, spec: Json): Promise<readonly Cause[]> => {
      const { body } = await api().send("POST", path, { metadata: { name }, spec });
      return causesOf(body.details);
    };
    expect(await create("10.9.9.9", {})).toEqual([required("spec.parentRef")]);
    expect(await create("10.9.9.8", { parentRef: {} })).toEqual([
      required("spec.parentRef.name"),
      required("spec.parentRef.resource"),
    ]);
    expect(await create("10.9.9.7", { parentRef: { resource: "services", name: "a" } })).toEqual([]);
    const changed = await api().patch(`${path}/10.9.9.7`, "merge", { spec: { parentRef: { name: "b" } } });
    expect(changed.body.message).toMatch(/spec\.parentRef: Invalid value: .*: field is immutable$/);
  });

  test("a name is held against its format", async () => {
    const object = { metadata: { name: "bad" }, handler: "A_" };
    const { status, body } = await api().send("POST", runtimeClasses, object);
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining('handler: Invalid value: "A_": a lowercase RFC 1123 label must consist of'),
    ]);
  });

  test("a field that is immutable stays, and is required still", async () => {
    await api().send("POST", runtimeClasses, { metadata: { name: "fixed" }, handler: "h" });
    const path = `${runtimeClasses}/fixed`;
    const changed = await api().patch(path, "merge", { handler: "i" });
    const immutable = (value: string): Cause => [
      "FieldValueInvalid",
      "handler",
      `Invalid value: "${value}": field is immutable`,
    ];
    expect([changed.status, causesOf(changed.body.details)]).toEqual([422, [immutable("i")]]);
    const emptied = await api().patch(path, "merge", { handler: "" });
    expect(causesOf(emptied.body.details)).toHaveLength(2);
    expect(causesOf(emptied.body.details)).toEqual(
      expect.arrayContaining([immutable(""), required("handler")]),
    );
    const same = await api().patch(path, "merge", { handler: "h", metadata: { labels: { a: "b" } } });
    expect(same.status).toBe(200);
  });
});
