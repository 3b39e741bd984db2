import { resources } from "../../api/resources.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden, notFound, StatusError } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);

/** Nothing is made in a namespace that is not there or on its way out, and some namespaces stay for ever. */
export function namespaceLifecycle(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    mutate(attributes) {
      const { operation, name, namespace } = attributes;
      if (isResource(attributes, resources.namespaces)) {
        if (operation === "DELETE" && immortal.has(name)) {
          throw forbidden(resources.namespaces, name, "this namespace may not be deleted");
        }
        return;
      }
      if (namespace === "" || operation === "DELETE" || operation === "CONNECT") return;
      // Whether a namespace exists is nothing that a review of access may tell.
      if (attributes.resource.group === "authorization.k8s.io") return;
      const home = reader.get(resources.namespaces, "", namespace);
      if (home === undefined) throw notFound(resources.namespaces, namespace);
      if (operation === "CREATE" && home.status?.phase === "Terminating") throw terminating(attributes);
    },
  };
}

function terminating({ resource, refusedName, namespace }: AdmissionAttributes): StatusError {
  const refusal = forbidden(
    resource,
    refusedName,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError(refusal.code, refusal.reason, refusal.message, {
    details: { ...refusal.status.details, causes: [cause] },
  });
}
