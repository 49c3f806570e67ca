// The OpenAPI documents against the tables of routes: every operation that is served is described, in every version, and no other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '../src/app/apis.ts';
import { describeApi } from '../src/kernel/openapi/document.ts';
import { describedPath, placesOf, type RoutePlace } from '../src/kernel/http/path-template.ts';
import { existsIn } from '../src/kernel/versions/version.ts';

/** Routes of other protocols than HTTP with JSON: of git, and the proxies in front of the web servers of runs. */
const OTHER_PROTOCOLS = [
  'GET /gist/{gist_id}/info/refs',
  'GET /{owner}/{repo}/info/refs',
  'POST /gist/{gist_id}/git-receive-pack',
  'POST /gist/{gist_id}/git-upload-pack',
  'POST /{owner}/{repo}/git-receive-pack',
  'POST /{owner}/{repo}/git-upload-pack',
];

const nameOf = ({ method, path }: RoutePlace) => `${method} ${describedPath(path)}`;

for (const api of apis) {
  const { name, versions, pathAliases = {}, description } = api.protocol;
  for (const version of versions.names) {
    test(`the document of ${name} ${version} has every operation that is served, and no other`, () => {
      const served = api.routes
        .filter(({ shape }) => existsIn(shape, version))
        .flatMap(({ shape }) => placesOf(shape))
        // The same operation with an empty last parameter.
        .filter(({ isEmptyRest }) => isEmptyRest !== true);
      const described = Object.entries(describeApi(api, version, {}).paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      );
      assert.deepEqual(described.toSorted(), served.map(nameOf).toSorted());
    });

    test(`operations of ${name} ${version} have names and path parameters of their own`, () => {
      const ids: string[] = [];
      const { paths } = describeApi(api, version, {});
      for (const [path, operations] of Object.entries(paths))
        for (const operation of Object.values(operations) as Described[]) {
          ids.push(operation.operationId);
          const declared = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name);
          const written = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!);
          assert.deepEqual(declared.toSorted(), written.toSorted(), path);
          assert.ok((operation.tags ?? []).length > 0 || api.tags === undefined, path);
        }
      assert.equal(new Set(ids).size, ids.length);
    });
  }

  test(`the description of ${name} names the other beginnings of its paths`, () => {
    for (const alias of Object.keys(pathAliases)) assert.ok(description.includes(alias), alias);
  });
}

test('what is served by another protocol is a known few', () => {
  const places = apis.flatMap(({ rawRoutes = [] }) =>
    rawRoutes.flatMap(({ at }) => ('prefix' in at ? [] : [nameOf(at)])),
  );
  assert.deepEqual(places.toSorted(), OTHER_PROTOCOLS);
});

interface Described {
  operationId: string;
  tags?: string[];
  parameters: { in: string; name: string }[];
}
