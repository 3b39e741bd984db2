/** An object to create, and whether the API server takes it. */
export interface CorpusCase {
  readonly name: string;
  readonly valid: boolean;
  readonly object: Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };
}

/** A change of an object that exists: a JSON merge patch, of the object itself or of a subresource. */
export interface UpdateCase {
  readonly name: string;
  readonly valid: boolean;
  readonly object: Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };
  /** Applied first, through its subresource; has to succeed. */
  readonly before?: { readonly subresource: string; readonly patch: object };
  readonly patch: object;
  readonly subresource?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Cases of one kind: the body of each is everything besides apiVersion, kind and a metadata.name. */
export function cases(
  apiVersion: string,
  kind: string,
  valid: Readonly<Record<string, Body>>,
  invalid: Readonly<Record<string, Body>> = {},
): CorpusCase[] {
  const make =
    (isValid: boolean) =>
    ([name, body]: [string, Body]): CorpusCase => ({
      name: `${kind}: ${name}`,
      valid: isValid,
      object: {
        apiVersion,
        kind,
        ...body,
        metadata: {
          name: `${kind} ${isValid ? "good" : "bad"} ${name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
          ...(body["metadata"] as Body | undefined),
        },
      },
    });
  return [...Object.entries(valid).map(make(true)), ...Object.entries(invalid).map(make(false))];
}
