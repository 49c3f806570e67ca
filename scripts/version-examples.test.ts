// Examples of version changes: which calls of tests are taken, and what of their bodies is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../src/host/api.ts';
import type { RecordedCall } from '../test/recorder.ts';
import { trimDifference } from './trim-difference.ts';
import { changesWithoutExample, chooseVersionExamples } from './version-examples.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const RATE = 'property-rate-removed-from-the-rate-limit-status';
const fields = new Set(['gone']);

test('bodies are trimmed to the changed members, a name, and what is to be read instead, in their order', () => {
  const before = { x: 1, name: 'n', gone: true, other: { deep: { use: 2, y: 3 }, z: 4 } };
  const { gone: _gone, ...after } = before;
  const other = { deep: { use: 2, '…': '' }, '…': '' };
  assert.deepEqual(trimDifference(before, after, { fields, around: ['other.deep.use', 'absent.a'] }), {
    before: { name: 'n', gone: true, other, '…': '' },
    after: { name: 'n', other, '…': '' },
  });
});

test('nested resources are found, the first item of a list that differs is shown, and its length is told', () => {
  const item = (gone?: number) => ({ repo: { id: 1, a: 2, ...(gone !== undefined && { gone }) } });
  const pair = trimDifference([item(), item(5)], [item(), item()], { fields, around: [] });
  assert.deepEqual(pair, {
    before: [{ repo: { id: 1, gone: 5, '…': '' } }, '…'],
    after: [{ repo: { id: 1, '…': '' } }, '…'],
  });
});

test('long values of the changed members are cut: the first of a list, and of each thing its name', () => {
  const user = { login: 'ann', a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 };
  const before = {
    gone: [
      { user, at: 1 },
      { user, at: 2 },
    ],
    x: 1,
  };
  assert.deepEqual(trimDifference(before, { x: 1 }, { fields, around: [] })?.before, {
    gone: [{ user: { login: 'ann', '…': '' }, at: 1 }, '…'],
    '…': '',
  });
});

test('a text that became an object is shown whole, and bodies without a changed member are not shown', () => {
  const trimming = { fields: new Set(['email']), around: [] };
  assert.deepEqual(trimDifference(['a@b'], [{ email: 'a@b' }], trimming), {
    before: ['a@b'],
    after: [{ email: 'a@b' }],
  });
  assert.equal(trimDifference({ a: 1 }, { a: 2 }, trimming), undefined);
  assert.equal(trimDifference(null, { email: 'a@b' }, trimming), undefined);
  assert.equal(trimDifference({ email: 1 }, null, trimming), undefined);
});

function recorded(version: string, body: unknown, more: Partial<RecordedCall> = {}): RecordedCall {
  return {
    method: 'GET',
    path: '/rate_limit',
    headers: { 'x-host-api-version': version },
    status: 200,
    type: 'application/json',
    text: JSON.stringify(body),
    ...more,
  };
}

test('an example is a call that was made under both versions; one without a difference is none', () => {
  const core = { limit: 1 };
  const old = recorded(OLD, { resources: { core }, rate: core });
  const fresh = recorded(NEW, { resources: { core } });
  assert.deepEqual(chooseVersionExamples(hostApi, [old, fresh])[NEW]?.[RATE], {
    call: 'GET /rate_limit',
    before: { status: 200, body: { resources: { core }, rate: core } },
    after: { status: 200, body: { resources: { core } } },
  });
  for (const calls of [[old], [fresh], [old, recorded(NEW, { resources: { core }, rate: core })]]) {
    const examples = chooseVersionExamples(hostApi, calls);
    assert.deepEqual(examples, {});
    assert.ok(changesWithoutExample(hostApi, examples).some((title) => title.includes('`rate`')));
  }
});

test('of calls that were made under both versions those are taken that differ in nothing else', () => {
  const of = (version: string, limit: number, used: number) => {
    const core = { limit, used, remaining: limit - used };
    return recorded(version, { resources: { core }, ...(version === OLD && { rate: core }) });
  };
  const calls = [of(OLD, 60, 4), of(OLD, 5000, 7), of(NEW, 5000, 10), of(NEW, 5000, 7), of(OLD, 60, 1)];
  const example = chooseVersionExamples(hostApi, calls)[NEW]?.[RATE];
  const core = { limit: 5000, used: 7, remaining: 4993 };
  assert.deepEqual(example?.before.body, { resources: { core }, rate: core });
  assert.deepEqual(example?.after.body, { resources: { core } });
});

test('the shapes of a media type are shown by calls that ask for it', () => {
  const accept = 'application/vnd.host.beta+json';
  const of = (version: string, body: unknown, more = {}) =>
    recorded(version, body, {
      path: '/user/emails',
      headers: { 'x-host-api-version': version, ...more },
    });
  const email = { email: 'a@b', primary: true, verified: true, visibility: null };
  const calls = [of(OLD, ['a@b'], { accept }), of(NEW, [email], { accept })];
  const [example] = Object.values(chooseVersionExamples(hostApi, calls)[NEW] ?? {});
  assert.deepEqual([example?.accept, example?.before.body, example?.after.body], [accept, ['a@b'], [email]]);
  assert.deepEqual(chooseVersionExamples(hostApi, [of(OLD, ['a@b']), of(NEW, [email])]), {});
});
