import type { ApiObject, Stored } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ConfigMap, Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import {
  changed,
  type Context,
  controller,
  type ControllerDescriptor,
} from "../../../pkg/controller/index.ts";

const { namespaces } = resources;

/** On what is to be in other namespaces too: labels that these have, such as "team=web"; "*" for all. */
export const TO = "sync.example.com/to";
/** On the copies: the namespace that they are from. */
const FROM = "sync.example.com/from";

/** Keeps copies of what is marked in all namespaces that it names. */
function syncer<R extends ApiObject>(
  name: string,
  resource: TypedResource<R>,
  contentOf: (source: R) => Partial<Omit<R, "apiVersion" | "kind" | "metadata">>,
): ControllerDescriptor {
  return controller(name, resource)
    .options({ where: changed.any(changed.spec, changed.annotations) })
    .only(({ metadata }) => metadata.annotations?.[TO] !== undefined)
    .watches(namespaces, (_, all) => all.list(), { where: changed.labels })
    .finalize(async (source, ctx) => {
      for (const copy of await copiesOf(source, ctx)) await ctx.delete(resource, copy);
    })
    .reconcile(async (source, ctx) => {
      const { name, namespace: home = "", annotations } = source.metadata;
      const targets = await ctx.list(namespaces, labelled(annotations?.[TO] ?? ""));
      const wanted = new Set(targets.map(({ metadata }) => metadata.name).filter((each) => each !== home));
      for (const namespace of wanted) {
        const metadata = { name, namespace, labels: { [FROM]: home } };
        await ctx.apply(resource, { ...contentOf(source), metadata }, { owned: false });
      }
      for (const copy of await copiesOf(source, ctx))
        if (!wanted.has(copy.metadata.namespace ?? "")) await ctx.delete(resource, copy);
    });

  async function copiesOf({ metadata }: Stored<R>, ctx: Context<R>): Promise<readonly Stored<R>[]> {
    const labels = { [FROM]: metadata.namespace ?? "" };
    const all = await ctx.list(resource, { namespace: "", labels });
    return all.filter((each) => each.metadata.name === metadata.name);
  }
}

function labelled(text: string): { readonly labels?: Readonly<Record<string, string>> } {
  if (text === "*") return {};
  const [key = "", value = ""] = text.split("=");
  return { labels: { [key]: value } };
}

export const configMapSyncer = syncer<ConfigMap>("configmap-syncer", resources.configMaps, ({ data }) => ({
  ...(data && { data }),
}));
export const secretSyncer = syncer<Secret>("secret-syncer", resources.secrets, ({ data, type }) => ({
  ...(data && { data }),
  ...(type && { type }),
}));
