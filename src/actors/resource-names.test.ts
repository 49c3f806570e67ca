// Free names: which number is appended, and where the name is cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreeName } from './resource-names.ts';

/** Finds a free name among these, and counts the questions. */
async function find(name: string, firstNumber: number, names: string[]) {
  let asked = 0;
  const free = await findFreeName({ name, maxLength: 8, firstNumber }, async (folded) => {
    asked += 1;
    return names.filter((each) => folded.includes(each.toLowerCase()));
  });
  return { free, asked };
}

test('the wanted name is found where it is free', async () => {
  assert.equal((await find('Task', 2, ['task-2', 'other'])).free, 'Task');
});

test('the first number is appended to a name that is taken in another case', async () => {
  assert.equal((await find('task', 1, ['TASK'])).free, 'task-1');
  assert.equal((await find('task', 2, ['TASK'])).free, 'task-2');
  assert.equal((await find('task', 2, ['TASK', 'Task-2', 'task-4'])).free, 'task-3');
});

test('the name is cut so that the number fits', async () => {
  assert.equal((await find('schedule-of-mine', 2, [])).free, 'schedule');
  assert.equal((await find('schedule', 2, ['schedule'])).free, 'schedu-2');
});

test('names are looked up fifty at a time', async () => {
  const taken = ['task', ...Array.from({ length: 60 }, (_, index) => `task-${index + 2}`)];
  assert.deepEqual(await find('task', 2, taken), { free: 'task-62', asked: 2 });
});
