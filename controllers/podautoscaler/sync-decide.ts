import type { AutoscalerSync, StatusDraft } from "./apply.ts";
import type { AutoscalerContext } from "./context.ts";
import type { Explanation } from "./explanation.ts";
import { type Normalized, normalize } from "./normalize.ts";
import { BELOW_MINIMUM, decideFirstStep, type ZeroFacts } from "./step.ts";
import { lookAtMetrics, type MetricsLook } from "./sync-metrics.ts";
import type { Target } from "./sync-target.ts";

/** What a sync has found before it decides. */
export interface Round {
  readonly target: Target;
  readonly draft: StatusDraft;
  readonly current: number;
  readonly minimum: number;
  readonly zero: ZeroFacts;
}

/** How many replicas there are to be, and why. */
export interface Outcome {
  /** Undefined: nobody knows, as the metrics cannot be had. */
  readonly wanted: number | undefined;
  readonly reason: string;
  readonly look?: MetricsLook;
  readonly normalized?: Normalized;
}

/** Decides, and remembers why. What conditions tell of it is said in the draft. */
export async function decide(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  round: Round,
): Promise<Outcome> {
  const { current, minimum, zero, draft } = round;
  const step = decideFirstStep(current, minimum, sync.owner.spec.maxReplicas, zero);
  if (step.kind === "off") {
    draft.say(...step.conditions);
    if (step.forgetsZero) draft.unsay("ScaledToZero");
  }
  const outcome = await outcomeOf(sync, context, round, step);
  explain(sync, context, round, outcome);
  return outcome;
}

async function outcomeOf(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  round: Round,
  step: ReturnType<typeof decideFirstStep>,
): Promise<Outcome> {
  const { current } = round;
  if (step.kind === "off")
    return { wanted: current, reason: "The target is scaled to nothing by somebody else" };
  if (step.kind === "scale") return { wanted: step.replicas, reason: step.reason };
  const look = await lookAtMetrics(sync, context, round.target, round.draft);
  if (look.replicas === undefined) return { wanted: undefined, reason: look.failure?.message ?? "", look };
  return byMetrics(sync, context, round, { ...look, replicas: look.replicas });
}

function byMetrics(
  { owner }: AutoscalerSync,
  { past, settings, clock }: AutoscalerContext,
  { current, minimum, zero, draft }: Round,
  look: MetricsLook & { readonly replicas: number },
): Outcome {
  const asked = Math.max(look.replicas, 0);
  const reason = reasonOf(current, asked, look);
  const before = past.get(owner) ?? { recommendations: [], up: [], down: [] };
  const range = { current, wanted: asked, minimum, maximum: owner.spec.maxReplicas };
  const time = { windowMs: settings.downscaleStabilizationMs, nowMs: clock.monotonicMs() };
  const normalized = normalize(owner.spec, range, before, time);
  past.set(owner, { ...before, recommendations: normalized.recommendations });
  draft.say(...normalized.conditions);
  const { replicas } = normalized;
  const isRaised = current === 0 && minimum !== 0 && zero.wasScaled && replicas < minimum;
  if (!isRaised) return { wanted: replicas, reason, look, normalized };
  return { wanted: minimum, reason: reason === "" ? BELOW_MINIMUM : reason, look, normalized };
}

/** As events have it; nothing where the metrics ask for what there is. */
function reasonOf(
  current: number,
  asked: number,
  { name, replicas }: { name: string; replicas: number },
): string {
  // upstream: a metric that asks for nothing at all has no name here.
  if (asked > current) return `${replicas > 0 ? name : ""} above target`;
  return asked < current ? "All metrics below target" : "";
}

function explain(
  { owner }: AutoscalerSync,
  { explanations, clock }: AutoscalerContext,
  { current, minimum }: Round,
  { wanted, reason, look, normalized }: Outcome,
): void {
  const { scaleTargetRef, maxReplicas: maximum } = owner.spec;
  const explanation: Explanation = {
    atMs: clock.nowMs(),
    target: `${scaleTargetRef.kind}/${scaleTargetRef.name}`,
    current,
    range: { minimum, maximum },
    foreignPods: look?.foreign ?? [],
    metrics: look?.facts ?? [],
    ...(normalized && { normalized }),
    wanted,
    why: reason,
  };
  explanations.set(owner, explanation);
}
