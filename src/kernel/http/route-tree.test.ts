import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSlashesIn } from './path-template.ts';
import { RouteTree, segmentsOf } from './route-tree.ts';
import type { Method } from './route.ts';

function treeOf(...places: [Method, string][]) {
  const tree = new RouteTree<string>();
  for (const [method, path] of places) tree.add({ method, path }, `${method} ${path}`);
  return {
    allowAt: (url: string) => tree.allowAt(segmentsOf(url, 1)),
    find: (method: string, url: string) => tree.find(method, segmentsOf(url, 1)),
  };
}

describe('a path', () => {
  const tree = treeOf(
    ['GET', '/log/{id}'],
    ['POST', '/log/counts'],
    ['PUT', '/log/{name}'],
    ['GET', '/log'],
    ['GET', '/log/{id}/lines/{line}'],
    ['GET', '/log/counts/all'],
  );

  test('has methods, and a literal one takes precedence over one whose parameter matches it', () => {
    for (const [path, allow] of [
      ['/log', 'OPTIONS, HEAD, GET'],
      ['/log?x=/1', 'OPTIONS, HEAD, GET'],
      ['/log/1', 'OPTIONS, HEAD, GET, PUT'],
      ['/log/a%2Fb', 'OPTIONS, HEAD, GET, PUT'],
      ['/log/counts', 'OPTIONS, POST'],
      ['/log/', undefined],
      ['/log/1/2', undefined],
      ['/', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(tree.allowAt(path), allow, path);
    }
  });

  test('has a route for each of its methods, and HEAD is that of GET', () => {
    for (const [method, path, route, params] of [
      ['GET', '/log/1', 'GET /log/{id}', { id: '1' }],
      ['HEAD', '/log/1', 'GET /log/{id}', { id: '1' }],
      ['PUT', '/log/1', 'PUT /log/{name}', { name: '1' }],
      ['GET', '/log/', 'GET /log/{id}', { id: '' }],
      ['GET', '/l%6Fg', 'GET /log', {}],
      ['GET', '/log/a%2Fb%25c/lines/%C3%A4', 'GET /log/{id}/lines/{line}', { id: 'a/b%c', line: 'ä' }],
      ['GET', 'http://x/log/1#2', 'GET /log/{id}', { id: '1' }],
      ['GET', '/log/__proto__', 'GET /log/{id}', { id: '__proto__' }],
    ] as const) {
      assert.deepEqual(tree.find(method, path), { route, params }, `${method} ${path}`);
    }
    for (const [method, path] of [
      ['POST', '/log/1'],
      ['GET', '/log/counts'],
      ['PUT', '/log/counts'],
      ['HEAD', '/log/counts'],
      ['GET', '/log/1/lines'],
      ['GET', '/Log'],
      ['GET', '//log'],
    ] as const) {
      assert.equal(tree.find(method, path), undefined, `${method} ${path}`);
    }
  });

  test('whose first segments match a literal one is still matched by a parameter', () => {
    assert.deepEqual(tree.find('GET', '/log/counts/lines/7')?.params, { id: 'counts', line: '7' });
    assert.equal(tree.find('GET', '/log/counts/all')?.route, 'GET /log/counts/all');
  });
});

test('a path with a rest comes after all others, and the longest of such paths first', () => {
  const tree = treeOf(
    ['DELETE', '/files/{path...}'],
    ['GET', '/files'],
    ['PUT', '/files/{id}'],
    ['POST', '/files/a/{path...}'],
    ['PATCH', '/files/a/b'],
    ['GET', '/files/{id}/c'],
  );
  for (const [path, allow] of [
    ['/files', 'OPTIONS, HEAD, GET'],
    ['/files/', 'OPTIONS, DELETE'],
    ['/files/1', 'OPTIONS, PUT'],
    ['/files/1/2', 'OPTIONS, DELETE'],
    ['/files//', 'OPTIONS, DELETE'],
    ['/files/a/', 'OPTIONS, POST'],
    ['/files/a/b', 'OPTIONS, PATCH'],
    ['/files/a/c', 'OPTIONS, HEAD, GET'],
    ['/files/a/b/c', 'OPTIONS, POST'],
    ['/file', undefined],
  ] as const) {
    assert.equal(tree.allowAt(path), allow, path);
  }
  for (const [method, path, rest] of [
    ['DELETE', '/files/', ''],
    ['DELETE', '/files//x/../%2F/', '/x/..///'],
    ['POST', '/files/a/b/c%20d', 'b/c d'],
  ] as const) {
    assert.deepEqual(tree.find(method, path)?.params, { path: rest }, path);
  }
  assert.equal(tree.find('DELETE', '/files/a/b'), undefined);
});

test('a route of its own takes precedence over the empty rest of another', () => {
  const places = [
    { method: 'GET', path: '/commits/{ref...}' },
    { method: 'GET', path: '/commits', isEmptyRest: true },
    { method: 'GET', path: '/commits' },
  ] as const;
  for (const order of [places, places.toReversed()]) {
    const tree = new RouteTree<string>();
    for (const place of order) tree.add(place, 'isEmptyRest' in place ? 'empty' : place.path);
    assert.equal(tree.find('GET', ['commits'])?.route, '/commits');
    assert.equal(tree.find('GET', ['commits', 'a', 'b'])?.route, '/commits/{ref...}');
  }
});

test('the root has a path with and without its slash', () => {
  const tree = treeOf(['GET', '/']);
  for (const path of ['', '/', '*']) {
    assert.equal(tree.allowAt(path), 'OPTIONS, HEAD, GET', path);
    assert.equal(tree.find('GET', path)?.route, 'GET /', path);
  }
});

test('the root without its slash is no empty parameter', () => {
  const tree = treeOf(['GET', '/{id}']);
  assert.equal(tree.find('GET', ''), undefined);
  assert.deepEqual(tree.find('GET', '/')?.params, { id: '' });
});

test('the segments below a prefix leave it out', () => {
  assert.deepEqual(segmentsOf('/api/v2/flags/a', '/api/v2'.split('/').length), ['flags', 'a']);
  assert.deepEqual(segmentsOf('/api/v2', '/api/v2'.split('/').length), []);
});

test('two routes for one method and path are a mistake', () => {
  assert.throws(() => treeOf(['GET', '/a/{x}'], ['GET', '/a/{y}']), /Two routes for GET/);
});

test('a parameter that may have slashes takes several segments, unless a literal path has them', () => {
  const tree = new RouteTree<string>();
  for (const path of ['/branches/{branch}', '/branches/{branch}/rename', '/branches/{branch}/rename/{id}'])
    for (const longer of withSlashesIn(path, ['branch'])) tree.add({ method: 'GET', path: longer }, path);
  for (const [url, route, params] of [
    ['/branches/a', '/branches/{branch}', { branch: 'a' }],
    ['/branches/a/b%2Fc/d', '/branches/{branch}', { branch: 'a/b/c/d' }],
    ['/branches/a/b/rename', '/branches/{branch}/rename', { branch: 'a/b' }],
    ['/branches/a/b/rename/7', '/branches/{branch}/rename/{id}', { branch: 'a/b', id: '7' }],
  ] as const)
    assert.deepEqual(tree.find('GET', segmentsOf(url, 1)), { route, params }, url);
  assert.equal(tree.find('GET', segmentsOf(`/branches${'/a'.repeat(20)}`, 1)), undefined);
});
