import type { WebhookClientConfig } from "../api/types/admissionregistration-v1.gen.ts";
import type { ClientBuilder } from "../client/client-builder.ts";
import { clientConfigOf, CONVERT_PATH, type WebhookAddress } from "../webhook/configurations.ts";
import type { AnyWebhook } from "../webhook/webhook.ts";
import { WebhookServer } from "../webhook/webhook-server.ts";
import type { Host } from "./host.ts";
import type { ManagerOptions } from "./options.ts";

/** The server of the webhooks of a manager, and of the conversions of what it defines; undefined where there are none. */
export function webhookServer(
  options: ManagerOptions,
  { clock, log, metrics }: Host,
  clients: ClientBuilder,
): WebhookServer | undefined {
  const { name, webhooks, port = {}, installCrds = [] } = options;
  const address = addressOf(options);
  if (webhooks === undefined || address === undefined) return undefined;
  const { run, namespace, install } = webhooks;
  const converted: readonly AnyWebhook[] = installCrds
    .filter((crd) => crd.conversions.length > 0 && run.every(({ resource }) => resource !== crd))
    .map((crd) => ({
      resource: crd,
      mutating: undefined,
      validating: undefined,
      conversions: crd.conversions,
    }));
  return new WebhookServer({
    name,
    webhooks: [...run, ...converted],
    client: clients.client("webhooks"),
    clock,
    log,
    metrics: metrics.main,
    namespace,
    address,
    ...(port.webhooks !== undefined && { listen: { port: port.webhooks } }),
    ...(install !== undefined && { install }),
  });
}

/** Where definitions are converted; undefined where no webhooks are served. */
export function conversionsAt(options: ManagerOptions): WebhookClientConfig | undefined {
  const address = addressOf(options);
  return address && clientConfigOf(address, CONVERT_PATH);
}

function addressOf({ name, webhooks }: ManagerOptions): WebhookAddress | undefined {
  if (webhooks === undefined) return undefined;
  const { namespace, address = { service: { namespace, name: `${name}-webhooks`, port: 443 } } } = webhooks;
  return address;
}
