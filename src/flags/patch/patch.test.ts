import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Failure, type FailureKind } from '../../kernel/failure.ts';
import { readPatch, type Patch, type PatchKind } from './patch.ts';

const all: PatchKind[] = ['json', 'merge', 'semantic'];
const plain = 'application/json';
const semantic = 'application/json; domain-model=example.semanticpatch';
const operations = [{ op: 'remove', path: '/a' }];
const instructions = [{ kind: 'turnOn' }];

describe('what is understood', () => {
  const understood: [name: string, body: unknown, mediaType: string, patch: Patch][] = [
    ['a list is a JSON patch', operations, plain, { kind: 'json', operations }],
    ['an empty list is a JSON patch', [], plain, { kind: 'json', operations: [] }],
    ['patch in an envelope', { patch: operations }, plain, { kind: 'json', operations }],
    [
      'patch with comment',
      { patch: operations, comment: 'c' },
      plain,
      { kind: 'json', operations, comment: 'c' },
    ],
    ['merge in an envelope', { merge: { a: 1 } }, plain, { kind: 'merge', fields: { a: 1 } }],
    ['merge with comment', { comment: '', merge: {} }, plain, { kind: 'merge', fields: {}, comment: '' }],
    ['any other object is a merge patch', { a: 1 }, plain, { kind: 'merge', fields: { a: 1 } }],
    ['an empty object is a merge patch', {}, plain, { kind: 'merge', fields: {} }],
    [
      'patch is a field beside others',
      { patch: [], a: 1 },
      plain,
      { kind: 'merge', fields: { patch: [], a: 1 } },
    ],
    [
      'a comment is a field beside others',
      { comment: 'c', a: 1 },
      plain,
      { kind: 'merge', fields: { comment: 'c', a: 1 } },
    ],
    [
      'another domain-model is no semantic patch',
      [],
      `${plain}; domain-model=x`,
      { kind: 'json', operations: [] },
    ],
    ['a charset is ignored', [], `${plain};charset=utf-8`, { kind: 'json', operations: [] }],
    ['instructions', { instructions }, semantic, { kind: 'semantic', instructions }],
    [
      'instructions with comment and environment',
      { instructions, environmentKey: 'e', comment: 'c' },
      semantic,
      { kind: 'semantic', instructions, environmentKey: 'e', comment: 'c' },
    ],
  ];
  test('instructions under plain JSON, where nothing else is taken', () => {
    assert.deepEqual(readPatch({ instructions }, plain, ['semantic']), { kind: 'semantic', instructions });
  });

  for (const [name, body, mediaType, patch] of understood) {
    test(name, () => assert.deepEqual(readPatch(body, mediaType, all), patch));
  }

  const spellings = [
    'application/json;domain-model=other.semanticpatch',
    'Application/JSON; Domain-Model=Some-Word.SemanticPatch',
    'application/json; charset=utf-8; domain-model=x.semanticpatch',
    'application/json; domain-model="x.semanticpatch"; charset=utf-8',
  ];
  for (const mediaType of spellings) {
    test(`${mediaType} is a semantic patch`, () => {
      assert.equal(readPatch({ instructions }, mediaType, all).kind, 'semantic');
    });
  }
});

describe('what is refused', () => {
  const refused: [name: string, body: unknown, mediaType: string, accepts: PatchKind[], kind: FailureKind][] =
    [
      ['no media type', [], '', all, 'malformed'],
      ['another media type', [], 'text/plain', all, 'malformed'],
      ['a broken media type', [], 'application/json; domain-model', all, 'malformed'],
      ['instructions under plain JSON', { instructions }, plain, all, 'malformed'],
      ['instructions under plain JSON, no list', { instructions: {} }, plain, all, 'malformed'],
      [
        'instructions with a mistyped domain-model',
        { instructions },
        `${plain}; domain-model=x.patch`,
        all,
        'malformed',
      ],
      [
        'instructions with an empty word',
        { instructions },
        `${plain}; domain-model=.semanticpatch`,
        all,
        'malformed',
      ],
      ['a comment that is no string, with patch', { patch: [], comment: 1 }, plain, all, 'bad-patch'],
      ['a comment that is null, with merge', { merge: {}, comment: null }, plain, all, 'bad-patch'],
      ['a comment that is no string, semantic', { instructions, comment: [] }, semantic, all, 'bad-patch'],
      ['a comment with a NUL', { patch: [], comment: 'a\0b' }, plain, all, 'malformed'],
      ['a comment alone', { comment: 'c' }, plain, all, 'bad-patch'],
      ['patch that is no list', { patch: {} }, plain, all, 'bad-patch'],
      ['patch that is null', { patch: null }, plain, all, 'bad-patch'],
      ['merge that is no object', { comment: 'c', merge: [] }, plain, all, 'bad-patch'],
      ['patch and merge at once', { patch: [], merge: {} }, plain, all, 'bad-patch'],
      ['a JSON patch where only instructions are taken', [], plain, ['semantic'], 'bad-patch'],
      [
        'an envelope where only instructions are taken',
        { comment: 'c', patch: [] },
        plain,
        ['semantic'],
        'bad-patch',
      ],
      ['a string', 'x', plain, all, 'bad-patch'],
      ['null', null, plain, all, 'bad-patch'],
      ['an absent body', undefined, plain, all, 'bad-patch'],
      ['a list where only merge is taken', [], plain, ['merge'], 'bad-patch'],
      ['an envelope where only merge is taken', { patch: [] }, plain, ['merge', 'semantic'], 'bad-patch'],
      ['an object where only JSON patch is taken', { a: 1 }, plain, ['json'], 'bad-patch'],
      ['a merge envelope where only JSON patch is taken', { merge: {} }, plain, ['json'], 'bad-patch'],
      ['a semantic patch where none is taken', { instructions }, semantic, ['json', 'merge'], 'bad-patch'],
      ['a semantic list', instructions, semantic, all, 'bad-patch'],
      ['a semantic patch without instructions', { comment: 'c' }, semantic, all, 'bad-patch'],
      ['no instructions', { instructions: [] }, semantic, all, 'bad-patch'],
      ['an instruction without kind', { instructions: [{ a: 1 }] }, semantic, all, 'bad-patch'],
      ['an instruction that is no object', { instructions: ['turnOn'] }, semantic, all, 'bad-patch'],
      [
        'an environmentKey that is no string',
        { instructions, environmentKey: 1 },
        semantic,
        all,
        'bad-patch',
      ],
      [
        'instructions of 100,000 levels',
        {
          instructions: [{ kind: 'x', value: JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`) as unknown }],
        },
        semantic,
        all,
        'bad-patch',
      ],
    ];
  for (const [name, body, mediaType, accepts, kind] of refused) {
    test(name, () => {
      assert.throws(
        () => readPatch(body, mediaType, accepts),
        (error) => error instanceof Failure && error.kind === kind,
      );
    });
  }

  test('the failure says what the resource takes, with the envelopes', () => {
    assert.throws(() => readPatch({}, plain, ['json', 'semantic']), {
      message:
        'The body is a merge patch, and this resource takes a JSON patch: [{"op", "path", "value"}] or {"comment", "patch": [...]}; ' +
        'or a semantic patch: {"comment", "environmentKey", "instructions": [{"kind", ...}]}.',
    });
  });

  test('a bad envelope is named, with what is wrong in it', () => {
    assert.throws(() => readPatch({ comment: 'c', patch: 1 }, plain, all), {
      message:
        'An envelope is {"comment", "patch": [...]} or {"comment", "merge": {...}}, and here "patch" must be a list of operations.',
    });
  });
});
