import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { webhook, type Webhook } from "../../../pkg/webhook/index.ts";
import { TO } from "./operator.ts";

const TARGET = /^(?:\*|[\w./-]+=[\w.-]*)$/;

/** What is marked says in a form that the syncer understands where it is to be. */
function targets<T extends ApiObject>(resource: TypedResource<T>): Webhook<T> {
  const options = {
    // ConfigMaps and Secrets must not wait for a webhook that is down, and nobody asks about those that are not marked.
    failurePolicy: "Ignore",
    matchConditions: [
      {
        name: "is-marked",
        expression: `has(object.metadata.annotations) && '${TO}' in object.metadata.annotations`,
      },
    ],
  } as const;
  return webhook(resource)
    .mutate(({ metadata, ...rest }) => {
      const to = metadata.annotations?.[TO] ?? "";
      const annotations = { ...metadata.annotations, [TO]: to.replaceAll(/\s/g, "") };
      // What is changed is of the type that it was.
      return { ...rest, metadata: { ...metadata, annotations } } as unknown as T;
    }, options)
    .validate(({ metadata }, { deny }) => {
      const to = metadata.annotations?.[TO] ?? "";
      if (!TARGET.test(to)) deny(`${TO} is a label that namespaces have, such as team=web, or *: not ${to}`);
    }, options);
}

export const syncerWebhooks = [targets(resources.configMaps), targets(resources.secrets)];
