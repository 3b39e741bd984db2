import type { ApiObject, Stored } from "../api/object.ts";
import { groupResource, type TypedResource } from "../api/resource.ts";
import { resources } from "../api/resources.ts";
import type { JsonPatchOperation } from "../client/resource-client.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isConflict, isInvalid, isNotFound } from "../client/errors.ts";
import { hookName, type Sort } from "./configurations.ts";
import type { AnyWebhook } from "./webhook.ts";

export interface Injection {
  readonly client: ClientSet;
  /** Of the configurations. */
  readonly name: string;
  readonly webhooks: readonly AnyWebhook[];
  /** PEM in base64. */
  readonly caBundle: string;
}

/**
 * Tells API servers whom to trust: in the configurations of these webhooks, and in the definitions of what they convert.
 * What is not installed is left to whoever installs it. Gives what is missing.
 */
export async function injectAuthorities(
  injection: Injection,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const missing: string[] = [];
  const { webhooks } = injection;
  if (webhooks.some(({ mutating }) => mutating !== undefined))
    missing.push(...(await intoConfiguration(injection, "mutate", signal)));
  if (webhooks.some(({ validating }) => validating !== undefined))
    missing.push(...(await intoConfiguration(injection, "validate", signal)));
  for (const { resource, conversions } of webhooks)
    if (conversions.length > 0)
      missing.push(...(await intoDefinition(injection, groupResource(resource), signal)));
  return missing;
}

async function intoConfiguration(
  { client, name, webhooks, caBundle }: Injection,
  sort: Sort,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const isMutating = sort === "mutate";
  const resource = isMutating
    ? resources.mutatingWebhookConfigurations
    : resources.validatingWebhookConfigurations;
  const names = new Set(
    webhooks
      .filter(({ mutating, validating }) => (isMutating ? mutating : validating) !== undefined)
      .map((one) => hookName(sort, one.resource)),
  );
  return patch({ client, resource, name }, signal, (configuration) => {
    const entries = configuration.webhooks ?? [];
    return entries.flatMap((entry, index) => {
      if (!names.has(entry.name) || entry.clientConfig.caBundle === caBundle) return [];
      const path = `/webhooks/${index}`;
      return [
        { op: "test", path: `${path}/name`, value: entry.name },
        { op: "add", path: `${path}/clientConfig/caBundle`, value: caBundle },
      ];
    });
  });
}

async function intoDefinition(
  { client, caBundle }: Injection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const target = { client, resource: resources.customResourceDefinitions, name };
  return patch(target, signal, ({ spec: { conversion } }) => {
    const clientConfig = conversion?.webhook?.clientConfig;
    if (clientConfig === undefined || clientConfig.caBundle === caBundle) return [];
    const path = "/spec/conversion";
    return [
      { op: "test", path: `${path}/strategy`, value: "Webhook" },
      { op: "add", path: `${path}/webhook/clientConfig/caBundle`, value: caBundle },
    ];
  });
}

interface Target<T extends ApiObject> {
  readonly client: ClientSet;
  readonly resource: TypedResource<T>;
  readonly name: string;
}

/** Who else writes the object in the meantime makes it fail, or come out as it should: the next round looks again. */
async function patch<T extends ApiObject>(
  { client, resource, name }: Target<T>,
  signal: AbortSignal | undefined,
  operations: (object: Stored<T>) => readonly JsonPatchOperation[],
): Promise<readonly string[]> {
  const objects = client.clientFor(resource);
  const what = `${groupResource(resource)}/${name}`;
  try {
    const body = operations(await objects.get({ name }, {}, signal));
    if (body.length > 0) await objects.patch({ name }, { type: "json", body }, {}, signal);
    return [];
  } catch (error) {
    if (isNotFound(error)) return [`${what} is not installed`];
    if (isConflict(error) || isInvalid(error)) return [`${what} has just been changed`];
    throw error;
  }
}
