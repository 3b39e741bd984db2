/** An object to create, and whether the API server takes it. */
export interface CorpusCase {
  readonly name: string;
  readonly valid: boolean;
  readonly object: Readonly<Record<string, unknown>> & { readonly apiVersion: string; readonly kind: string };
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
