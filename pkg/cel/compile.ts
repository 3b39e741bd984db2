import { type Checked, check } from "./check.ts";
import { Environment } from "./environment.ts";
import { type PausingProgram, type Program, plan } from "./evaluate.ts";
import { authorizerOverloads } from "./library/authorizer.ts";
import { formatOverloads } from "./library/formats.ts";
import { growingMapOverloads } from "./library/growing-maps.ts";
import { listOverloads } from "./library/lists.ts";
import { networkOverloads } from "./library/network.ts";
import { optionalOverloads } from "./library/optionals.ts";
import { quantityOverloads } from "./library/quantity.ts";
import { regexOverloads } from "./library/regex.ts";
import { semverOverloads } from "./library/semver.ts";
import { stringOverloads } from "./library/strings.ts";
import { urlOverloads } from "./library/url.ts";
import { literalIssues, wrongPattern } from "./literals.ts";
import { parse } from "./parser.ts";
import { formatIssues, Source } from "./source.ts";
import { standardOverloads } from "./standard.ts";
import { EvaluationError } from "./values.ts";

/** What Kubernetes gives to every expression. */
export const kubernetesEnvironment: Environment = Environment.of([
  ...standardOverloads,
  ...stringOverloads,
  ...listOverloads,
  ...regexOverloads,
  ...urlOverloads,
  ...quantityOverloads,
  ...networkOverloads,
  ...formatOverloads,
  ...semverOverloads,
  ...authorizerOverloads,
  ...optionalOverloads,
  ...growingMapOverloads,
]);

const NOT_PLANNED = "program instantiation failed";

export interface Compiled {
  readonly checked: Checked;
  readonly run: Program;
  readonly inSteps: PausingProgram;
}

export interface CompileOptions {
  /** Values may be given names: `cel.bind(name, value, expression)`. */
  readonly withBind?: boolean;
}

/** An expression that can be evaluated, or a text that says what is wrong with it. */
export function compile(
  text: string,
  environment: Environment,
  { withBind = false }: CompileOptions = {},
): Compiled | string {
  const source = new Source(text);
  const { expr, issues } = parse(source, withBind);
  if (expr === undefined) return formatIssues(source, issues);
  const checked = check(expr, environment);
  if (checked.issues.length > 0) return formatIssues(source, checked.issues);
  const literals = literalIssues(checked);
  if (literals.length > 0) return formatIssues(source, literals);
  const pattern = wrongPattern(checked);
  if (pattern !== undefined) return `${NOT_PLANNED}: ${pattern}`;
  try {
    return { checked, ...plan(checked) };
  } catch (error) {
    if (error instanceof EvaluationError) return `${NOT_PLANNED}: ${error.message}`;
    throw error;
  }
}
