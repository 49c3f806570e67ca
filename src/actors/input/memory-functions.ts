// The functions that an expression for memory may call.
import { numbersIn, readOwn, toBoolean, toNumber, wrong } from './memory-values.ts';

export const MEMORY_FUNCTIONS: Record<string, (values: unknown[]) => unknown> = {
  min: (values) => Math.min(...numbersIn(values)),
  max: (values) => Math.max(...numbersIn(values)),
  abs: ([value]) => Math.abs(toNumber(value)),
  floor: ([value]) => Math.floor(toNumber(value)),
  ceil: ([value]) => Math.ceil(toNumber(value)),
  round: ([value]) => Math.round(toNumber(value)),
  not: ([value]) => !toBoolean(value),
  get: ([owner, path, fallback]) => {
    if (typeof path !== 'string') throw wrong('the second argument of get() must be a text');
    return path.split('.').reduce<unknown>(readOwn, owner) ?? fallback;
  },
  compareText: ([left, right]) => {
    const [one, other] = [String(left), String(right)];
    return one === other ? 0 : one < other ? -1 : 1;
  },
};
