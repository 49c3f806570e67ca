// The limits on body memory: bytes of the whole server, and bodies of one caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyMemory } from './body-memory.ts';
import { anonymousAt } from '../../identity/caller.ts';

const ann = anonymousAt('192.0.2.1');
const bob = anonymousAt('192.0.2.2');
const isBusy = { kind: 'unavailable', details: { headers: { 'retry-after': '1' } } };

test('the bytes of all bodies together are bounded, and free again once a body is done with', () => {
  const memory = new BodyMemory({ maxBytes: 100 });
  const first = memory.open(ann);
  first.add(60);
  const second = memory.open(bob);
  assert.throws(() => second.add(41), isBusy);
  second.add(40);
  first.close();
  first.close();
  assert.equal(memory.bytes, 40);
  second.add(60);
  second.close();
  assert.equal(memory.bytes, 0);
});

test('one caller has a limited number at the same time, and other callers have their own', () => {
  const memory = new BodyMemory({ maxAtOnce: 2 });
  const first = memory.open(ann);
  memory.open(ann);
  assert.throws(() => memory.open(ann), isBusy);
  memory.open(bob);
  first.close();
  memory.open(ann);
});

test('bytes that arrive after a body was closed are not counted', () => {
  const memory = new BodyMemory({ maxBytes: 100 });
  const body = memory.open(ann);
  body.close();
  body.add(1000);
  assert.equal(memory.bytes, 0);
});
