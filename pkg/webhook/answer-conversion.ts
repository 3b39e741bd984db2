import { messageOf } from "../api/errors.ts";
import { child, isJson, type Json, text } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { apiVersionOf } from "../api/resource.ts";
import type { Clock } from "../clock/clock.ts";
import { TurnOfSteps } from "../clock/turns.ts";
import type { Conversion } from "../crd/crd.ts";
import { ReplyError } from "./reply.ts";
import type { AnyWebhook } from "./webhook.ts";

const REVIEW = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };

/** An object that cannot be had in the version that is asked for. */
class ConversionError extends Error {
  readonly code = "Conversion";
}

/**
 * The review with the converted objects, or with why there are none: one that cannot be converted fails all of them.
 * Throws a ReplyError for what is no question.
 */
export async function answerConversion(
  webhooks: readonly AnyWebhook[],
  review: unknown,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Json> {
  if (!isJson(review) || review["apiVersion"] !== REVIEW.apiVersion || review["kind"] !== REVIEW.kind)
    throw new ReplyError(400, `a ${REVIEW.kind} of ${REVIEW.apiVersion} is expected`);
  const request = child(review, "request");
  const [uid, wanted] = [text(request, "uid"), text(request, "desiredAPIVersion")];
  const objects = request?.["objects"];
  if (uid === "" || wanted === "" || !Array.isArray(objects))
    throw new ReplyError(400, "the review has no request with uid, desiredAPIVersion and objects");
  const turn = new TurnOfSteps(clock);
  const convertedObjects: Json[] = [];
  try {
    for (const object of objects) {
      convertedObjects.push(converted(webhooks, object, wanted));
      // All objects of a kind may come at once.
      await turn.step();
      signal.throwIfAborted();
    }
    return { ...REVIEW, response: { uid, convertedObjects, result: { status: "Success" } } };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const result = { status: "Failure", message: error.message };
    return { ...REVIEW, response: { uid, convertedObjects: [], result } };
  }
}

function converted(webhooks: readonly AnyWebhook[], object: unknown, wanted: string): Json {
  const metadata = isJson(object) ? child(object, "metadata") : undefined;
  if (!isJson(object) || metadata === undefined) throw new ReplyError(400, "an object has no metadata");
  const [apiVersion, kind] = [text(object, "apiVersion"), text(object, "kind")];
  if (apiVersion === wanted) return object;
  const name = [text(metadata, "namespace"), text(metadata, "name")].filter((part) => part !== "").join("/");
  try {
    const steps = stepsBetween(webhooks, { kind, from: apiVersion, to: wanted });
    return steps.reduce((value, step) => step(value), object);
  } catch (error) {
    const why = messageOf(error);
    throw new ConversionError(`${kind} ${name} from ${apiVersion} to ${wanted}: ${why}`, { cause: error });
  }
}

type Step = (object: Json) => Json;

/** Every version is converted to the one that is kept, and from it to every other. */
function stepsBetween(
  webhooks: readonly AnyWebhook[],
  { kind, from, to }: { readonly kind: string; readonly from: string; readonly to: string },
): readonly Step[] {
  const group = to.split("/")[0] ?? "";
  const found = webhooks.find(({ resource }) => resource.kind === kind && resource.group === group);
  if (found === undefined) throw new Error("the webhook does not know the kind");
  const kept = apiVersionOf(found.resource);
  const conversionOf = (version: string): Conversion => {
    const conversion = found.conversions.find((one) => apiVersionOf(one.from) === version);
    if (conversion === undefined) throw new Error(`the webhook does not know ${version}`);
    return conversion;
  };
  const steps: Step[] = [];
  if (from !== kept)
    steps.push((object) => withIdentity(conversionOf(from).up(asObject(object)), object, kept));
  if (to !== kept) steps.push((object) => withIdentity(conversionOf(to).down(asObject(object)), object, to));
  return steps;
}

/** The API server keeps to the types of the definition. */
const asObject = (object: Json): ApiObject => object as unknown as ApiObject;

/** Of the metadata, only labels and annotations can become others: those of the result, where it has metadata. */
function withIdentity(result: object, original: Json, apiVersion: string): Json {
  const metadata = child(original, "metadata") ?? {};
  const made = "metadata" in result && isJson(result.metadata) ? result.metadata : metadata;
  const { labels: _, annotations: __, ...identity } = metadata;
  const { labels, annotations } = made;
  return {
    ...result,
    apiVersion,
    kind: original["kind"],
    metadata: {
      ...identity,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
  };
}
