// Errors in the format of OFREP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestContext } from '../../kernel/http/request-context.ts';
import { Failure, type FailureKind } from '../../kernel/failure.ts';
import { renderError, status } from './failures.ts';

const factsOf = (path: string, url: string) => ({ shape: { path }, url }) as unknown as RequestContext;
const bulk = factsOf('/v1/evaluate/flags', '/ofrep/v1/evaluate/flags?h=1');
const single = factsOf('/v1/evaluate/flags/{key}', '/ofrep/v1/evaluate/flags/a%20b?h=1');

test('errors of the evaluation have a code, and the key where one flag is evaluated', () => {
  const failure = new Failure('malformed', 'no JSON');
  assert.deepEqual(renderError(failure, bulk), { errorCode: 'PARSE_ERROR', errorDetails: 'no JSON' });
  assert.deepEqual(renderError(failure, single), {
    key: 'a b',
    errorCode: 'PARSE_ERROR',
    errorDetails: 'no JSON',
  });
});

test('a code of the failure itself wins', () => {
  const failure = new Failure('invalid', 'no key', { code: 'TARGETING_KEY_MISSING' });
  assert.deepEqual(renderError(failure, bulk), {
    errorCode: 'TARGETING_KEY_MISSING',
    errorDetails: 'no key',
  });
});

test('errors that have nothing to do with the evaluation have details alone', () => {
  const statuses: [FailureKind, number][] = [
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['exhausted', 429],
    ['internal', 500],
    ['unavailable', 503],
    ['no-route', 404],
  ];
  for (const [kind, expected] of statuses) {
    assert.equal(status[kind], expected);
    assert.deepEqual(renderError(new Failure(kind, 'why'), single), { errorDetails: 'why' });
  }
});

test('a key that cannot be decoded is told as it was sent', () => {
  const facts = factsOf('/v1/evaluate/flags/{key}', '/ofrep/v1/evaluate/flags/%zz');
  assert.deepEqual(renderError(new Failure('not-found', 'none'), facts), {
    key: '%zz',
    errorCode: 'FLAG_NOT_FOUND',
    errorDetails: 'none',
  });
});
