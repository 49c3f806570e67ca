// Placeholders in policies, with and without values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPlaceholders, hasPlaceholders, joinAttributes } from './attributes.ts';
import { compilePolicy, type PolicyStatement } from './policy.ts';

const allow = (resources: string[]): PolicyStatement => ({ effect: 'allow', actions: ['*'], resources });
const PROJECT = 'proj/${roleAttribute/projects}';

function may(statements: PolicyStatement[], attributes: Record<string, string[]>, resource: string): boolean {
  return compilePolicy(fillPlaceholders(statements, attributes)).allows('updateOn', resource);
}

test('a placeholder becomes each of its values, and two become all pairs', () => {
  const [filled] = fillPlaceholders([allow([`${PROJECT}:env/\${roleAttribute/envs}`, 'acct'])], {
    projects: ['web', 'app'],
    envs: ['test', 'stage-*'],
  });
  assert.deepEqual(filled?.resources, [
    'proj/web:env/test',
    'proj/web:env/stage-*',
    'proj/app:env/test',
    'proj/app:env/stage-*',
    'acct',
  ]);
});

test('a placeholder without a value allows nothing', () => {
  for (const attributes of [{}, { projects: [] }, { other: ['web'] }]) {
    assert.equal(may([allow([PROJECT])], attributes, 'proj/web'), false);
    const butThese: PolicyStatement = { effect: 'allow', actions: ['*'], notResources: [PROJECT] };
    assert.equal(may([butThese], attributes, 'proj/web'), false);
  }
  assert.equal(may([allow([PROJECT])], { projects: ['web'] }, 'proj/web'), true);
  assert.equal(may([allow([PROJECT])], { projects: ['web'] }, 'proj/app'), false);
});

test('a placeholder without a value denies all that it could name', () => {
  const all = allow(['*']);
  const these: PolicyStatement = { effect: 'deny', actions: ['*'], resources: [PROJECT] };
  const butThese: PolicyStatement = { effect: 'deny', actions: ['*'], notResources: [PROJECT] };
  assert.equal(may([all, these], {}, 'proj/web'), false);
  assert.equal(may([all, butThese], {}, 'proj/web'), false);
  assert.equal(may([all, these], { projects: ['app'] }, 'proj/web'), true);
  assert.equal(may([all, butThese], { projects: ['web'] }, 'proj/web'), true);
});

test('names of the language are only names', () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    assert.equal(may([allow([`proj/\${roleAttribute/${key}}`])], {}, 'proj/web'), false, key);
  }
  const joined = joinAttributes([
    JSON.parse('{"__proto__":["a"]}') as Record<string, string[]>,
    { b: ['c'] },
  ]);
  assert.deepEqual(Object.entries(joined), [
    ['__proto__', ['a']],
    ['b', ['c']],
  ]);
});

test('placeholders in a policy are detected', () => {
  assert.equal(hasPlaceholders([allow([PROJECT])]), true);
  assert.equal(hasPlaceholders([allow(['proj/web'])]), false);
});

test('values from two sources are merged without duplicates', () => {
  assert.deepEqual(joinAttributes([{ a: ['1', '2'] }, { a: ['2', '3'], b: [] }]), {
    a: ['1', '2', '3'],
    b: [],
  });
});
