import { groupResource, type Resource } from "../api/resource.ts";
import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "../api/types/admissionregistration-v1.gen.ts";
import type { AnyWebhook, Hook } from "./webhook.ts";

/** Where API servers find the webhooks: a Service, or a URL, both without a path. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

export type Sort = "mutate" | "validate";

const DEFAULT_TIMEOUT_SECONDS = 10;
export const CONVERT_PATH = "/convert";

/** Of the questions about one resource, as controller-runtime has it: /mutate-example-com-v1-website. */
export function hookPath(sort: Sort, { group, version, kind }: Resource): string {
  return `/${sort}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
}

/** Names are those of domains. */
export function hookName(sort: Sort, resource: Resource): string {
  const where = resource.group === "" ? `${resource.plural}.core` : groupResource(resource);
  return `${sort}.${resource.version}.${where}`;
}

export function clientConfigOf(
  address: WebhookAddress,
  path: string,
  caBundle?: string,
): WebhookClientConfig & { readonly caBundle?: string } {
  const bundle = caBundle === undefined ? {} : { caBundle };
  if ("url" in address) return { url: address.url.replace(/\/$/, "") + path, ...bundle };
  return { service: { ...address.service, path }, ...bundle };
}

export interface ConfigurationOptions {
  /** That of the configurations. */
  readonly name: string;
  readonly webhooks: readonly AnyWebhook[];
  readonly address: WebhookAddress;
  /** PEM in base64; left out where the server of the webhooks puts it in. */
  readonly caBundle?: string;
}

export interface Configurations {
  readonly mutating: MutatingWebhookConfiguration | undefined;
  readonly validating: ValidatingWebhookConfiguration | undefined;
}

/** What tells API servers when to ask, and whom. */
export function webhookConfigurations(options: ConfigurationOptions): Configurations {
  const { name, webhooks } = options;
  const base = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name } };
  const mutating = webhooks.flatMap(({ resource, mutating: hook }) => {
    if (hook === undefined) return [];
    const { reinvocationPolicy } = hook.options;
    return [
      {
        ...entry("mutate", resource, hook, options),
        ...(reinvocationPolicy !== undefined && { reinvocationPolicy }),
      },
    ];
  });
  const validating = webhooks.flatMap(({ resource, validating: hook }) =>
    hook === undefined ? [] : [entry("validate", resource, hook, options)],
  );
  return {
    mutating:
      mutating.length === 0
        ? undefined
        : { ...base, kind: "MutatingWebhookConfiguration", webhooks: mutating },
    validating:
      validating.length === 0
        ? undefined
        : { ...base, kind: "ValidatingWebhookConfiguration", webhooks: validating },
  };
}

function entry(
  sort: Sort,
  resource: Resource,
  { options }: Hook,
  { address, caBundle }: ConfigurationOptions,
) {
  const { failurePolicy = "Fail", timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, sideEffects = "None" } = options;
  const { namespaceSelector, objectSelector, matchConditions } = options;
  return {
    name: hookName(sort, resource),
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(address, hookPath(sort, resource), caBundle),
    rules: [ruleOf(resource, options)],
    failurePolicy,
    // Requests for other versions are converted to the one that is known here.
    matchPolicy: "Equivalent",
    sideEffects,
    timeoutSeconds,
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
    ...(matchConditions !== undefined && { matchConditions }),
  };
}

function ruleOf(
  { group, version, plural, namespaced }: Resource,
  { operations = ["CREATE", "UPDATE"], subresources = [] }: Hook["options"],
): RuleWithOperations {
  return {
    apiGroups: [group],
    apiVersions: [version],
    resources: [plural, ...subresources.map((name) => `${plural}/${name}`)],
    operations,
    scope: namespaced ? "Namespaced" : "Cluster",
  };
}
