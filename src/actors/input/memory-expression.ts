// Evaluates the expression that an Actor has for its default memory: arithmetic over the input, without any way to run code.
import {
  MEMORY_FUNCTIONS,
  calculate,
  compare,
  describeValue,
  isTrue,
  readOwn,
  toBoolean,
  toNumber,
  wrong,
  tokensOf,
  unexpected,
  type MemoryToken,
} from './memory-values.ts';

interface MemoryScope {
  input: unknown;
  runOptions: Record<string, unknown>;
}

type Evaluate = (scope: MemoryScope) => unknown;

const MAX_LENGTH = 1000;
/** Of parentheses and operators inside each other: the parser is recursive. */
const MAX_DEPTH = 50;

/** The options of a run that an expression may use. */
const RUN_OPTIONS = new Set([
  'build',
  'timeoutSecs',
  'memoryMbytes',
  'diskMbytes',
  'maxItems',
  'maxTotalChargeUsd',
  'restartOnError',
]);

/** The number that the expression gives, not yet rounded. Throws a TaskError that names `defaultMemoryMbytes`. */
export function evaluateMemory(expression: string, scope: MemoryScope): number {
  const result = parseExpression(expression)(scope);
  if (typeof result !== 'number' || !Number.isFinite(result) || result <= 0)
    throw wrong(`it gives ${describeValue(result)}, which is no positive number`);
  return result;
}

/** Throws where the expression cannot be understood, whatever the input. */
export function checkMemoryExpression(expression: string): void {
  parseExpression(expression);
}

function parseExpression(expression: string): Evaluate {
  if (expression.length > MAX_LENGTH) throw wrong(`it has more than ${MAX_LENGTH} characters`);
  return new Parser(tokensOf(replaceVariables(expression))).parse();
}

/** `{{input.x}}` is another way to write `input.x`. */
function replaceVariables(expression: string): string {
  return expression.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (_, name: string) => {
    if (!/^(input|runOptions)\./.test(name)) throw wrong(`it has the unknown variable {{${name}}}`);
    return name;
  });
}

