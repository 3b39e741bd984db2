import { resources } from "../../pkg/api/resources.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { OwnedObjects } from "../../pkg/controller/owned-objects.ts";
import { defineCrd } from "../../pkg/crd/define-crd.ts";
import { webhook } from "../../pkg/webhook/webhook.ts";

const names = { group: "sites.example.com", kind: "Site", scope: "Namespaced" } as const;
const Old = defineCrd({ ...names, version: "v1alpha1", spec: { type: "object" } });

/** An operator as kcm manifests is given it. */
export const Site = defineCrd({
  ...names,
  version: "v1",
  spec: { type: "object", properties: { size: { type: "integer", default: 1 } } },
  status: { type: "object" },
}).convert(
  Old,
  () => ({ spec: { size: 1 } }),
  () => ({ spec: {} }),
);

export const hooks = [webhook(Site).validate(() => undefined)];

/** Keeps a ConfigMap for every Site. */
export const operator = defineController({ name: "site-operator" }, (kit) => {
  const owners = kit.reads(Site);
  const objects = kit.reads(resources.configMaps);
  const owned = new OwnedObjects(kit, { owners, objects });
  const queue = kit.ownerQueue({
    name: "sites",
    workers: 2,
    owners,
    sync: async (sync) => {
      if (owned.ownedBy(sync.owner).length > 0) return {};
      await owned.create(sync, { metadata: { name: sync.owner.metadata.name } });
      return {};
    },
  });
  objects.wakes(queue, owned.rule({}));
})();

export const examples = [Site.object({ metadata: { name: "example" }, spec: {} })];
