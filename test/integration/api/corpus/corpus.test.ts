import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourceOfKind } from "../../../../pkg/api/resources.ts";
import { allKinds } from "../../../../pkg/embedded/kinds/all-kinds.ts";
import type { Draft, FieldError, KindRules, RuleContext } from "../../../../pkg/embedded/kinds/kind.ts";
import { validateMetadata } from "../../../../pkg/embedded/kinds/metadata.ts";
import { hasRealCluster, startRealCluster, type RealCluster } from "../../../harness/real-cluster.ts";
import type { CorpusCase } from "./corpus-case.ts";
import { otherCases } from "./other-kinds.ts";
import { podCases } from "./pods.ts";
import { RealColumn, type Answer } from "./real-column.ts";
import { workloadCases } from "./workloads.ts";

const corpus: readonly CorpusCase[] = [...podCases, ...workloadCases, ...otherCases];

interface Ours {
  readonly draft: Draft;
  readonly errors: readonly FieldError[];
}

function rulesOf(object: CorpusCase["object"]): KindRules {
  const rules = allKinds.find(({ resource }) => resource === resourceOfKind(object.apiVersion, object.kind));
  if (rules === undefined) throw new Error(`no rules for ${object.apiVersion} ${object.kind}`);
  return rules;
}

/** What the server does with a new object between its wire and its storage; uid and time as the other column has them. */
function create(object: CorpusCase["object"], likeThat: Record<string, unknown> = {}): Ours {
  const rules = rulesOf(object);
  const draft = structuredClone(object) as unknown as Draft;
  if (rules.resource.namespaced) draft.metadata["namespace"] = "default";
  const context: RuleContext = { nowMs: 0, user: "admin", subresource: "" };
  rules.setDefaults?.(draft);
  draft.metadata["uid"] = likeThat["uid"] ?? "0";
  if (rules.generation) draft.metadata["generation"] = 1;
  rules.prepareForCreate?.(draft, context);
  const errors = [...validateMetadata(draft, rules), ...(rules.validate?.(draft, context) ?? [])];
  return { draft, errors };
}

/** Fields that are the other server's own: time, version, field owners, the moment of a phase. */
function comparable(object: Record<string, unknown>): unknown {
  const copy = structuredClone(object);
  const metadata = copy["metadata"] as Record<string, unknown>;
  for (const key of ["uid", "creationTimestamp", "resourceVersion", "managedFields"]) delete metadata[key];
  const status = copy["status"] as Record<string, unknown> | undefined;
  if (status?.["lastPhaseTransitionTime"] !== undefined) status["lastPhaseTransitionTime"] = "";
  const conditions = status?.["conditions"];
  for (const condition of Array.isArray(conditions) ? (conditions as Record<string, unknown>[]) : []) {
    condition["lastTransitionTime"] = "";
  }
  return copy;
}

/** The kind of error and its field; messages without the offending value, which Go prints in its own way. */
function causes(
  list: readonly { reason?: string; type?: string; field?: string; message?: string }[],
): string[] {
  const lines = list.map(({ reason, type, field, message = "" }) => {
    const detail = message.replace(
      /^([A-Z][a-z ]+): (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[[^\]]*\]|null|-?[\d.]+|true|false)(?=: |$)/s,
      "$1",
    );
    const anonymous = detail.replace(/'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'/, "'0'");
    return `${reason ?? type} ${field}: ${anonymous}`;
  });
  return [...new Set(lines)].toSorted();
}

describe("on their own, the rules tell good objects from bad ones", () => {
  test.each(corpus.map((one) => [one.name, one] as const))("%s", (_name, { object, valid }) => {
    const { errors } = create(object);
    if (valid) expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

describe.runIf(hasRealCluster())("the rules say the same as a real API server", () => {
  let cluster: RealCluster;
  let column: RealColumn;
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    const plugins = [
      "ServiceAccount",
      "DefaultTolerationSeconds",
      "Priority",
      "StorageObjectInUseProtection",
      "TaintNodesByCondition",
      "ResourceQuota",
      "LimitRanger",
      "DefaultStorageClass",
    ];
    cluster = await startRealCluster({
      apiServerFlags: [`--disable-admission-plugins=${plugins.join(",")}`],
    });
    column = new RealColumn(cluster);
    for (const one of corpus) {
      const { resource } = rulesOf(one.object);
      const builtIn = resourceOfKind(one.object.apiVersion, resource.kind);
      if (builtIn !== undefined) answers.set(one.name, await column.create(builtIn, one.object));
    }
  }, 120_000);

  afterAll(async () => {
    column.close();
    await cluster.stop();
  });

  test.each(corpus.map((one) => [one.name, one] as const))("%s", (name, { object, valid }) => {
    const answer = answers.get(name);
    if (valid) {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(201);
      const { draft } = create(object, (answer?.body["metadata"] ?? {}) as Record<string, unknown>);
      expect(comparable(draft)).toEqual(comparable(answer?.body ?? {}));
    } else {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(422);
      expect(causes(create(object).errors)).toEqual(causes(answer?.body.details?.causes ?? []));
    }
  });
});
