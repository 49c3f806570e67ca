// What programs need for the routes of the host: no route is missing in the table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../api.ts';
import { APP_PERMISSION_NAMES } from './permissions.ts';
import { findRouteNeed } from './route-permissions.ts';

const places = [
  ...hostApi.routes.map(({ shape }) => shape),
  ...(hostApi.rawRoutes ?? []).flatMap(({ at }) => ('prefix' in at ? [] : [at])),
];

test('every route of the host says what a program needs for it', () => {
  const missing = places.filter((place) => findRouteNeed(place) === undefined);
  assert.deepEqual(
    missing.map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

test('every permission that a route needs is one that an app can have', () => {
  for (const place of places) {
    const need = findRouteNeed(place);
    if (typeof need === 'object')
      assert.ok(APP_PERMISSION_NAMES.includes(need.permission), `${place.path}: ${need.permission}`);
  }
});

test('reading needs read, and all else needs write', () => {
  const need = (method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string) => {
    const found = findRouteNeed({ method, path });
    return typeof found === 'object' ? `${found.permission}:${found.level}` : found;
  };
  const repository = '/repos/{owner}/{repo}';
  assert.equal(need('GET', repository), 'metadata:read');
  assert.equal(need('PATCH', repository), 'administration:write');
  assert.equal(need('GET', `${repository}/contents/{path...}`), 'contents:read');
  assert.equal(need('PUT', `${repository}/contents/{path...}`), 'contents:write');
  assert.equal(need('GET', `${repository}/commits/{ref}/status`), 'statuses:read');
  assert.equal(need('GET', `${repository}/commits/{ref...}`), 'contents:read');
  assert.equal(need('GET', `${repository}/branches/{branch}/protection`), 'administration:read');
  assert.equal(need('PATCH', `${repository}/pulls/{pull_number}`), 'pull_requests:write');
  assert.equal(need('PUT', `${repository}/pulls/{pull_number}/update-branch`), 'contents:write');
  assert.equal(need('POST', `${repository}/merges`), 'contents:write');
  assert.equal(need('POST', `${repository}/merge-upstream`), 'contents:write');
  assert.equal(need('GET', `${repository}/hooks`), 'repository_hooks:read');
  assert.equal(need('GET', '/orgs/{org}/hooks'), 'organization_hooks:read');
  assert.equal(need('GET', '/user'), 'person');
  assert.equal(need('GET', '/app'), 'app');
  assert.equal(need('GET', '/nothing-of-the-kind'), undefined);
});
