// The expressions for memory, compared with the platform's own evaluator on random expressions and inputs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calculateRunDynamicMemory } from '@apify/actor-memory-expression';
import { evaluateMemory } from './memory-expression.ts';
import { fitMemory, memoryLimits } from './memory.ts';
import { TaskError } from './thread-task.ts';

/** A generator of numbers that gives the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const INPUT = {
  n: 3,
  f: 1.5,
  s: 'full detail',
  t: '7',
  b: true,
  no: false,
  z: null,
  l: [1, 2, 3],
  o: { p: 4, q: { r: 9 } },
};
const LEAVES = [
  '1',
  '2',
  '128',
  '512',
  '0',
  '1.5',
  '.25',
  '1e3',
  'true',
  'false',
  'null',
  'input.n',
  'input.f',
  'input.b',
  'input.t',
  'input.o.p',
  'input.o.q.r',
  'input["n"]',
  'input.missing',

  "get(input, 'o.q.r', 5)",
  "get(input, 'o.x.y', 5)",
  "get(input, 'n')",
  'input.l.length',
  'max(input.l)',
  'runOptions.maxItems',
  '{{input.n}}',
  "compareText(input.s, 'full detail')",
  "compareText(input.s, 'x')",
];
const BINARY = ['+', '-', '*', '/', '==', '!=', '<', '>', 'and', 'or', 'xor', '??', '^'];

function expression(random: (below: number) => number, depth: number): string {
  const inner = () => expression(random, depth - 1);
  switch (depth === 0 ? 0 : random(6)) {
    case 0:
    case 1:
      return LEAVES[random(LEAVES.length)]!;
    case 2:
      return `(${inner()} ? ${inner()} : ${inner()})`;
    case 3:
      return `${['min', 'max'][random(2)]}(${inner()}, ${inner()})`;
    case 4:
      return `${['-', 'not ', ''][random(3)]}(${inner()})`;
    default: {
      const joined = `${inner()} ${BINARY[random(BINARY.length)]} ${inner()}`;
      return random(2) === 0 ? joined : `(${joined})`;
    }
  }
}

test('what the platform can calculate gives the same here', async () => {
  const random = randomFrom(12);
  let compared = 0;
  for (let round = 0; round < 4000; round += 1) {
    const text = expression(random, 4);
    if (text.length > 900) continue;
    const scope = { input: INPUT, runOptions: { maxItems: 100 } };
    const theirs = await calculateRunDynamicMemory(text, scope as never).catch(() => undefined);
    if (theirs === undefined) continue;
    compared += 1;
    assert.equal(fitMemory(evaluateMemory(text, scope), 'x', {}), theirs, text);
  }
  assert.ok(compared > 500, `${compared} were compared`);
});

test('any text is evaluated or refused with a reason', () => {
  const random = randomFrom(7);
  const words = [
    ...LEAVES,
    ...BINARY,
    '(',
    ')',
    '[',
    ']',
    '?',
    ':',
    ',',
    '.',
    '?.',
    'input',
    'min',
    'get',
    'x',
    "'",
    '\\',
    ';',
    '=',
    '{{',
    '}}',
    '__proto__',
    'constructor',
  ];
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: 1 + random(8) }, () => words[random(words.length)]).join(' ');
    try {
      const number = evaluateMemory(text, { input: INPUT, runOptions: {} });
      assert.ok(number > 0 && Number.isFinite(number), text);
    } catch (error) {
      assert.ok(
        error instanceof TaskError && error.message.includes('defaultMemoryMbytes'),
        `${text}: ${error as Error}`,
      );
    }
  }
});

test('the memory is a power of two between 128 and 32768 and within the limits of the Actor', () => {
  const random = randomFrom(3);
  for (let round = 0; round < 2000; round += 1) {
    const wanted = (random(100_000) + 1) / (random(3) + 1);
    const limits = [1 + random(40_000), 1 + random(40_000)].toSorted((a, b) => a - b);
    const definition = { minMemoryMbytes: limits[0], maxMemoryMbytes: limits[1] };
    let bounds;
    try {
      bounds = memoryLimits(definition);
    } catch {
      continue; // no power of two lies between them
    }
    const memory = fitMemory(wanted, 'memory', definition);
    assert.ok(Number.isInteger(Math.log2(memory)), `${memory}`);
    assert.ok(memory >= 128 && memory <= 32_768 && memory >= bounds.least && memory <= bounds.most);
  }
});

const WRONG: [expression: string, message: RegExp][] = [
  ['', /ends too early/],
  ['1 +', /ends too early/],
  ['input.missing.deep', /"deep" cannot be read of undefined/],
  ['input.constructor', /gives undefined/],
  ["get(input, 'constructor.constructor')", /gives undefined/],
  ['input.__proto__', /gives undefined/],
  ['process.exit(1)', /unknown name "process"/],
  ['evaluate("1")', /calls "evaluate"/],
  ['toString()', /calls "toString"/],
  ['1/0', /gives Infinity/],
  ['-5', /gives -5/],
  ['input.s * 2', /a text is no number/],
  ['{{secrets.x}}', /unknown variable/],
  [`${'('.repeat(400)}1${')'.repeat(400)}`, /nested too deeply/],
  [`${'-'.repeat(900)}1`, /nested too deeply/],
  ['1+'.repeat(600), /more than 1000 characters/],
];

for (const [text, message] of WRONG) {
  test(`"${text.slice(0, 30)}" is refused with a reason`, () => {
    assert.throws(() => evaluateMemory(text, { input: INPUT, runOptions: {} }), message);
  });
}

test('an error never shows a text of the input', () => {
  assert.throws(
    () => evaluateMemory('input.s * 2', { input: { s: 'hunter2' }, runOptions: {} }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

test('an error of the limits names the field', () => {
  assert.throws(() => fitMemory(0, 'memory', {}), /^Error: memory must be|memory must be a positive number/);
  assert.throws(() => fitMemory(512, 'memory', { minMemoryMbytes: 'much' }), /minMemoryMbytes must be/);
  assert.throws(
    () => fitMemory(512, 'memory', { minMemoryMbytes: 4096, maxMemoryMbytes: 256 }),
    /minMemoryMbytes \(4096\) must not be more than maxMemoryMbytes \(256\)/,
  );
});
