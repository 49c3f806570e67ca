// Which instruction of a plan a conflict is about.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { inInstruction } from '../patch/instructions.ts';
import { conflictOf } from './plan.ts';

const instructions = [{ kind: 'turnFlagOn' }, { kind: 'removeRule', ruleId: 'r' }];

function failedIn(index: number): Failure {
  try {
    inInstruction(index, instructions[index]!, () => {
      throw new Failure('invalid', 'ruleId names no rule of the flag');
    });
  } catch (error) {
    return error as Failure;
  }
  return assert.fail('It has not failed.');
}

test('a conflict has the instruction that failed', () => {
  assert.deepEqual(conflictOf(failedIn(1), instructions), {
    instruction: instructions[1],
    reason: 'instructions[1] (removeRule): ruleId names no rule of the flag',
  });
});

test('a conflict has no instruction where none failed, whatever the message looks like', () => {
  const reason = 'instructions[1] (removeRule): is what somebody has called the environment';
  assert.deepEqual(conflictOf(new Failure('invalid', reason), instructions), { reason });
});

test('a failure within an instruction of another list is about the outer instruction', () => {
  const inner = failedIn(1);
  assert.throws(
    () =>
      inInstruction(0, instructions[0]!, () => {
        throw inner;
      }),
    (error: Failure) => conflictOf(error, instructions).instruction === instructions[0],
  );
});
