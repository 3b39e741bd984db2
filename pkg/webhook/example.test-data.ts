import { Website } from "../crd/example.test-data.ts";
import { webhook } from "./webhook.ts";

/** Hosts are written small, and nobody takes the site of the house away. */
export const websiteWebhook = webhook(Website)
  .mutate((site) => ({ ...site, spec: { ...site.spec, host: site.spec.host.toLowerCase() } }))
  .validate(
    ({ spec }, { operation, before, warn, deny }) => {
      if (operation === "DELETE" && spec.host === "www.example.com") deny("the site of the house stays");
      if (before !== undefined && before.spec.host !== spec.host)
        warn(`${before.spec.host} will not be found`);
    },
    { operations: ["CREATE", "UPDATE", "DELETE"], timeoutSeconds: 5 },
  );
