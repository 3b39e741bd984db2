/** Webhooks: what is asked before objects are written, and between versions. */
export {
  type Admission,
  type AdmissionUser,
  type Denial,
  DeniedError,
  type Mutate,
  type Operation,
  type Validate,
} from "./admission.ts";
export {
  clientConfigOf,
  type ConfigurationOptions,
  type Configurations,
  CONVERT_PATH,
  type WebhookAddress,
  webhookConfigurations,
} from "./configurations.ts";
export { type AnyWebhook, type HookOptions, webhook, type Webhook } from "./webhook.ts";
export { WebhookServer, type WebhookServerOptions } from "./webhook-server.ts";
