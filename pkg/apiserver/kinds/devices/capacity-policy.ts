import type { Quantity } from "../../../api/quantity.ts";
import { child, type Json } from "../../../api/json.ts";
import type { FieldErrors } from "../field-errors.ts";
import { readQuantity } from "../quantities.ts";

const OPTIONS = 10;

/** How much of a capacity a request may have. upstream: pkg/apis/resource/validation#validateRequestPolicy */
export function validateRequestPolicy(
  capacity: unknown,
  policy: Json,
  path: string,
  errors: FieldErrors,
): void {
  const whole = readQuantity(capacity);
  const values = quantitiesIn(policy["validValues"]);
  const range = child(policy, "validRange");
  if (values.length > 0 && range !== undefined) {
    const message =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    errors.forbidden(path, message);
    return;
  }
  const usual = readQuantity(policy["default"]);
  const key = values.length > 0 ? "validValues" : "validRange";
  if (whole === undefined || (values.length === 0 && range === undefined)) return;
  if (usual === undefined) errors.required(`${path}.default`, `required when ${key} is defined`);
  else if (range === undefined) new PolicyCheck(whole, usual, errors).values(values, `${path}.${key}`);
  else new PolicyCheck(whole, usual, errors).range(range, `${path}.${key}`);
}

function quantitiesIn(list: unknown): readonly Quantity[] {
  return (Array.isArray(list) ? list : []).map(readQuantity).filter((one) => one !== undefined);
}

class PolicyCheck {
  readonly #whole: Quantity;
  readonly #usual: Quantity;
  readonly #errors: FieldErrors;

  constructor(whole: Quantity, usual: Quantity, errors: FieldErrors) {
    this.#whole = whole;
    this.#usual = usual;
    this.#errors = errors;
  }

  values(values: readonly Quantity[], path: string): void {
    const errors = this.#errors;
    for (const [index, value] of values.entries()) {
      const previous = values[index - 1];
      if (previous !== undefined && previous.compare(value) > 0)
        errors.invalid(`${path}[${index}]`, value.toString(), "values must be sorted in ascending order");
    }
    if (values.length > OPTIONS) errors.tooMany(path, values.length, OPTIONS);
    else this.#each(values, path);
    if (values.length > OPTIONS || !values.some((one) => one.compare(this.#usual) === 0))
      errors.invalid(
        path,
        this.#usual.toString(),
        "default value is not valid according to the requestPolicy",
      );
  }

  #each(values: readonly Quantity[], path: string): void {
    const whole = this.#whole;
    const seen = new Set<number>();
    for (const [index, value] of values.entries()) {
      const at = `${path}[${index}]`;
      const message = `option is larger than capacity value: ${whole.toString()}`;
      if (value.compare(whole) > 0) this.#errors.invalid(at, value.toString(), message);
      if (seen.has(value.value())) this.#errors.duplicate(at, String(value.value()));
      seen.add(value.value());
    }
  }

  range(range: Json, path: string): void {
    const low = readQuantity(range["min"]);
    const high = readQuantity(range["max"]);
    const step = readQuantity(range["step"]);
    if (low === undefined) {
      this.#errors.required(`${path}.min`, "required when validRange is defined");
      return;
    }
    const whole = this.#whole;
    const usual = this.#usual;
    this.#notAbove(low, whole, [`${path}.min`, low, "min is larger than capacity value"]);
    this.#notAbove(low, usual, [`${path}.min`, usual, "default is less than min"], low);
    if (high !== undefined) {
      this.#notAbove(low, high, [`${path}.max`, low, "min is larger than max"]);
      this.#notAbove(high, whole, [`${path}.max`, high, "max is larger than capacity value"]);
      this.#notAbove(usual, high, [`${path}.max`, usual, "default is more than max"]);
    }
    if (step === undefined || step.sign() === 0) return;
    const one = low.add(step);
    this.#notAbove(one, whole, [
      `${path}.step`,
      step,
      `one step ${one.toString()} is larger than capacity value`,
    ]);
    for (const value of high === undefined ? [usual] : [usual, high])
      if ((value.value() - low.value()) % step.value() !== 0)
        this.#errors.invalid(
          `${path}.step`,
          value.toString(),
          `value is not a multiple of a given step (${step.toString()}) from (${low.toString()})`,
        );
  }

  #notAbove(
    smaller: Quantity,
    larger: Quantity,
    [path, value, message]: readonly [path: string, value: Quantity, message: string],
    shown: Quantity = larger,
  ): void {
    if (smaller.compare(larger) <= 0) return;
    this.#errors.invalid(path, value.toString(), `${message}: ${shown.toString()}`);
  }
}
