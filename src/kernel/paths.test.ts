import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Paths } from './paths.ts';
import type { Method } from './route.ts';

const pathsOf = (...shapes: [Method, string][]) =>
  new Paths(shapes.map(([method, path]) => ({ method, path })));

test('a literal path takes precedence over one whose parameter matches it', () => {
  const paths = pathsOf(['GET', '/log/{id}'], ['POST', '/log/counts'], ['PUT', '/log/{id}'], ['GET', '/log']);
  for (const [path, allow] of [
    ['/log', 'OPTIONS, HEAD, GET'],
    ['/log/1', 'OPTIONS, HEAD, GET, PUT'],
    ['/log/a%2Fb', 'OPTIONS, HEAD, GET, PUT'],
    ['/log/counts', 'OPTIONS, POST'],
    ['/log/', undefined],
    ['/log/1/2', undefined],
    ['/', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(paths.allowAt(path), allow, path);
  }
});

test('the root has a path with and without its slash', () => {
  const paths = pathsOf(['GET', '/']);
  assert.equal(paths.allowAt(''), 'OPTIONS, HEAD, GET');
  assert.equal(paths.allowAt('/'), 'OPTIONS, HEAD, GET');
  assert.equal(paths.allowAt('*'), 'OPTIONS, HEAD, GET');
});

test('methods that a path lacks are reported where a parameter of another path would match it', () => {
  const paths = pathsOf(
    ['GET', '/log/{id}'],
    ['PUT', '/log/{id}'],
    ['POST', '/log/counts'],
    ['PUT', '/x/{a}/y'],
  );
  assert.deepEqual(
    [...paths.hidden()].map(({ path, method }) => `${method} ${path}`),
    ['GET /log/counts', 'PUT /log/counts'],
  );
});

test('a path with a rest comes after all others, and the longest of such paths first', () => {
  const paths = pathsOf(
    ['DELETE', '/files/{path...}'],
    ['GET', '/files'],
    ['PUT', '/files/{id}'],
    ['POST', '/files/a/{path...}'],
    ['PATCH', '/files/a/b'],
  );
  for (const [path, allow] of [
    ['/files', 'OPTIONS, HEAD, GET'],
    ['/files/', 'OPTIONS, DELETE'],
    ['/files/1', 'OPTIONS, PUT'],
    ['/files/1/2', 'OPTIONS, DELETE'],
    ['/files//', 'OPTIONS, DELETE'],
    ['/files/a/', 'OPTIONS, POST'],
    ['/files/a/b', 'OPTIONS, PATCH'],
    ['/files/a/b/c', 'OPTIONS, POST'],
    ['/file', undefined],
  ] as const) {
    assert.equal(paths.allowAt(path), allow, path);
  }
  assert.deepEqual([...paths.hidden()].map(({ path, method }) => `${method} ${path}`).toSorted(), [
    'DELETE /files/a/b',
    'DELETE /files/a/{path...}',
    'DELETE /files/{id}',
    'POST /files/a/b',
  ]);
});

test('two routes for one verb and path are a mistake', () => {
  assert.throws(() => pathsOf(['GET', '/a/{x}'], ['GET', '/a/{x}']), /Two routes for GET/);
});
