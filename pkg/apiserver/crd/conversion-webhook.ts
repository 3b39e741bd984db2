import { type Json, text } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import { randomUuid, type Random } from "../../clock/random.ts";
import { internal } from "../server/status-error.ts";
import { WebhookCallError } from "../webhook-client/webhook-call-error.ts";
import type { WebhookClient } from "../webhook-client/webhook-client.ts";
import {
  acceptConverted,
  conversionReview,
  conversionReviewVersion,
  ConversionProblem,
  convertedObjects,
  CONVERSION_GROUP,
} from "./conversion-review.ts";
import type { ConversionWebhookConfig } from "./definition.ts";

/** Turns objects of one version of a kind into another version's. */
export interface Converter {
  /** In the same order. Throws a StatusError where it cannot be done. */
  convert(objects: readonly Json[], apiVersion: string): Promise<readonly Json[]>;
}

export interface ConversionClient {
  /** Undefined: this server calls nobody. */
  readonly client: WebhookClient | undefined;
  readonly random: Random;
}

const TIMEOUT_SECONDS = 30;
/** So many objects are sent at once: a review of all that there is would hold up everybody. */
const AT_ONCE = 200;

export function conversionWebhook(
  config: ConversionWebhookConfig,
  { client, random }: ConversionClient,
): Converter {
  const ask = async (objects: readonly Json[], apiVersion: string): Promise<readonly Json[]> => {
    if (client === undefined) throw new WebhookCallError("this server calls no webhooks");
    const version = conversionReviewVersion(config.conversionReviewVersions);
    const uid = randomUuid(random);
    const answer = await client.ask({
      config: config.clientConfig ?? {},
      review: conversionReview(version, uid, objects, apiVersion),
      kind: { group: CONVERSION_GROUP, version, kind: "ConversionReview" },
      timeoutSeconds: TIMEOUT_SECONDS,
    });
    return convertedObjects(answer, uid, version);
  };
  return {
    async convert(objects, apiVersion) {
      const made: Json[] = [];
      for (let from = 0; from < objects.length; from += AT_ONCE) {
        const batch = objects.slice(from, from + AT_ONCE);
        const [first = {}] = batch;
        const whose = `conversion webhook for ${text(first, "apiVersion")}, Kind=${text(first, "kind")}`;
        try {
          const converted = await ask(batch, apiVersion);
          if (converted.length !== batch.length)
            throw internal(`${whose} returned ${converted.length} objects, expected ${batch.length}`);
          for (const [index, original] of batch.entries())
            made.push(acceptConverted(original, copyJson(converted[index] ?? {}), apiVersion));
        } catch (error) {
          throw told(whose, error);
        }
      }
      return made;
    },
  };
}

function told(whose: string, error: unknown): unknown {
  if (error instanceof ConversionProblem) return internal(`${whose} ${error.message}`, error);
  if (error instanceof WebhookCallError) {
    // Whoever admits says first that it is the call that failed.
    const why = error.message.replace(/^failed to call webhook: /, "");
    return internal(`${whose} failed: ${why}`, error);
  }
  return error;
}
