// Tests of the host's media types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../kernel/failure.ts';
import { asksForBeta, checkAccept, describeAccept, parseAcceptedType } from './media-type.ts';

test('any vendor’s word is ours, with or without version, parameter and +json', () => {
  const cases = [
    ['application/vnd.host.v3+json', { isJson: true }],
    ['application/vnd.other-vendor_2.v3+json', { isJson: true }],
    ['application/vnd.github+json', { isJson: true }],
    ['APPLICATION/VND.GITHUB.V3+JSON ; q=0.5', { isJson: true }],
    ['application/vnd.github.v3.raw', { param: 'raw', isJson: false }],
    ['application/vnd.github.beta.text-match+json', { param: 'text-match', isBeta: true, isJson: true }],
    ['application/vnd.github.beta', { isBeta: true, isJson: false }],
    ['application/vnd.github.v3.full.html+json', { param: 'full.html', isJson: true }],
    ['application/vnd.github.v4.idl', { param: 'v4.idl', isJson: false }],
    ['application/json', { isJson: true }],
    ['*/*', { isJson: false }],
    ['', { isJson: false }],
  ] as const;
  for (const [type, read] of cases) assert.deepEqual(parseAcceptedType(type), read, type);
});

test('what is not ours is not understood', () => {
  for (const type of ['text/html', 'application/xml', 'application/vnd.', 'application/vnd.a b+json', '\xff'])
    assert.equal(parseAcceptedType(type), undefined, type);
});

test('one type in the list that is ours is enough', () => {
  for (const accept of [undefined, '', 'text/html, */*;q=0.1', 'text/html,application/vnd.x.v3+json'])
    checkAccept(accept);
  assert.throws(
    () => checkAccept('text/html, image/*'),
    (error) => error instanceof Failure && error.kind === 'not-acceptable',
  );
});

test('a route that sends another type is asked for by that type or its group', () => {
  for (const accept of ['text/plain', 'TEXT/PLAIN; q=1', 'text/*']) {
    checkAccept(accept, 'text/plain');
    assert.throws(() => checkAccept(accept), Failure);
  }
  assert.throws(() => checkAccept('text/plainer', 'text/plain'), Failure);
});

test('what was understood is answered the same, however many others were answered before', () => {
  const accept = 'application/vnd.late.v3.raw+json';
  for (let other = 0; other < 300; other += 1) describeAccept(`application/vnd.vendor${other}.v3+json`);
  assert.equal(describeAccept(accept), 'v3; param=raw; format=json');
  assert.equal(describeAccept(undefined), 'v3');
  assert.equal(describeAccept('text/html'), 'v3');
  assert.equal(describeAccept('text/html, application/json'), 'v3; format=json');
  checkAccept(accept);
});

test('the first type that is ours decides whether the oldest shapes are asked for', () => {
  for (const [accept, isBeta] of [
    ['application/vnd.github.beta+json', true],
    ['text/html, application/vnd.host.beta.raw', true],
    ['application/vnd.github.v3+json, application/vnd.github.beta+json', false],
    ['application/vnd.github.betamax+json', false],
    ['application/json', false],
    [undefined, false],
  ] as const)
    assert.equal(asksForBeta(accept), isBeta, accept);
  assert.equal(
    describeAccept('application/vnd.github.beta.raw+json', 'beta'),
    'beta; param=raw; format=json',
  );
});
