// Colours, tables, durations and failures in the output of commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { Failure } from '../kernel/failure.ts';
import { parseDuration } from './token/token-create.ts';
import { reportError } from './command-errors.ts';
import { fitLine, painter, wantsJson, type Io, alignTable, markdownTable } from './io.ts';

const terminal: Io = { out: () => {}, err: () => {}, env: {}, program: 'signalbox', isTerminal: true };

test('colours are for terminals whose owner has not forbidden them', () => {
  assert.notEqual(painter(terminal)('red', 'x'), 'x');
  assert.equal(painter({ ...terminal, isTerminal: false })('red', 'x'), 'x');
  assert.equal(painter({ ...terminal, env: { NO_COLOR: '1' } })('red', 'x'), 'x');
});

test('output that nobody looks at is JSON unless text is asked for', () => {
  const pipe = { ...terminal, isTerminal: false };
  assert.deepEqual(
    [
      wantsJson({}, terminal),
      wantsJson({ json: true }, terminal),
      wantsJson({}, pipe),
      wantsJson({ json: false }, pipe),
    ],
    [false, true, true, false],
  );
});

test('a line that is replaced never wraps', () => {
  assert.equal(fitLine('twelve words', 40), 'twelve words');
  assert.equal(fitLine('twelve words', 12), 'twelve wor…');
  assert.equal(fitLine('', 0), '');
  assert.equal(fitLine('twelve words', 0), 'twelve words');
  assert.equal(fitLine('twelve words', undefined), 'twelve words');
});

test('columns are as wide as their widest cell', () => {
  assert.equal(alignTable(['A', 'Long'], [['wide cell', 'x']]), 'A          Long\nwide cell  x');
  assert.equal(markdownTable(['A'], [['x|y']]), '| A |\n| --- |\n| x\\|y |');
});

test('a span of time has a number and a unit', () => {
  assert.deepEqual(['90m', '12h', '30d', '2w'].map(parseDuration), [5.4e6, 4.32e7, 2.592e9, 1.2096e9]);
  for (const wrong of ['', '30', 'd', '0d', '-1d', '1.5h', '1y', ' 1d']) {
    assert.throws(() => parseDuration(wrong), /is not a span of time/);
  }
});

test('a failure is one sentence, and wrong use has a code of its own', () => {
  const reports: string[] = [];
  const io: Io = { ...terminal, err: (text) => reports.push(text) };
  assert.equal(reportError(new Failure('unavailable', 'The box is shut'), [], io), 1);
  assert.equal(reportError(new Failure('invalid', 'The box must be open.'), [], io), 2);
  assert.equal(reportError(new Error('odd', { cause: new Error('deep down') }), [], io), 1);
  assert.equal(reportError(new CommanderError(0, 'commander.help', 'help'), [], io), 0);
  assert.equal(reportError(new CommanderError(1, 'commander.unknownOption', 'told before'), [], io), 2);
  assert.deepEqual(reports, [
    'The box is shut.',
    'The box must be open.',
    'odd: deep down. Set SIGNALBOX_LOG_LEVEL=debug to see where it comes from.',
  ]);
});

test('where a failure comes from is reported at log level debug', () => {
  for (const [argv, env] of [
    [['serve', '--log-level', 'debug'], {}],
    [['serve', '--log-level=trace'], {}],
    [['token', 'ls'], { SIGNALBOX_LOG_LEVEL: 'debug' }],
  ] as const) {
    let reports = '';
    reportError(new Failure('unavailable', 'Shut.'), argv, {
      ...terminal,
      env,
      err: (text) => (reports = text),
    });
    assert.match(reports, /^Failure: Shut\.\n {4}at /);
  }
});
