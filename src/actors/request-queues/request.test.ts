// The rules of requests, without a database.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { hasNoBackslashInKeys } from '../../kernel/json/fixture.ts';
import type { NewRequest, QueueRequest } from './model.ts';
import {
  requestIdOf,
  requestText,
  toRequestEntry,
  uniqueKeyOf,
  decodeCursor,
  encodeCursor,
} from './request.ts';

const failsWith = (code: string | undefined) => (error: unknown) =>
  error instanceof Failure && error.kind === 'invalid' && error.details.code === code;

function readBack(request: NewRequest) {
  const { id, head, rest, handledAt } = toRequestEntry(request, false);
  const stored = { id, head, rest, handled_at: handledAt, lock_until: 0, locked_by: null };
  return JSON.parse(requestText(stored, 0)) as QueueRequest;
}

test('the id is 15 letters and digits of the hash, without its other characters', () => {
  assert.equal(requestIdOf('https://example.com'), 'EAaArVRs5qV39C9');
  assert.match(requestIdOf('anything'), /^[A-Za-z0-9]{15}$/);
});

test('URLs that lead to the same page have the same key', () => {
  const key = 'https://example.com/a?b=1&c=2';
  for (const url of [
    'https://example.com/a?b=1&c=2',
    'https://EXAMPLE.com/a/?c=2&b=1',
    ' https://example.com:443/a?b=1&c=2#part ',
    'https://example.com/a?utm_source=x&b=1&utm_medium=y&c=2',
  ]) {
    assert.equal(uniqueKeyOf(url), key, url);
  }
  assert.equal(uniqueKeyOf('https://example.com/'), 'https://example.com');
  assert.equal(uniqueKeyOf('https://example.com/A'), 'https://example.com/A');
  assert.equal(uniqueKeyOf('no URL'), 'no URL');
});

test('a uniqueKey that is given wins over the URL', () => {
  const { id, uniqueKey } = toRequestEntry({ url: 'https://example.com', uniqueKey: 'mine' }, false);
  assert.deepEqual([id, uniqueKey], [requestIdOf('mine'), 'mine']);
});

test('without a url and a uniqueKey there is no request', () => {
  assert.throws(() => toRequestEntry({}, false), failsWith(undefined));
  assert.throws(() => toRequestEntry({ id: requestIdOf('x') }, false), failsWith(undefined));
});

test('an id must follow from the key', () => {
  assert.equal(toRequestEntry({ id: requestIdOf('x'), uniqueKey: 'x' }, false).id, requestIdOf('x'));
  assert.throws(
    () => toRequestEntry({ id: 'other', uniqueKey: 'x' }, false),
    failsWith('request-id-invalid'),
  );
});

test('keys and URLs that the engines cannot distinguish are refused', () => {
  for (const text of ['a\0b', 'a\ud800', '\udc00b']) {
    assert.throws(() => toRequestEntry({ uniqueKey: text }, false), failsWith(undefined));
    assert.throws(() => toRequestEntry({ uniqueKey: 'k', url: text }, false), failsWith(undefined));
  }
});

test('handledAt is a time in ISO 8601', () => {
  const at = (handledAt: string) => toRequestEntry({ uniqueKey: 'x', handledAt }, false).handledAt;
  assert.equal(at('2026-01-02T03:04:05.678Z'), Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  assert.equal(at('2026-01-02T03:04:05+01:00'), Date.UTC(2026, 0, 2, 2, 4, 5));
  for (const text of ['', 'yesterday', '5', '2026-13-01T00:00:00Z', '1 January 2026']) {
    assert.throws(() => at(text), failsWith(undefined), text);
  }
});

test('a stored request is read unchanged', () => {
  const text = fc.string({ unit: 'binary' });
  const requests = fc.record(
    {
      uniqueKey: fc.string({ minLength: 1, unit: 'grapheme' }).filter((key) => !key.includes('\0')),
      method: fc.constantFrom('GET' as const, 'POST' as const),
      retryCount: fc.nat(),
      loadedUrl: text,
      payload: fc.oneof(
        text,
        fc.dictionary(text, fc.jsonValue()).map((object) => ({ ...object })),
      ),
      userData: fc.dictionary(text, fc.jsonValue()).map((object) => ({ ...object })),
      noRetry: fc.boolean(),
      errorMessages: fc.array(text),
    },
    { requiredKeys: ['uniqueKey', 'method', 'retryCount'] },
  );
  fc.assert(
    fc.property(requests.filter(hasNoBackslashInKeys), (request) => {
      const sent = JSON.parse(JSON.stringify(request)) as NewRequest;
      const { uniqueKey } = sent;
      assert.deepEqual(readBack(sent), { ...sent, id: requestIdOf(uniqueKey!), url: uniqueKey });
    }),
  );
});

test('null is the same as absent', () => {
  const nulls = {
    loadedUrl: null,
    payload: null,
    headers: null,
    noRetry: null,
    errorMessages: null,
    handledAt: null,
  };
  assert.deepEqual(readBack({ uniqueKey: 'x', ...nulls }), readBack({ uniqueKey: 'x' }));
});

test('a cursor is valid only for the kind of list that returned it', () => {
  const byId = { afterId: requestIdOf('x') };
  assert.deepEqual(decodeCursor(encodeCursor(byId), 'id'), byId);
  for (const afterOrder of [0, -17, 9_999_999]) {
    assert.deepEqual(decodeCursor(encodeCursor({ afterOrder }), 'order'), { afterOrder });
  }
  assert.throws(() => decodeCursor(encodeCursor(byId), 'order'), { kind: 'invalid' });
  assert.throws(() => decodeCursor(encodeCursor({ afterOrder: 1 }), 'id'), { kind: 'invalid' });
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => decodeCursor(text, 'id'), { kind: 'invalid' });
    }),
  );
});
