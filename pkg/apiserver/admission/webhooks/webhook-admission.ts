import { asJson } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import { applyJsonPatch } from "../../../api/patch/json-patch.ts";
import { PatchError } from "../../../api/patch/patch-error.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Draft } from "../../kinds/kind.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { internalError } from "../../server/status-error.ts";
import type { Store } from "../../storage/store.ts";
import type { RbacAuthorizer } from "../../auth/rbac-authorizer.ts";
import { WebhookCallError } from "../../webhook-client/webhook-call-error.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { readPatch } from "./admission-review.ts";
import { AdmittedObjects } from "../matching/admitted-objects.ts";
import { type Asking, askWebhook, failureOf, type Invocation } from "./ask-webhook.ts";
import { Reinvocation } from "../matching/reinvocation.ts";
import { inOwnNamespace, isExempt } from "../matching/exemptions.ts";
import { interestOf, meetsConditions } from "./should-call.ts";
import { type Webhook, WebhookSource } from "./webhook.ts";

export interface WebhookAdmissionOptions extends Asking {
  readonly store: Store;
  readonly reader: ClusterReader;
  readonly log: Logger;
  readonly rbac: RbacAuthorizer | undefined;
}

/** Those outside of this process who have a say in what is admitted. */
export class WebhookAdmission {
  readonly #options: WebhookAdmissionOptions;
  readonly #mutating: WebhookSource;
  readonly #validating: WebhookSource;

  constructor(options: WebhookAdmissionOptions) {
    this.#options = options;
    this.#mutating = new WebhookSource(options.store, "mutating");
    this.#validating = new WebhookSource(options.store, "validating");
  }

  /** Undefined where nobody is to be asked. */
  mutation(attributes: AdmissionAttributes): Mutation | undefined {
    if (this.#mutating.isEmpty || isExempt(attributes)) return undefined;
    return new Mutation(this.#options, this.#mutating.all(), inOwnNamespace(attributes));
  }

  /** Whether anybody may be asked about what is about to be stored. */
  validates(attributes: AdmissionAttributes): boolean {
    return !this.#validating.isEmpty && !isExempt(attributes);
  }

  /** All are asked at once; the first refusal counts. */
  async validate(given: AdmissionAttributes, object: ApiObject | undefined): Promise<void> {
    if (!this.validates(given)) return;
    const { reader, rbac } = this.#options;
    const attributes = inOwnNamespace(given);
    const draft = object === undefined ? undefined : (asJson(object) as Draft);
    const whole = new AdmittedObjects(attributes, draft);
    const calls: { readonly invocation: Invocation; readonly objects: AdmittedObjects }[] = [];
    for (const webhook of this.#validating.all()) {
      const served = interestOf(webhook, attributes, whole, reader);
      if (served === undefined) continue;
      const objects = new AdmittedObjects(attributes, draft);
      await objects.show(served);
      if (!(await meetsConditions(webhook, { attributes, served, objects, rbac }))) continue;
      calls.push({ invocation: { webhook, served, mutating: false }, objects });
    }
    if (calls.length === 0) return;
    const failures: unknown[] = [];
    await Promise.all(
      calls.map(async ({ invocation, objects }) => {
        try {
          await this.#ask(invocation, attributes, objects);
        } catch (error) {
          failures.push(error);
        }
      }),
    );
    if (failures.length > 0) throw failures[0];
  }

  async #ask(
    invocation: Invocation,
    attributes: AdmissionAttributes,
    objects: AdmittedObjects,
  ): Promise<void> {
    try {
      await askWebhook(this.#options, invocation, attributes, objects);
    } catch (error) {
      passOver(invocation.webhook, error, this.#options.log);
    }
  }
}

/** What the webhooks make of one request: a first round, and a second where others have changed the object since. */
export class Mutation {
  readonly #options: WebhookAdmissionOptions;
  readonly #webhooks: readonly Webhook[];
  readonly #attributes: AdmissionAttributes;
  readonly #reinvocation = new Reinvocation();

  constructor(
    options: WebhookAdmissionOptions,
    webhooks: readonly Webhook[],
    attributes: AdmissionAttributes,
  ) {
    this.#options = options;
    this.#webhooks = webhooks;
    this.#attributes = attributes;
  }

  /** Returns whether the draft is another one now, so that everybody should look at it again. */
  async first(draft: Draft | undefined): Promise<boolean> {
    const isChanged = await this.#round(draft, () => true);
    this.#reinvocation.leave(draft);
    return isChanged;
  }

  /** Nobody is asked here who was not asked at first. */
  async again(draft: Draft | undefined): Promise<void> {
    this.#reinvocation.find(draft);
    await this.#round(draft, ({ id }) => this.#reinvocation.isDue(id));
  }

  async #round(draft: Draft | undefined, takesPart: (webhook: Webhook) => boolean): Promise<boolean> {
    const { reader, rbac } = this.#options;
    const attributes = this.#attributes;
    const objects = new AdmittedObjects(attributes, draft);
    let isChanged = false;
    for (const webhook of this.#webhooks) {
      const served = interestOf(webhook, attributes, objects, reader);
      if (served === undefined) continue;
      await objects.show(served);
      const isMeant = await meetsConditions(webhook, { attributes, served, objects, rbac });
      if (!isMeant || !takesPart(webhook)) continue;
      if (await this.#ask({ webhook, served, mutating: true }, objects)) {
        isChanged = true;
        this.#reinvocation.wakeAll();
      }
      if (webhook.spec.reinvocationPolicy === "IfNeeded") this.#reinvocation.asked(webhook.id);
    }
    if (draft !== undefined) await objects.writeTo(draft);
    return isChanged;
  }

  async #ask(invocation: Invocation, objects: AdmittedObjects): Promise<boolean> {
    try {
      const verdict = await askWebhook(this.#options, invocation, this.#attributes, objects);
      const operations = readPatch(verdict);
      if (operations.length === 0) return false;
      if (objects.object === undefined) throw nothingToPatch(invocation.webhook);
      return objects.replace(patched(objects.object, operations));
    } catch (error) {
      passOver(invocation.webhook, error, this.#options.log);
      return false;
    }
  }
}

/** Throws the error on, unless it only says that a webhook could not be asked that may be left out. */
function passOver(webhook: Webhook, error: unknown, log: Logger): void {
  if (!(error instanceof WebhookCallError)) throw error;
  const failure = failureOf(webhook, error);
  if (failure !== undefined) throw failure;
  log.warn("A webhook could not be called, and is left out", {
    webhook: webhook.spec.name,
    configuration: webhook.configuration,
    problem: error.message,
  });
}

function nothingToPatch({ spec }: Webhook): Error {
  return internalError(
    `admission webhook ${JSON.stringify(spec.name)} attempted to modify the object, which is not supported for this operation`,
  );
}

function patched(object: Draft, operations: readonly unknown[]): unknown {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof PatchError) throw internalError(error.message, error);
    throw error;
  }
}
