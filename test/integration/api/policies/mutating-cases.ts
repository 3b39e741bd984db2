import { applying, type Json, patching, type Policy, rule } from "./policy-stage.ts";

export interface MutatingCase {
  readonly name: string;
  readonly policies: readonly Policy[];
  /** ConfigMaps that are there before. */
  readonly params?: readonly Json[];
  /** What is created; a plain ConfigMap "m" where this is left out. */
  readonly object?: Json;
  readonly path?: (namespace: string) => string;
  /** What the object holds then, of the fields named here. */
  readonly expected?: Json;
  /** With POLICY for "policy 'p' with binding 'b' denied request". */
  readonly refused?: { readonly message: string; readonly reason?: string };
}

const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const annotate = (entries: string): Json =>
  applying(`Object{metadata: Object.metadata{annotations: {${entries}}}}`);
const mutations = (...list: readonly Json[]): Json => ({ mutations: list });
const counting = (mark: string): Json =>
  annotate(`?"foo": optional.of(string(int(object.metadata.annotations["foo"]) + 1)), "${mark}": "true"`);
const again = { reinvocationPolicy: "IfNeeded" };
const annotated = (annotations: Json): Json => ({ metadata: { name: "m", annotations } });
const param = (name: string, data: Json, labels: Json = {}): Json => ({ metadata: { name, labels }, data });
const whenLabelled = (value: string): Json => ({
  matchConditions: [
    { name: "test-only", expression: `object.metadata.?labels["environment"] == optional.of("${value}")` },
  ],
});
const label = (value: string): Json =>
  mutations(applying(`Object{metadata: Object.metadata{labels: {"applied": "${value}"}}}`));
const inTest = { metadata: { name: "m", labels: { environment: "test" } } };

const pods = { matchConstraints: { resourceRules: [rule(["pods"])] } };
const podsPath = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const pod = {
  metadata: { name: "m" },
  spec: {
    containers: [
      { name: "a", image: "a:1" },
      { name: "b", image: "b:1", args: ["x"] },
    ],
  },
};
const HPAS = "horizontalpodautoscalers";

