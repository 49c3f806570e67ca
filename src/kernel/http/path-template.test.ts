// Paths of routes with parameters, one of which may be the rest of the path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedPath, fillPath, parametersOf, restOf, withoutRest } from './path-template.ts';

test('only the last parameter of a path can be its rest', () => {
  assert.equal(restOf('/a/{id}/files/{path...}'), 'path');
  assert.equal(withoutRest('/a/{id}/files/{path...}'), '/a/{id}/files');
  assert.equal(describedPath('/a/{id}/files/{path...}'), '/a/{id}/files/{path}');
  assert.deepEqual(parametersOf('/a/{id}/files/{path...}'), ['id', 'path']);
  assert.equal(restOf('/a/{id}'), undefined);
  assert.equal(restOf('/a/{path...}/b'), undefined);
});

test('a filled path has the slashes of its rest, and those of other parameters encoded', () => {
  const params = { id: 'x/y', path: 'docs/a b/100%' };
  assert.equal(fillPath('/a/{id}/files/{path...}', params), '/a/x%2Fy/files/docs/a%20b/100%25');
  assert.equal(fillPath('/a/{id}/files/{path...}', { id: 1, path: '' }), '/a/1/files/');
});

test('a path is not filled where a parameter is missing, or a URL parser would resolve a segment', () => {
  assert.throws(() => fillPath('/a/{id}', {}), /needs the parameter id/);
  for (const path of ['..', 'a/../b', './a']) {
    assert.throws(() => fillPath('/a/{path...}', { path }), /cannot have the path segment/);
  }
  assert.throws(() => fillPath('/a/{id}', { id: '..' }), /cannot have the path segment/);
});
