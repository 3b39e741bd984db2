import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { describeApi } from "../api-client.ts";
import { type Configured, type Hook, type Json, patching, rule, WebhookStage } from "./webhook-stage.ts";

const group = "matching.example.com";

describeApi("which webhooks are called", (api) => {
  let stage: WebhookStage;
  let space = "";
  beforeAll(async () => {
    stage = await WebhookStage.open(api());
    space = `/namespaces/${stage.namespace}`;
  });
  afterAll(async () => stage.stop());

  /** The names of those that were asked of a create of a ConfigMap with these labels. */
  async function asked(hooks: readonly Hook[], labels: Json = {}): Promise<readonly string[]> {
    let names: readonly string[] = [];
    await stage.during("validating", hooks, async (configured) => {
      await api().send("POST", `${stage.configMaps}?dryRun=All`, { metadata: { name: "cm", labels } });
      // Others write in the namespace, too.
      names = configured.asked.filter((_, at) => configured.seen[at]?.name === "cm");
    });
    return names.toSorted();
  }

  test("by operation, group, version, resource and scope", async () => {
    const named = (name: string, of: Json): Hook => ({ name, rules: [of] });
    const on = (more: Json): Json => rule(["configmaps"], ["*"], more);
    const names = await asked([
      named("all", rule(["*"])),
      named("everything", rule(["*/*"])),
      named("subresources", rule(["*/status", "configmaps/scale"])),
      named("plain", rule(["configmaps"])),
      named("below", rule(["configmaps/*"])),
      named("others", rule(["pods", "secrets"])),
      named("created", rule(["configmaps"], ["CREATE"])),
      named("updated", rule(["configmaps"], ["UPDATE", "DELETE", "CONNECT"])),
      named("core", on({ apiGroups: [""] })),
      named("apps", on({ apiGroups: ["apps"] })),
      named("first", on({ apiVersions: ["v1"] })),
      named("second", on({ apiVersions: ["v2"] })),
      named("namespaced", on({ scope: "Namespaced" })),
      named("cluster", on({ scope: "Cluster" })),
      { name: "either", rules: [rule(["pods"]), rule(["configmaps"])] },
      { name: "none", rules: [] },
    ]);
    expect(names).toEqual([
      "all",
      "below",
      "core",
      "created",
      "either",
      "everything",
      "first",
      "namespaced",
      "plain",
    ]);
  });

  test("by the labels of the namespace and of the object", async () => {
    const rules = [rule(["configmaps"])];
    const names = await asked(
      [
        { name: "elsewhere", rules, namespaceSelector: { matchLabels: { nobody: "has" } } },
        {
          name: "everywhere",
          rules,
          namespaceSelector: { matchExpressions: [{ key: "nobody", operator: "DoesNotExist" }] },
        },
        { name: "labelled", rules, objectSelector: { matchLabels: { a: "b" } } },
        {
          name: "otherwise",
          rules,
          objectSelector: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] },
        },
      ],
      { a: "b" },
    );
    expect(names).toEqual(["everywhere", "labelled"]);
  });

  test("by conditions", async () => {
    const rules = [rule(["configmaps"])];
    const when = (name: string, ...expressions: readonly string[]): Hook => ({
      name,
      rules,
      matchConditions: expressions.map((expression, at) => ({ name: `c${at}`, expression })),
    });
    const names = await asked(
      [
        when("operation", "request.operation == 'CREATE'"),
        when("user", "'system:masters' in request.userInfo.groups"),
        when("nobody", "request.userInfo.username == 'nobody'"),
        when("labels", "object.metadata.?labels['a'].orValue('') == 'b'"),
        when("new", "oldObject == null"),
        when("kind", "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'"),
        when("namespace", `request.namespace == '${stage.namespace}'`),
        when("dry", "request.dryRun"),
        when("both", "true", "object.metadata.name == 'cm'"),
        when("one", "true", "object.metadata.name == 'other'"),
        when("one-fails", "object.data.a == 'b'", "false"),
        { ...when("fails", "object.data.a == 'b'"), failurePolicy: "Ignore" },
        when("options", "request.options.kind == 'CreateOptions'"),
      ],
      { a: "b" },
    );
    expect(names).toEqual(
      ["both", "dry", "kind", "labels", "namespace", "new", "operation", "options", "user"].toSorted(),
    );
  });

  test("by what the requester may, and by the version that is told", async () => {
    const rules = [rule(["configmaps"])];
    const when = (name: string, expression: string): Hook => ({
      name,
      rules,
      matchConditions: [{ name: "c", expression }],
    });
    const may = (verb: string): string =>
      `authorizer.group('').resource('pods').namespace('x').check('${verb}').allowed()`;
    const account = `authorizer.serviceAccount('x', 'nobody')`;
    const names = await asked([
      when("may", may("get")),
      when("account", `${account}.group('').resource('pods').check('get').allowed()`),
      when("itself", "authorizer.requestResource.check('create').allowed()"),
      when("namespace", "namespaceObject == null"),
      when("spoken", "has(namespaceObject.metadata) || true"),
    ]);
    expect(names).toEqual(["itself", "may", "namespace", "spoken"]);
    const events = [rule(["events"], ["CREATE"], { apiGroups: ["events.k8s.io"] })];
    const matchConditions = [{ name: "c", expression: "object.note == 'something happened'" }];
    await stage.during("validating", [{ rules: events, matchConditions }], async ({ seen }) => {
      const made = await api().send("POST", `/api/v1${space}/events`, event("told"));
      expect([made.status, seen.length]).toEqual([201, 1]);
    });
  });

  test("conditions that fail count as a webhook that cannot be called", async () => {
    const conditions = [
      { name: "c", expression: "object.metadata.name == 'marker' || object.data.a == 'b'" },
    ];
    const hook = { rules: [rule(["configmaps"])], matchConditions: conditions };
    await stage.during("validating", [hook], async () => {
      const { status, body } = await api().send("POST", stage.configMaps, { metadata: { name: "failing" } });
      expect([status, body.message]).toEqual([
        403,
        `configmaps "failing" is forbidden: expression 'object.metadata.name == 'marker' || object.data.a == 'b'' resulted in error: no such key: data`,
      ]);
    });
  });

  test("by the labels that an object had or is to have", async () => {
    const hook = {
      rules: [rule(["configmaps"], ["UPDATE", "DELETE"])],
      objectSelector: { matchLabels: { a: "b" } },
    };
    await stage.during("validating", [hook], async ({ seen }) => {
      const path = `${stage.configMaps}/cm`;
      const change = async (body: Json): Promise<void> =>
        api().caughtUp(path, await api().patch(path, "merge", body));
      await api().caughtUp(path, await api().send("POST", stage.configMaps, { metadata: { name: "cm" } }));
      await change({ data: { x: "y" } });
      await change({ metadata: { labels: { a: "b" } } });
      await change({ metadata: { labels: null } });
      await change({ metadata: { labels: { a: "b" } } });
      await api().send("DELETE", path);
      expect(seen.map(({ operation }) => operation)).toEqual(["UPDATE", "UPDATE", "UPDATE", "DELETE"]);
    });
  });

  test("what belongs to no namespace is not spared by its labels", async () => {
    const hooks = [
      { name: "cluster", rules: [rule(["priorityclasses"], ["CREATE"], { scope: "Cluster" })] },
      { name: "namespaced", rules: [rule(["priorityclasses"], ["CREATE"], { scope: "Namespaced" })] },
    ];
    await stage.during("validating", hooks, async (configured) => {
      const body = { metadata: { name: "webhooks" }, value: 1 };
      await api().send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses?dryRun=All", body);
      expect(configured.asked).toEqual(["cluster"]);
    });
  });

  const event = (name: string): Json => ({
    metadata: { name },
    message: "something happened",
    reason: "Test",
    type: "Normal",
    involvedObject: { kind: "ConfigMap", namespace: stage.namespace, name: "x" },
  });

  test("the same objects by another name are told by the name that was asked for", async () => {
    const rules = [rule(["events"], ["CREATE"], { apiGroups: ["events.k8s.io"] })];
    const hooks = [
      { name: "exact", rules, matchPolicy: "Exact" },
      { name: "equivalent", rules },
    ];
    await stage.during("validating", hooks, async ({ seen, asked: names }) => {
      await api().send("POST", `/api/v1${space}/events`, event("e1"));
      expect(names).toEqual(["equivalent"]);
      expect(seen).toMatchObject([
        {
          kind: { group: "events.k8s.io", version: "v1", kind: "Event" },
          resource: { group: "events.k8s.io", version: "v1", resource: "events" },
          requestKind: { group: "", version: "v1", kind: "Event" },
          requestResource: { group: "", version: "v1", resource: "events" },
          object: { apiVersion: "events.k8s.io/v1", note: "something happened" },
        },
      ]);
    });
  });

  test("a patch of the same object by another name is taken over", async () => {
    const rules = [rule(["events"], ["CREATE"], { apiGroups: ["events.k8s.io"] })];
    const decide = () => patching([{ op: "replace", path: "/note", value: "nothing" }]);
    await stage.during("mutating", [{ rules, decide }], async () => {
      const { status, body } = await api().send("POST", `/api/v1${space}/events`, event("e2"));
      expect([status, body.message, body["apiVersion"]]).toEqual([201, "nothing", "v1"]);
    });
  });

  test("custom resources are told in the version that a rule names, and are stored in theirs", async () => {
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: { data: { type: "object", additionalProperties: { type: "string" } } },
      },
    };
    const names = { plural: "things", kind: "Thing" };
    const versions = [
      { name: "v1", served: true, storage: true, schema },
      { name: "v2", served: true, storage: false, schema },
    ];
    const definition = {
      metadata: { name: `things.${group}` },
      spec: { group, scope: "Namespaced", names, versions },
    };
    await api().send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const path = (version: string): string => `/apis/${group}/${version}${space}/things`;
    await until("things are served", async () => (await api().get(path("v2"))).status === 200);
    const rules = [rule(["things"], ["CREATE"], { apiVersions: ["v2"] })];
    const decide = () =>
      patching([
        { op: "add", path: "/data/added", value: "yes" },
        { op: "add", path: "/unknown", value: "field" },
      ]);
    await stage.during("mutating", [{ rules, decide }], async ({ seen }) => {
      const body = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" }, data: { a: "b" } };
      const made = await api().send("POST", path("v1"), body);
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({ apiVersion: `${group}/v1`, data: { a: "b", added: "yes" } });
      expect(made.body).not.toHaveProperty("unknown");
      expect(seen).toMatchObject([
        {
          kind: { group, version: "v2", kind: "Thing" },
          requestKind: { group, version: "v1", kind: "Thing" },
          object: { apiVersion: `${group}/v2`, data: { a: "b" } },
        },
      ]);
    });
  });

  /** Appends its name to the list that the object carries. */
  const appending = (name: string, more: Json = {}): Hook => ({
    name,
    rules: [rule(["configmaps"], ["CREATE"])],
    decide: ({ object }) => {
      const data = (object?.["data"] ?? {}) as Readonly<Record<string, string>>;
      const value = `${data["path"] ?? ""}${name}`;
      return patching([{ op: "add", path: "/data", value: { ...data, path: value } }]);
    },
    ...more,
  });
  const pathOf = async (): Promise<string | undefined> => {
    const made = await api().send("POST", `${stage.configMaps}?dryRun=All`, { metadata: { name: "cm" } });
    return made.body.data?.["path"];
  };

  test("those that mutate see what the ones before them have done, in order of their configurations", async () => {
    await stage.during("mutating", [appending("c"), appending("a")], async () => {
      await stage.during("mutating", [appending("b")], async ({ seen }) => {
        expect(await pathOf()).toBe("cab");
        expect(seen[0]?.object).toMatchObject({ data: { path: "ca" } });
      });
    });
  });

  test.each([
    ["Never", "ab", ["a", "b"]],
    ["IfNeeded", "aba", ["a", "b", "a"]],
  ])("after others have changed the object: %s", async (reinvocationPolicy, path, names) => {
    const hooks = [appending("a", { reinvocationPolicy }), appending("b")];
    await stage.during("mutating", hooks, async (configured: Configured) => {
      expect(await pathOf()).toBe(path);
      expect(configured.asked).toEqual(names);
    });
  });

  test("nobody is asked again where nothing has changed since, nor first in the second round", async () => {
    const quiet: Hook = {
      name: "q",
      rules: [rule(["configmaps"], ["CREATE"])],
      reinvocationPolicy: "IfNeeded",
    };
    await stage.during("mutating", [appending("a"), quiet], async (configured) => {
      await pathOf();
      expect(configured.asked).toEqual(["a", "q"]);
    });
    const late = { ...quiet, name: "late", objectSelector: { matchLabels: { made: "later" } } };
    const labelling: Hook = {
      name: "l",
      rules: [rule(["configmaps"], ["CREATE"])],
      decide: () => patching([{ op: "add", path: "/metadata/labels", value: { made: "later" } }]),
    };
    await stage.during("mutating", [late, { ...quiet, name: "again" }, labelling], async (configured) => {
      await pathOf();
      expect(configured.asked).toEqual(["again", "l", "again"]);
    });
  });

  test("what others fill in is filled in again after a change", async () => {
    const container = { name: "late", image: "i" };
    const decide = () => patching([{ op: "add", path: "/spec/initContainers", value: [container] }]);
    const limits = {
      limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "500m" } }],
    };
    await api().send("POST", `/api/v1${space}/limitranges`, { metadata: { name: "l" }, spec: limits });
    const hook: Hook = { rules: [rule(["pods"], ["CREATE"])], decide };
    await stage.during("mutating", [hook], async () => {
      const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
      await until("the defaults are known", async () => {
        const { body: pod } = await api().send("POST", `/api/v1${space}/pods?dryRun=All`, body);
        const [added] = (pod.spec["initContainers"] ?? []) as readonly {
          readonly resources: Json;
        }[];
        return added?.resources["limits"] !== undefined;
      });
    });
  });
});
