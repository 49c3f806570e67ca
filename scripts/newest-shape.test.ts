// Bodies of older versions as examples of the newest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutRemoved } from './newest-shape.ts';

const schemas = {
  repository: {
    properties: {
      name: {},
      parent: { anyOf: [{ $ref: '#/components/schemas/repository' }, { type: 'null' }] },
    },
  },
};
const repository = { $ref: '#/components/schemas/repository' };

test('what the newest schema does not have is left out, at any depth', () => {
  const old = { name: 'a', gone: 1, parent: { name: 'b', gone: 2, parent: null } };
  const young = { name: 'a', parent: { name: 'b', parent: null } };
  assert.deepEqual(withoutRemoved(old, repository, schemas), young);
  assert.deepEqual(withoutRemoved([old, old], { items: repository }, schemas), [young, young]);
});

test('maps keep all their members, and values that no schema describes stay', () => {
  const map = { properties: { a: repository }, additionalProperties: { type: 'number' } };
  assert.deepEqual(withoutRemoved({ a: { name: 'x', gone: 1 }, b: 2 }, map, schemas), {
    a: { name: 'x' },
    b: 2,
  });
  assert.deepEqual(withoutRemoved({ b: { c: 1 } }, {}, schemas), { b: { c: 1 } });
  assert.equal(withoutRemoved('text', repository, schemas), 'text');
});