/** upstream: test/integration/apiserver/cel/mutatingadmissionpolicy_test.go */
export const mutatingCases: readonly MutatingCase[] = [
  {
    name: "an annotation",
    policies: [{ spec: mutations(annotate(`"a": object.metadata.name + request.operation`)) }],
    expected: annotated({ a: "mCREATE" }),
  },
  {
    name: "several policies",
    policies: [{ spec: mutations(annotate(`"a": "1"`)) }, { spec: mutations(annotate(`"b": "2"`)) }],
    expected: annotated({ a: "1", b: "2" }),
  },
  {
    name: "params by name",
    policies: [
      {
        spec: { paramKind, ...mutations(annotate(`params.data["key"]: params.data["value"]`)) },
        binding: { paramRef: { name: "p", parameterNotFoundAction: "Allow" } },
      },
    ],
    params: [param("p", { key: "k", value: "v" })],
    expected: annotated({ k: "v" }),
  },
  {
    name: "params by their labels",
    policies: [
      {
        spec: {
          paramKind,
          ...mutations(applying("Object{metadata: Object.metadata{annotations: params.data}}")),
        },
        binding: { paramRef: { selector: { matchLabels: { p: "1" } }, parameterNotFoundAction: "Allow" } },
      },
    ],
    params: [
      param("a", { a: "1" }, { p: "1" }),
      param("b", { b: "2", c: "3" }, { p: "1" }),
      param("c", { d: "4" }),
    ],
    expected: annotated({ a: "1", b: "2", c: "3" }),
  },
  {
    name: "bindings with params of their own",
    policies: [
      {
        spec: {
          paramKind,
          ...mutations(applying("Object{metadata: Object.metadata{annotations: params.data}}")),
        },
        binding: { paramRef: { name: "a", parameterNotFoundAction: "Allow" } },
        bindings: { second: { paramRef: { name: "b", parameterNotFoundAction: "Allow" } } },
      },
    ],
    params: [param("a", { a: "1" }), param("b", { b: "2", c: "3" })],
    expected: annotated({ a: "1", b: "2", c: "3" }),
  },
  {
    name: "params that have to be there",
    policies: [
      {
        spec: { paramKind, ...mutations(annotate(`"a": "1"`)) },
        binding: { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
      },
    ],
    refused: {
      message:
        "POLICY: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      reason: "Forbidden",
    },
  },
  {
    name: "variables, and several mutations",
    policies: [
      {
        spec: {
          variables: [
            { name: "one", expression: `"foo1" + "Value"` },
            { name: "two", expression: `variables.one.replace("1", "2")` },
          ],
          ...mutations(
            annotate(`"foo1": variables.one`),
            patching(`[
              JSONPatch{op: "test", path: "/metadata/annotations", value: {"foo1": variables.one}},
              JSONPatch{op: "add", path: "/metadata/annotations/foo2", value: variables.two},
            ]`),
            annotate(`"foo3": object.metadata.annotations.foo2`),
          ),
        },
      },
    ],
    expected: annotated({ foo1: "foo1Value", foo2: "foo2Value", foo3: "foo2Value" }),
  },
  {
    name: "conditions that hold",
    policies: [
      { spec: { ...whenLabelled("production"), ...label("wrong") } },
      { spec: { ...whenLabelled("test"), ...label("updated") } },
    ],
    object: inTest,
    expected: { metadata: { labels: { environment: "test", applied: "updated" } } },
  },
  {
    name: "conditions that fail",
    policies: [
      {
        spec: { matchConditions: [{ name: "a", expression: "object.nope == 1" }], ...label("wrong") },
      },
    ],
    refused: { message: "POLICY: expression 'object.nope == 1' resulted in error: no such key: nope" },
  },
  {
    name: "policies that want to see what others have changed",
    policies: [
      { spec: { ...again, ...mutations(counting("first")) } },
      { spec: { ...again, ...mutations(counting("second")) } },
      { spec: mutations(counting("third")) },
    ],
    object: { metadata: { name: "m", annotations: { foo: "0" } } },
    expected: annotated({ foo: "5", first: "true", second: "true", third: "true" }),
  },
  {
    name: "params of which each wants to see what the others have changed",
    policies: [
      {
        spec: {
          ...again,
          paramKind,
          ...mutations(
            applying("Object{metadata: Object.metadata{annotations: params.data}}"),
            counting("counted"),
          ),
        },
        binding: { paramRef: { selector: { matchLabels: { p: "1" } }, parameterNotFoundAction: "Allow" } },
      },
      {
        spec: {
          paramKind,
          ...mutations(
            applying("Object{metadata: Object.metadata{annotations: params.data}}"),
            counting("counted"),
          ),
        },
        binding: { paramRef: { name: "c", parameterNotFoundAction: "Allow" } },
      },
    ],
    params: [
      param("a", { one: "1" }, { p: "1" }),
      param("b", { two: "2" }, { p: "1" }),
      param("c", { three: "3" }),
    ],
    object: { metadata: { name: "m", annotations: { foo: "0" } } },
    expected: annotated({ foo: "5", one: "1", two: "2", three: "3", counted: "true" }),
  },
  {
    name: "what fails and may be ignored",
    policies: [
      {
        spec: {
          failurePolicy: "Ignore",
          ...mutations(applying(`Object{spec: Object.spec{nope: "x"}}`), annotate(`"a": "1"`)),
        },
      },
    ],
    expected: annotated({ a: "1" }),
  },
  {
    name: "a field that there is not",
    policies: [{ spec: mutations(applying(`Object{spec: Object.spec{nope: "x"}}`)) }],
    refused: {
      message:
        "POLICY: error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema",
    },
  },
  {
    name: "a value of another type",
    policies: [{ spec: mutations(applying(`Object{data: {"a": 1}}`)) }],
    refused: {
      message:
        "POLICY: error applying patch: failed to convert patch object to typed object: .data.a: expected string, got &value.valueUnstructured{Value:1}",
    },
  },
  {
    name: "types that are not named by their path",
    policies: [{ spec: mutations(applying(`Object{metadata: Object.spec{labels: {"a": "b"}}}`)) }],
    refused: {
      message:
        'POLICY: type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    },
  },
  {
    name: "an expression that fails",
    policies: [{ spec: mutations(annotate(`"a": object.nope`)) }],
    refused: {
      message: `POLICY: expression 'Object{metadata: Object.metadata{annotations: {"a": object.nope}}}' resulted in error: no such key: nope`,
    },
  },
  {
    name: "several refusals",
    policies: [{ spec: mutations(annotate(`"a": object.one`), annotate(`"a": object.two`)) }],
    refused: {
      message: `POLICY: expression 'Object{metadata: Object.metadata{annotations: {"a": object.one}}}' resulted in error: no such key: one`,
    },
  },
  {
    name: "a sidecar, and an argument for one that is there",
    policies: [
      {
        spec: {
          ...pods,
          ...mutations(
            applying(
              `Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "proxy", image: "p:1", restartPolicy: "Always"}]}}`,
            ),
            applying(
              `Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: "A", value: c.image}]})}}`,
            ),
          ),
        },
      },
    ],
    object: pod,
    path: podsPath,
    expected: {
      spec: {
        initContainers: [
          { name: "proxy", image: "p:1", restartPolicy: "Always", imagePullPolicy: "IfNotPresent" },
        ],
        containers: [
          { name: "a", image: "a:1", env: [{ name: "A", value: "a:1" }], imagePullPolicy: "IfNotPresent" },
          {
            name: "b",
            image: "b:1",
            args: ["x"],
            env: [{ name: "A", value: "b:1" }],
            imagePullPolicy: "IfNotPresent",
          },
        ],
      },
    },
  },
  {
    name: "what is owned whole",
    policies: [
      {
        spec: {
          ...pods,
          ...mutations(
            applying(
              `Object{spec: Object.spec{containers: [Object.spec.containers{name: "b", args: ["y"]}]}}`,
            ),
          ),
        },
      },
    ],
    object: pod,
    path: podsPath,
    refused: {
      message:
        "POLICY: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args",
    },
  },
  {
    name: "an optional field that is not there",
    policies: [
      {
        spec: mutations(
          applying(
            `Object{metadata: Object.metadata{?annotations: object.metadata.?nope, labels: {"a": "b"}}}`,
          ),
        ),
      },
    ],
    expected: { metadata: { name: "m", labels: { a: "b" } } },
  },
  {
    name: "a JSON patch of objects, keys that are escaped, and all operations",
    policies: [
      {
        spec: {
          ...pods,
          ...mutations(
            patching(`[
              JSONPatch{op: "add", path: "/metadata/annotations", value: {}},
              JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/a"), value: jsonpatch.escapeKey("a~b/c")},
              JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{name: "c", image: "c:1"}},
              JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "a:2"},
              JSONPatch{op: "copy", from: "/metadata/name", path: "/metadata/annotations/copied"},
              JSONPatch{op: "move", from: "/spec/containers/1/args", path: "/spec/containers/1/command"},
              JSONPatch{op: "add", path: "/spec/terminationGracePeriodSeconds", value: 5},
              JSONPatch{op: "remove", path: "/spec/containers/0/imagePullPolicy"},
            ]`),
          ),
        },
      },
    ],
    object: pod,
    path: podsPath,
    expected: {
      metadata: { annotations: { "example.com/a": "a~0b~1c", copied: "m" } },
      spec: {
        terminationGracePeriodSeconds: 5,
        containers: [
          { name: "a", image: "a:2", imagePullPolicy: "IfNotPresent" },
          { name: "b", image: "b:1", command: ["x"] },
          { name: "c", image: "c:1", imagePullPolicy: "IfNotPresent" },
        ],
      },
    },
  },
  {
    name: "a JSON patch that is for other objects",
    policies: [
      {
        spec: mutations(
          patching(
            `[JSONPatch{op: "test", path: "/metadata/name", value: "other"}, JSONPatch{op: "add", path: "/data/a", value: "b"}]`,
          ),
        ),
      },
    ],
    object: { metadata: { name: "m" }, data: { a: "a" } },
    expected: { data: { a: "a" } },
  },
  {
    name: "a JSON patch of what is not there",
    policies: [{ spec: mutations(patching(`[JSONPatch{op: "replace", path: "/data/a", value: "b"}]`)) }],
    refused: {
      message:
        "POLICY: JSON Patch: replace operation does not apply: doc is missing path: /data/a: missing value",
    },
  },
  {
    name: "a JSON patch that makes a field that there is not",
    policies: [{ spec: mutations(patching(`[JSONPatch{op: "add", path: "/nope", value: "b"}]`)) }],
    refused: {
      message: 'Internal error occurred: strict decoding error: unknown field "nope"',
      reason: "InternalError",
    },
  },
  {
    name: "another version of the resource",
    policies: [
      {
        spec: {
          matchConstraints: {
            resourceRules: [rule([HPAS], ["CREATE"], { apiGroups: ["autoscaling"], apiVersions: ["v1"] })],
          },
          ...mutations(applying("Object{spec: Object.spec{targetCPUUtilizationPercentage: 42}}")),
        },
      },
    ],
    path: (namespace) => `/apis/autoscaling/v2/namespaces/${namespace}/${HPAS}`,
    object: {
      metadata: { name: "m" },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
    },
    refused: {
      message:
        "POLICY: converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion",
    },
  },
  {
    name: "an expression that costs too much",
    policies: [
      {
        spec: {
          variables: [
            {
              name: "much",
              expression: Array.from(
                { length: 3 },
                () => "authorizer.path('/x').check('get').allowed()",
              ).join(" && "),
            },
          ],
          ...mutations(annotate(`"a": string(variables.much)`)),
        },
      },
    ],
    refused: {
      message: `POLICY: expression 'Object{metadata: Object.metadata{annotations: {"a": string(variables.much)}}}' resulted in error: composited variable "much" fails to evaluate: operation cancelled: actual cost limit exceeded`,
    },
  },
];
