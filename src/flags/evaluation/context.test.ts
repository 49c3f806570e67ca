// Which JSON is a context, which attributes it has, and its canonical key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Failure } from '../../kernel/failure.ts';
import { canonicalKey, readContext, readAttribute, readReference } from './context.ts';

describe('a context', () => {
  const good: [what: string, given: unknown, canonical: string][] = [
    ['of one kind', { kind: 'org', key: 'o' }, 'org:o'],
    ['of the kind user', { kind: 'user', key: 'u:1%' }, 'u:1%'],
    [
      'of several kinds, in any order',
      { kind: 'multi', user: { key: 'u' }, org: { key: 'o' } },
      'org:o:user:u',
    ],
    ['of several kinds, of which there is one', { kind: 'multi', user: { key: 'u' } }, 'u'],
    ['whose key has signs of its own', { kind: 'org', key: 'a:b%c' }, 'org:a%3Ab%25c'],
    ['with no name and no secrets', { kind: 'a.b_c-1', key: 'k', name: null, _meta: null }, 'a.b_c-1:k'],
    ['as older SDKs write users', { key: 'u' }, 'u'],
    ['as older SDKs write users, without a key', { key: '' }, ''],
    ['with attributes that are null', { key: 'u', name: null, custom: null, anonymous: null }, 'u'],
  ];
  for (const [what, given, canonical] of good) {
    test(`is one ${what}`, () => assert.equal(canonicalKey(readContext(given)), canonical));
  }

  const bad: [what: string, given: unknown][] = [
    ['null', null],
    ['a list', []],
    ['a text', 'u'],
    ['a user without a key', { name: 'x' }],
    ['a user with a number for a key', { key: 1 }],
    ['a user with a list of attributes', { key: 'u', custom: [] }],
    ['a user with a number for a name', { key: 'u', name: 1 }],
    ['a user who is "yes" anonymous', { key: 'u', anonymous: 'yes' }],
    ['an empty kind', { kind: '', key: 'u' }],
    ['a kind that is null', { kind: null, key: 'u' }],
    ['the kind called kind', { kind: 'kind', key: 'u' }],
    ['a kind with a space', { kind: 'a b', key: 'u' }],
    ['a kind without a key', { kind: 'user' }],
    ['an empty key', { kind: 'user', key: '' }],
    ['a number for a name', { kind: 'user', key: 'u', name: 1 }],
    ['"yes" for anonymous', { kind: 'user', key: 'u', anonymous: 'yes' }],
    ['a text for _meta', { kind: 'user', key: 'u', _meta: 'x' }],
    ['several of none', { kind: 'multi' }],
    ['several with one that is a text', { kind: 'multi', user: 'u' }],
    ['several in several', { kind: 'multi', multi: { key: 'u' } }],
    ['several with one without a key', { kind: 'multi', user: { key: 'u' }, org: {} }],
  ];
  for (const [what, given] of bad) {
    test(`is not ${what}`, () => assert.throws(() => readContext(given), { kind: 'invalid' }));
  }

  const named: [given: unknown, field: string][] = [
    [{ name: 'x' }, 'key'],
    [{ key: 'u', email: 1 }, 'email'],
    [{ kind: 'a b', key: 'u' }, 'kind'],
    [{ kind: 'org', key: '' }, 'key'],
    [{ kind: 'org', key: 'o', anonymous: 1 }, 'anonymous'],
    [{ kind: 'multi', user: { key: 'u' }, org: { key: 'o', _meta: 1 } }, 'org._meta'],
    [{ kind: 'multi', org: [] }, 'org'],
    [{ kind: 'multi', 'a b': { key: 'u' } }, 'a b'],
  ];
  for (const [given, field] of named) {
    test(`without a good ${field} is told so`, () =>
      assert.throws(
        () => readContext(given),
        ({ message, details }: Failure) =>
          message.includes(` ${field} `) && details.fields?.[0]?.field === field,
      ));
  }
});

describe('an attribute', () => {
  const context = readContext({
    kind: 'user',
    key: 'k',
    name: 'n',
    flat: 1,
    '/slash': 2,
    'a~b': { 'c/d': 3 },
    deep: { list: [{ x: 1 }], none: null },
    _meta: { secret: 1 },
  });
  const attributes = context.parts.get('user')!;

  const cases: [reference: string, value: unknown][] = [
    ['key', 'k'],
    ['/key', 'k'],
    ['kind', 'user'],
    ['flat', 1],
    ['/~1slash', 2],
    ['/a~0b/c~1d', 3],
    ['a~b', { 'c/d': 3 }],
    ['/deep/list', [{ x: 1 }]],
    ['/deep/list/0', undefined],
    ['/deep/none', null],
    ['/flat/x', undefined],
    ['missing', undefined],
    ['_meta', undefined],
    ['/_meta/secret', undefined],
    ['constructor', undefined],
    ['/deep/constructor', undefined],
  ];
  for (const [reference, value] of cases) {
    test(`${reference} is ${JSON.stringify(value)}`, () =>
      assert.deepEqual(readAttribute(attributes, readReference(reference, false)!), value));
  }

  test('is a plain name where it is to be read so', () =>
    assert.equal(readAttribute(attributes, readReference('/slash', true)!), 2));

  for (const text of ['', '/', '//', '//a', '/a//b', '/a/', '/a~', '/a~2b', '/~']) {
    test(`is not meant by "${text}"`, () => assert.equal(readReference(text, false), undefined));
  }

  test('of an older user is found without regard to where it stood', () => {
    const user = readContext({ key: 'k', email: 'e', custom: { plan: 'gold', email: 'x', key: 'y' } });
    const part = user.parts.get('user')!;
    assert.deepEqual(
      { ...part.attributes },
      {
        plan: 'gold',
        email: 'e',
        key: 'k',
        kind: 'user',
        anonymous: false,
      },
    );
  });

  const anonymous: [given: unknown, isAnonymous: boolean][] = [
    [{ kind: 'user', key: 'u' }, false],
    [{ kind: 'user', key: 'u', anonymous: null }, false],
    [{ kind: 'user', key: 'u', anonymous: true }, true],
    [{ kind: 'multi', user: { key: 'u' }, org: { key: 'o', anonymous: true } }, false],
    [{ key: 'u' }, false],
    [{ key: 'u', anonymous: true }, true],
    [{ key: 'u', custom: { anonymous: 'yes' } }, true],
  ];
  for (const [given, isAnonymous] of anonymous) {
    test(`anonymous is ${isAnonymous} of ${JSON.stringify(given)}`, () =>
      assert.equal(readContext(given).parts.get('user')!.attributes['anonymous'], isAnonymous));
  }
});
