import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";

export interface NamespaceSettings {
  readonly workers: number;
  /** How often every namespace is looked at again. */
  readonly syncPeriodMs: number;
}

/** All that the deletion of a namespace works with. */
export type NamespaceContext = ReturnType<typeof namespaceContext>;

/** What the contents of a namespace are deleted with, whatever they are. */
export interface ContentContext extends Pick<NamespaceContext, "namespaceClient" | "clock"> {
  readonly client: Pick<NamespaceContext["client"], "clientFor" | "metadata" | "discovery">;
}

export function namespaceContext(kit: Kit, { syncPeriodMs }: NamespaceSettings) {
  const { client, clock } = kit.env;
  return {
    namespaces: kit.reads(resources.namespaces, { fields: [], resyncMs: syncPeriodMs }),
    namespaceClient: client.clientFor(resources.namespaces),
    client,
    clock,
  };
}
