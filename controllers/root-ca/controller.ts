import { defineController } from "../../pkg/controller/kit.ts";
import { itsNamespace, onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { publisherContext, type RootCaSettings } from "./context.ts";
import { publishRootCa } from "./sync.ts";

/** Puts the CA of the API server into every namespace, for the pods there. */
export const rootCaPublisherController = defineController(
  { name: "root-ca-certificate-publisher-controller", clientName: "root-ca-cert-publisher" },
  (kit, settings: RootCaSettings) => {
    const context = publisherContext(kit, settings);
    const queue = kit.queue({
      name: "root_ca_cert_publisher",
      workers: 1,
      sync: async (sync) => publishRootCa(sync, context),
    });
    context.configMaps.wakes(queue, onlyWhen(["updated", "deleted"], itsNamespace));
    context.namespaces.wakes(queue, ({ type, object: { metadata, status } }, wake) => {
      const stays = type === "updated" && status?.phase === "Active";
      if (type === "added" || stays) wake(metadata.name);
    });
  },
);
