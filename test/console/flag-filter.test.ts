// The filter of the list of flags: what is typed, what stands in the address, and what the API is asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  apiFilterOf,
  keepPlace,
  placesOf,
  readToken,
  readTokens,
  searchPatchOf,
  splitTyped,
  withToken,
} from '../../console/flags/list/filter.ts';
import { readFlagFilter } from '../../src/flags/feature-flags/filter.ts';

const HOUR = 1_700_000_000_000;
const ME = 'a'.repeat(24);
const searchOf = (query: string) => {
  const params = new URLSearchParams(query);
  return { get: (name: string) => params.get(name) || undefined, set: () => undefined, href: () => '' };
};
const filterOf = (text: string) => {
  const { tokens, words } = splitTyped(text, 'test');
  return apiFilterOf(words, tokens, { ownerIds: [ME], hour: HOUR });
};

test('a word that is no token is looked for, and a token without an environment is about the first', () => {
  assert.deepEqual(splitTyped('tag:web dark foo:bar state:maybe state:on', 'test'), {
    tokens: [
      { name: 'tag', value: 'web' },
      { name: 'state', value: 'on@test' },
    ],
    words: 'dark foo:bar state:maybe',
  });
  assert.equal(readToken('state:on', undefined), undefined);
  assert.equal(readToken('tag:', 'test'), undefined);
  assert.equal(readToken('changed:0d', 'test'), undefined);
});

test('tokens survive the address', () => {
  const { tokens } = splitTyped('is:stale has:schedule@production tag:b tag:a owner:me', 'test');
  const patch = Object.entries(searchPatchOf(tokens)).filter(([, value]) => value);
  const query = new URLSearchParams(patch as [string, string][]).toString();
  const read = readTokens(searchOf(query), 'test');
  assert.deepEqual(
    new Set(read.map((token) => JSON.stringify(token))),
    new Set(tokens.map((token) => JSON.stringify(token))),
  );
  assert.deepEqual(readTokens(searchOf('filter=readyToRemove%3Atrue'), 'test'), [
    { name: 'is', value: 'stale' },
  ]);
});

test('of tokens that exclude each other the last one counts', () => {
  const on = { name: 'state', value: 'on@test' } as const;
  const off = { name: 'state', value: 'off@production' } as const;
  assert.deepEqual(withToken([on], off), [off]);
  const tag = { name: 'tag', value: 'a' } as const;
  assert.deepEqual(withToken([tag, on], { name: 'tag', value: 'b' }), [tag, on, { name: 'tag', value: 'b' }]);
});

test('filters about two environments can be narrowed to one', () => {
  const { tokens } = splitTyped('state:on@test has:approval@production tag:a', undefined);
  assert.deepEqual(placesOf(tokens), ['test', 'production']);
  assert.deepEqual(
    keepPlace(tokens, 'test').map(({ name }) => name),
    ['state', 'tag'],
  );
});

test('the server understands every filter that the list makes', () => {
  const texts = [
    'dark "mode", again',
    'tag:a tag:b',
    'owner:me',
    'team:core',
    'state:on',
    'state:off@production',
    'state:archived',
    'changed:7d',
    'has:schedule has:approval',
    'is:stale is:temporary',
  ];
  for (const text of texts) {
    const filter = filterOf(text);
    assert.ok(filter !== undefined, text);
    assert.equal(readFlagFilter({ filter }).isNothing, false, filter);
  }
  assert.equal(filterOf(''), undefined);
  assert.deepEqual(readFlagFilter({ filter: filterOf('tag:a tag:b')! }).tags, ['a', 'b']);
  assert.equal(readFlagFilter({ filter: filterOf('dark "mode", again')! }).words, 'dark mode, again');
});

test('an owner whom nobody is fits no flag', () => {
  const { tokens } = splitTyped('owner:nobody', 'test');
  assert.equal(apiFilterOf('', tokens, { ownerIds: [], hour: HOUR }), `maintainerId:${'0'.repeat(24)}`);
});
