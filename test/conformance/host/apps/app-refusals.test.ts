// What the routes of apps and installations refuse: tokens with a narrow policy, no token, and wrong verbs.
import assert from 'node:assert/strict';
import { makeApp, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let app: TestApp;
  let number: number;
  let two: number;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    const one = await ada.repository('one', { private: true });
    two = (await ada.repository('two', { private: true }))['id'] as number;
    app = await makeApp(server, 'ada', { name: 'Helper', permissions: { contents: 'read' } });
    ({ number } = await app.install('ada', [one['id'] as number]));
  });
  after(() => server.stop());

  const repositories = async (token: string) => {
    const { status, json } = await server.call(`/user/installations/${number}/repositories`, { token });
    assert.equal(status, 200);
    const names = (json['repositories'] as Json[]).map(({ name }) => name as string);
    assert.equal(json['total_count'], names.length, 'what the token does not see is not counted');
    return names;
  };

  test('a token with a narrow policy sees what it may see, and changes no installation', async () => {
    const narrow = async (actions: string[], resources: string[]) =>
      (await giveToken(server, ada.member, { inlinePolicy: [{ effect: 'allow', actions, resources }] }))
        .value;
    const viewer = await narrow(['view*'], ['*']);
    const elsewhere = await narrow(['*'], ['repo/ada/two']);
    const path = `/user/installations/${number}/repositories/${two}`;
    assert.equal((await server.call('/user/installations', { token: viewer })).json['total_count'], 1);
    assert.deepEqual(await repositories(viewer), ['one']);
    assert.deepEqual(await repositories(elsewhere), []);
    for (const token of [viewer, elsewhere])
      for (const method of ['PUT', 'DELETE']) {
        const refused = await server.call(path, { method, token });
        assert.ok([403, 404].includes(refused.status), `${method} ${refused.status} ${refused.text}`);
      }
    for (const [method, target] of [
      ['GET', '/user/installations'],
      ['GET', `/user/installations/${number}/repositories`],
      ['PUT', path],
      ['DELETE', path],
    ] as const)
      assert.equal((await server.call(target, { method, token: null })).status, 401, `${method} ${target}`);
    assert.deepEqual(await repositories(ada.token), ['one']);
  });

  test('wrong verbs are not found, and change nothing', async () => {
    for (const [method, path] of [
      ['POST', '/app'],
      ['DELETE', '/app'],
      ['POST', '/app/installations'],
      ['PATCH', `/app/installations/${number}`],
      ['POST', `/app/installations/${number}/suspended`],
      ['GET', `/app/installations/${number}/suspended`],
      ['GET', `/app/installations/${number}/access_tokens`],
      ['DELETE', `/app/installations/${number}/access_tokens`],
      ['PUT', '/app/hook/config'],
      ['POST', '/installation/repositories'],
      ['POST', '/user/installations'],
      ['POST', `/user/installations/${number}/repositories/${two}`],
    ] as const) {
      const { status, json } = await app.call(path, { method, ...(method !== 'GET' && { body: {} }) });
      assert.deepEqual([status, json['message']], [404, 'Not Found'], `${method} ${path}`);
    }
    const { status, json } = await app.call(`/app/installations/${number}`);
    assert.deepEqual([status, json['suspended_at']], [200, null]);
    assert.deepEqual(await repositories(ada.token), ['one']);
  });
});
