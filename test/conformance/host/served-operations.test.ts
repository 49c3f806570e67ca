// Every operation of the host that reads is served in every version: rule H9.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostApi } from '../../../src/host/api.ts';
import { needsGit } from '../../../src/host/git/fixture-repository.ts';
import { fillPath, parametersOf } from '../../../src/kernel/http/path-template.ts';
import { startServer } from '../../server.ts';
import { ed25519Key } from '../../ssh-keys.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';

/** Values for the parameters of paths; operations with others have tests of their own. */
const PATH_VALUES: Record<string, string> = {
  username: 'admin',
  number: '1',
  account_id: '1',
  org: 'acme',
  owner: 'admin',
  repo: 'sample',
};

test('H9 every operation is served in every supported version', needsGit, async () => {
  const server = await startServer();
  const { json: key } = await server.call('/user/keys', {
    method: 'POST',
    body: { key: ed25519Key('served') },
  });
  await server.call('/admin/organizations', { method: 'POST', body: { login: 'acme', admin: 'admin' } });
  await server.call('/orgs/acme/public_members/admin', { method: 'PUT' });
  await server.call('/user/repos', {
    method: 'POST',
    body: { name: 'sample', auto_init: true, license_template: 'mit' },
  });
  await server.call('/repos/admin/sample/contents/CODEOWNERS', {
    method: 'PUT',
    body: { message: 'Owners', content: Buffer.from('* @admin\n').toString('base64') },
  });
  for (const path of ['/user/starred/admin/sample', '/repos/admin/sample/subscription'])
    await server.call(path, { method: 'PUT' });
  const values: Record<string, string> = { ...PATH_VALUES, key_id: String(key['id']) };
  for (const { shape } of hostApi.routes.filter(({ shape: { method } }) => method === 'GET')) {
    // Apps call these.
    if (/^\/app\/|\/installation\//.test(`${shape.path}/`)) continue;
    if (shape.until !== undefined || parametersOf(shape.path).some((name) => !(name in values))) continue;
    const path = fillPath(shape.path, values);
    const query = shape.id === 'search/users' ? '?q=admin' : '';
    for (const prefix of ['', '/api/v3']) {
      for (const version of [OLD, NEW]) {
        const { status } = await server.call(prefix + path + query, {
          headers: { 'x-host-api-version': version },
        });
        assert.ok(status === 200 || status === 204, `${prefix}${path} in ${version}: ${status}`);
      }
    }
  }
  await server.stop();
});