/** The operators of each level, the loosest first. */
class Parser {
  readonly #tokens: readonly MemoryToken[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly MemoryToken[]) {
    this.#tokens = tokens;
  }

  parse(): Evaluate {
    const result = this.#conditional();
    const { kind, text, at } = this.#next;
    if (kind !== 'end') throw unexpected(text, at);
    return result;
  }

  get #next(): MemoryToken {
    return this.#tokens[this.#position]!;
  }

  /** The operator, if it is next: strings and names in quotes are none. */
  #take(...operators: string[]): string | undefined {
    const { kind, text } = this.#next;
    if ((kind !== 'sign' && kind !== 'name') || !operators.includes(text)) return undefined;
    this.#position += 1;
    return text;
  }

  #requirePermission(sign: string): void {
    const { text, at } = this.#next;
    if (this.#take(sign) === undefined) throw wrong(`"${sign}" is expected at ${at}, not "${text}"`);
  }

  #nested(parse: () => Evaluate): Evaluate {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw wrong('it is nested too deeply');
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #conditional(): Evaluate {
    return this.#nested(() => {
      const condition = this.#or();
      if (this.#take('?') === undefined) return condition;
      const whenTrue = this.#conditional();
      this.#requirePermission(':');
      const whenFalse = this.#conditional();
      return (scope) => (isTrue(condition(scope)) ? whenTrue(scope) : whenFalse(scope));
    });
  }

  #or(): Evaluate {
    let left = this.#xor();
    while (this.#take('or') !== undefined) left = either(left, this.#xor());
    return left;
  }

  #xor(): Evaluate {
    let left = this.#and();
    while (this.#take('xor') !== undefined) left = differing(left, this.#and());
    return left;
  }

  #and(): Evaluate {
    let left = this.#comparison();
    while (this.#take('and') !== undefined) left = both(left, this.#comparison());
    return left;
  }

  /** `1 < x < 3` means that both are true. */
  #comparison(): Evaluate {
    const first = this.#sum();
    const rest: { sign: string; operand: Evaluate }[] = [];
    for (let sign = this.#comparisonSign(); sign !== undefined; sign = this.#comparisonSign())
      rest.push({ sign, operand: this.#sum() });
    if (rest.length === 0) return first;
    return (scope) => {
      let left = first(scope);
      for (const { sign, operand } of rest) {
        const right = operand(scope);
        if (!compare(sign, left, right)) return false;
        left = right;
      }
      return true;
    };
  }

  #comparisonSign(): string | undefined {
    return this.#take('==', '!=', '<', '<=', '>', '>=');
  }

  #sum(): Evaluate {
    let left = this.#product();
    for (let sign = this.#take('+', '-'); sign !== undefined; sign = this.#take('+', '-'))
      left = calculation(sign, left, this.#product());
    return left;
  }

  #product(): Evaluate {
    let left = this.#unary();
    for (let sign = this.#take('*', '/', '%'); sign !== undefined; sign = this.#take('*', '/', '%'))
      left = calculation(sign, left, this.#unary());
    return left;
  }

  #unary(): Evaluate {
    const sign = this.#take('-', '+', 'not');
    if (sign === undefined) return this.#power();
    const operand = this.#nested(() => this.#unary());
    if (sign === 'not') return (scope) => !toBoolean(operand(scope));
    return (scope) => (sign === '-' ? -toNumber(operand(scope)) : toNumber(operand(scope)));
  }

  #power(): Evaluate {
    const base = this.#fallback();
    return this.#take('^') === undefined
      ? base
      : calculation(
          '^',
          base,
          this.#nested(() => this.#unary()),
        );
  }

  #fallback(): Evaluate {
    const left = this.#member();
    if (this.#take('??') === undefined) return left;
    const right = this.#nested(() => this.#fallback());
    return (scope) => left(scope) ?? right(scope);
  }

  #member(): Evaluate {
    let owner = this.#value();
    for (;;) {
      const sign = this.#take('.', '?.', '[');
      if (sign === undefined) return owner;
      owner = propertyOf(owner, sign === '[' ? this.#index() : this.#name(), sign === '?.');
    }
  }

  #index(): string {
    const { kind, text, at } = this.#next;
    if (kind !== 'text') throw unexpected(text, at);
    this.#position += 1;
    this.#requirePermission(']');
    return text.slice(1, -1);
  }

  #name(): string {
    const { kind, text, at } = this.#next;
    if (kind !== 'name') throw unexpected(text, at);
    this.#position += 1;
    return text;
  }

  #value(): Evaluate {
    const { kind, text, at } = this.#next;
    if (this.#take('(') !== undefined) {
      const inner = this.#conditional();
      this.#requirePermission(')');
      return inner;
    }
    if (this.#take('[') !== undefined) {
      const items = this.#list(']');
      return (scope) => items.map((item) => item(scope));
    }
    this.#position += 1;
    if (kind === 'number') return constant(Number(text));
    if (kind === 'text') return constant(text.slice(1, -1));
    if (kind !== 'name') throw kind === 'end' ? wrong('it ends too early') : unexpected(text, at);
    if (this.#take('(') !== undefined) return callOf(text, this.#list(')'));
    if (text === 'input') return ({ input }) => input;
    if (text === 'runOptions') return ({ runOptions }) => pickRunOptions(runOptions);
    if (CONSTANTS.has(text)) return constant(CONSTANTS.get(text));
    throw wrong(`it has the unknown name "${text}"`);
  }

  #list(end: string): Evaluate[] {
    const items: Evaluate[] = [];
    if (this.#take(end) !== undefined) return items;
    do items.push(this.#conditional());
    while (this.#take(',') !== undefined);
    this.#requirePermission(end);
    return items;
  }
}

const CONSTANTS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

function callOf(name: string, operands: Evaluate[]): Evaluate {
  const called = Object.hasOwn(MEMORY_FUNCTIONS, name) ? MEMORY_FUNCTIONS[name] : undefined;
  if (called === undefined)
    throw wrong(`it calls "${name}", which is none of ${Object.keys(MEMORY_FUNCTIONS).join(', ')}`);
  return (scope) => called(operands.map((operand) => operand(scope)));
}

function constant(value: unknown): Evaluate {
  return () => value;
}

function both(left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => toBoolean(left(scope)) && toBoolean(right(scope));
}

function either(left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => toBoolean(left(scope)) || toBoolean(right(scope));
}

function differing(left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => toBoolean(left(scope)) !== toBoolean(right(scope));
}

function propertyOf(owner: Evaluate, name: string, isOptional: boolean): Evaluate {
  return (scope) => {
    const value = owner(scope);
    if ((value === undefined || value === null) && !isOptional)
      throw wrong(`"${name}" cannot be read of ${describeValue(value)}`);
    return readOwn(value, name);
  };
}

function pickRunOptions(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => RUN_OPTIONS.has(name)));
}

function calculation(sign: string, left: Evaluate, right: Evaluate): Evaluate {
  return (scope) => calculate(sign, toNumber(left(scope)), toNumber(right(scope)));
}
