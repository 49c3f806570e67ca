// The tokens, values and functions of memory expressions: conversion, comparison and arithmetic, as the expressions of the platform define them.
import { TaskError } from './thread-task.ts';

/** Of two numbers that count as equal. */
const RELATIVE_TOLERANCE = 1e-12;
const ABSOLUTE_TOLERANCE = 1e-15;

export function calculate(sign: string, left: number, right: number): number {
  switch (sign) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return left ** right;
  }
}

export function compare(sign: string, left: unknown, right: unknown): boolean {
  if (sign === '==') return isEqual(left, right);
  if (sign === '!=') return !isEqual(left, right);
  const [one, other] = [toNumber(left), toNumber(right)];
  if (isNear(one, other)) return sign === '<=' || sign === '>=';
  return sign.startsWith('<') ? one < other : one > other;
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === null || right === null || left === undefined || right === undefined) return left === right;
  if (typeof left === 'string' && typeof right === 'string' && left === right) return true;
  const [one, other] = [asNumber(left), asNumber(right)];
  return one !== undefined && other !== undefined && isNear(one, other);
}

/** Sums of fractions are never exact. */
function isNear(one: number, other: number): boolean {
  if (one === other) return true;
  const difference = Math.abs(one - other);
  const greater = Math.max(Math.abs(one), Math.abs(other));
  return difference <= Math.max(RELATIVE_TOLERANCE * greater, ABSOLUTE_TOLERANCE) && Number.isFinite(greater);
}

export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) throw wrong(`${describeValue(value)} is no condition`);
  return Boolean(value);
}

export function toBoolean(value: unknown): boolean {
  return value !== null && value !== undefined && Boolean(toNumber(value));
}

export function toNumber(value: unknown): number {
  const number = asNumber(value);
  if (number === undefined) throw wrong(`${describeValue(value)} is no number`);
  return number;
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || Number.isNaN(Number(value))) return undefined;
  return Number(value);
}

/** Never the value of a text: it may be a secret. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : 'an object';
}

/** In batches: a call takes only so many arguments, and the input may have a long list. */
function numbersIn(values: unknown[]): [number, ...number[]] {
  let least = Infinity;
  let greatest = -Infinity;
  for (const value of values.flat(2)) {
    const number = toNumber(value);
    if (Number.isNaN(number)) return [NaN];
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  }
  if (least === Infinity && greatest === -Infinity) throw wrong('min() and max() need a number');
  return [least, greatest];
}

/** Own properties only: `constructor` is none of an input. */
export function readOwn(owner: unknown, name: string): unknown {
  if (owner === undefined || owner === null || !Object.hasOwn(Object(owner) as object, name))
    return undefined;
  return (owner as Record<string, unknown>)[name];
}

export function wrong(reason: string): TaskError {
  return new TaskError(
    'invalid-input',
    `The memory of the run cannot be calculated by defaultMemoryMbytes of the Actor: ${reason}.`,
  );
}

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

export interface MemoryToken {
  kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  text: string;
  at: number;
}

const TOKEN =
  /(?<space>[\s]+|#.*)|(?<number>0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<text>"[^"\\]*"|'[^'\\]*')|(?<name>[a-z_$][\w$]*)|(?<sign>\?\?|\?\.|==|!=|<=|>=|[-+*/%^<>?:,.()[\]])/iy;

export function tokensOf(text: string): MemoryToken[] {
  const tokens: MemoryToken[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text)?.groups;
    if (found === undefined) throw unexpected(text.slice(at, at + 1), at);
    for (const kind of ['number', 'text', 'name', 'sign'] as const)
      if (found[kind] !== undefined) tokens.push({ kind, text: found[kind], at });
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }];
}

export function unexpected(text: string, at: number): TaskError {
  return wrong(`"${text}" is unexpected at ${at}`);
}
