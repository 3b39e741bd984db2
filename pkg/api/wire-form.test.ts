import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizeWireForm } from "./wire-form.ts";

function normalized(object: Record<string, unknown>): Record<string, unknown> {
  normalizeWireForm(object, "apps/v1", "ReplicaSet");
  return object;
}

test("unknown fields, nulls and empty optional fields go", () => {
  const spec = {
    replicas: null,
    unknown: 1,
    template: { metadata: { labels: {} }, spec: { containers: [], hostname: "" } },
  };
  expect(normalized({ spec, extra: true })).toEqual({
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } } },
    status: { replicas: 0 },
  });
});

test("zero stays where it means something else than nothing", () => {
  const spec = {
    replicas: 0,
    minReadySeconds: 0,
    template: { spec: { terminationGracePeriodSeconds: 0, hostNetwork: false } },
  };
  expect(normalized({ spec })["spec"]).toEqual({
    replicas: 0,
    selector: null,
    template: { metadata: {}, spec: { containers: null, terminationGracePeriodSeconds: 0 } },
  });
});

test("defaults that the types declare are filled in, zeros of pointers too", () => {
  const containers = [
    { name: "a", ports: [{ containerPort: 1, protocol: "" }], livenessProbe: { grpc: { port: 2 } } },
  ];
  const object = { spec: { template: { spec: { containers } } } };
  expect(normalized(object)).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              ports: [{ containerPort: 1, protocol: "TCP" }],
              livenessProbe: { grpc: { port: 2, service: "" } },
            },
          ],
        },
      },
    },
  });
});

test.each([
  ["1000m", "1"],
  ["0.5", "500m"],
  ["1024Mi", "1Gi"],
  ["0.1m", "1m"],
  [2, "2"],
  ["nonsense", "nonsense"],
])("the amount %s is kept as %s", (given, kept) => {
  const resources = { limits: { cpu: given } };
  const object = { spec: { template: { spec: { containers: [{ name: "a", resources }] } } } };
  expect(normalized(object)).toMatchObject({
    spec: { template: { spec: { containers: [{ resources: { limits: { cpu: kept } } }] } } },
  });
});

test.each([
  ["2026-01-01T00:00:00.999Z", "2026-01-01T00:00:00Z"],
  ["2026-01-01T01:30:00+01:30", "2026-01-01T00:00:00Z"],
])("the time %s is kept as %s", (given, kept) => {
  const conditions = [{ type: "a", status: "True", lastTransitionTime: given }];
  expect(normalized({ status: { conditions } })).toMatchObject({
    status: { conditions: [{ lastTransitionTime: kept }] },
  });
});

test("normalizing again changes nothing, whatever the object", () => {
  fc.assert(
    fc.property(
      fc.object({ key: fc.constantFrom("spec", "status", "metadata", "replicas", "template", "labels") }),
      (object) => {
        const once = normalized(structuredClone<Record<string, unknown>>(object));
        expect(normalized(structuredClone(once))).toEqual(once);
      },
    ),
  );
});
