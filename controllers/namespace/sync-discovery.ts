import { messageOf } from "../../pkg/api/errors.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { apiVersionOf } from "../../pkg/api/resource.ts";
import {
  type ApiResource,
  type ApiSurface,
  preferredResources,
} from "../../pkg/client/discovery-documents.ts";
import type { ContentContext } from "./context.ts";

/** What there may be in a namespace, as far as it could be learned. */
export interface Content {
  readonly resources: readonly ApiResource[];
  readonly discoveryFailure?: string;
  readonly versionFailure?: string;
  /** Why this is not all: the namespace must not go while something of it may be left. */
  readonly errors: readonly unknown[];
}

/** Asks the server anew: a resource that came a moment ago may have objects in the namespace. */
export async function discoverContent({ client }: ContentContext, signal: AbortSignal): Promise<Content> {
  let surface: ApiSurface;
  client.discovery.invalidate();
  try {
    surface = await client.discovery.surface(signal);
  } catch (error) {
    signal.throwIfAborted();
    return { resources: [], discoveryFailure: messageOf(error), errors: [error] };
  }
  const errors: Error[] = [];
  const failure = discoveryError(surface.failures);
  if (failure !== undefined) errors.push(failure);
  const deletable = preferredResources(surface).filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("delete"),
  );
  const malformed = deletable.flatMap((resource) => versionError(resource) ?? []);
  errors.push(...malformed);
  return {
    resources: deletable.filter((resource) => versionError(resource) === undefined),
    ...(failure && {
      discoveryFailure: `Discovery failed for some groups, ${surface.failures.size} failing: ${failure.message}`,
    }),
    ...(malformed[0] && { versionFailure: malformed[0].message }),
    errors,
  };
}

function discoveryError(failures: ReadonlyMap<string, unknown>): Error | undefined {
  if (failures.size === 0) return undefined;
  const groups = [...failures].map(([apiVersion, error]) => `${apiVersion}: ${messageOf(error)}`).toSorted();
  return new Error(`unable to retrieve the complete list of server APIs: ${groups.join(", ")}`);
}

function versionError(resource: ApiResource): Error | undefined {
  try {
    parseApiVersion(apiVersionOf(resource));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
