// Repositories on a running server: who may create, see, change and delete them, their names, and their lists.
import assert from 'node:assert/strict';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { linkedPages } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  /** Tokens of two writers and a reader. */
  let ada: string;
  let adaHerself: Member;
  let bob: string;
  let bobHimself: Member;
  let eve: string;

  before(async () => {
    server = await startServerOn(engine);
    ({ token: ada, member: adaHerself } = await joinHost(server, 'ada'));
    ({ token: bob, member: bobHimself } = await joinHost(server, 'bob'));
    ({ token: eve } = await joinHost(server, 'eve', { role: 'reader' }));
  });
  after(() => server.stop());

  const send = (method: string, path: string, token: string | null, body?: unknown) =>
    server.call(path, { method, token, ...(body !== undefined && { body }) });
  const create = async (token: string, body: Json) => {
    const answer = await send('POST', '/user/repos', token, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };

  test('a new repository has its owner, its addresses and all rights for its creator', async () => {
    const { json, headers, status } = await send('POST', '/user/repos', ada, {
      name: 'first',
      description: 'The first one',
      homepage: 'https://example.com',
    });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `${server.url}/repos/ada/first`);
    assert.equal(json['full_name'], 'ada/first');
    assert.equal(json['owner'].login, 'ada');
    assert.deepEqual([json['private'], json['visibility'], json['fork']], [false, 'public', false]);
    assert.equal(json['default_branch'], 'main');
    assert.equal(json['clone_url'], `${server.url}/ada/first.git`);
    assert.deepEqual(json['permissions'], {
      admin: true,
      maintain: true,
      push: true,
      triage: true,
      pull: true,
    });
    assert.equal(json['squash_merge_commit_title'], 'COMMIT_OR_PR_TITLE');
    const { json: same } = await server.call(`/repositories/${json['id']}`, { token: ada });
    assert.deepEqual(same, json);
  });

  test('names are found in whatever case, and a case twin is refused', async () => {
    await create(ada, { name: 'Twin' });
    assert.equal((await send('GET', '/repos/ADA/tWIN', null)).json['full_name'], 'ada/Twin');
    const { status, json } = await send('POST', '/user/repos', ada, { name: 'twin' });
    assert.equal(status, 422);
    assert.equal(json['errors'][0].field, 'name');
  });

  test('a name that cannot be one is refused, and other characters become hyphens', async () => {
    assert.equal((await create(ada, { name: 'my new thing!' }))['name'], 'my-new-thing-');
    for (const name of ['', '.', '..', 'a.git', 'a.wiki', 'x'.repeat(101)]) {
      assert.equal((await send('POST', '/user/repos', ada, { name })).status, 422, name);
    }
    assert.equal((await send('POST', '/user/repos', ada, {})).status, 422);
    assert.equal((await send('POST', '/user/repos', ada, { name: 'x', private: 'yes' })).status, 422);
    assert.equal((await send('POST', '/user/repos', null, { name: 'x' })).status, 401);
    assert.equal((await send('POST', '/user/repos', eve, { name: 'x' })).status, 403);
  });

  test('a private repository is not there for others, whatever they do', async () => {
    const { id } = await create(ada, { name: 'secret', private: true });
    for (const path of ['/repos/ada/secret', `/repositories/${id}`]) {
      for (const token of [null, bob, eve]) {
        assert.equal((await send('GET', path, token)).status, 404);
        const status = token === null ? 401 : 404;
        assert.equal((await send('PATCH', path, token, { description: 'x' })).status, status);
        assert.equal((await send('PATCH', path, token, { private: 'wrong' })).status, status);
        assert.equal((await send('DELETE', path, token)).status, status);
      }
      assert.equal((await send('GET', path, ada)).status, 200);
      // The administrator of the server.
      assert.equal((await server.call(path)).status, 200);
    }
  });

  test('a public repository is read by everybody, and changed by its administrators', async () => {
    await create(ada, { name: 'open' });
    assert.equal((await send('GET', '/repos/ada/open', null)).json['permissions'], undefined);
    assert.equal((await send('GET', '/repos/ada/open', bob)).json['permissions'].push, false);
    assert.equal((await send('PATCH', '/repos/ada/open', bob, { description: 'x' })).status, 403);
    assert.equal((await send('DELETE', '/repos/ada/open', bob)).status, 403);
    const { status, json } = await send('PATCH', '/repos/ada/open', ada, {
      description: 'Changed',
      has_wiki: false,
      squash_merge_commit_title: 'PR_TITLE',
    });
    assert.equal(status, 200);
    assert.deepEqual(
      [json['description'], json['has_wiki'], json['squash_merge_commit_title']],
      ['Changed', false, 'PR_TITLE'],
    );
    assert.equal((await send('PATCH', '/repos/ada/open', ada, { default_branch: 'none' })).status, 422);
  });

  test('the first commit has the README, the licence and the ignored files', async () => {
    const repository = await create(ada, {
      name: 'begun',
      auto_init: true,
      license_template: 'mit',
      gitignore_template: 'Node',
      description: 'Begins with files',
    });
    assert.equal(repository['license'].spdx_id, 'MIT');
    const git = server.app.kernel.services.git.repository(repository['id'] as number);
    const commit = await git.resolveCommit('main');
    const names = (await git.readTree(commit!.tree))!.entries.map(({ name }) => name);
    assert.deepEqual(names, ['.gitignore', 'LICENSE', 'README.md']);
    const wrong = { name: 'wrong', license_template: 'none-such' };
    assert.equal((await send('POST', '/user/repos', ada, wrong)).status, 422);
    for (const template of ['../../etc/passwd', 'constructor', '__proto__']) {
      const other = { name: 'wrong', gitignore_template: template };
      assert.equal((await send('POST', '/user/repos', ada, other)).status, 422, template);
    }
    assert.equal((await send('GET', '/repos/ada/wrong', ada)).status, 404);
  });

  test('an archived repository is read-only until it is unarchived', async () => {
    await create(ada, { name: 'old' });
    await send('PATCH', '/repos/ada/old', ada, { archived: true });
    assert.equal((await send('PATCH', '/repos/ada/old', ada, { description: 'x' })).status, 403);
    assert.equal((await send('PUT', '/repos/ada/old/topics', ada, { names: ['a'] })).status, 403);
    const { json } = await send('PATCH', '/repos/ada/old', ada, { archived: false, description: 'back' });
    assert.deepEqual([json['archived'], json['description']], [false, 'back']);
  });

  test('an archived repository is read by those who may see it, and written by nobody', async () => {
    const { id } = await create(ada, { name: 'kept', private: true });
    await send('PUT', '/repos/ada/kept/collaborators/bob', ada, { permission: 'push' });
    const permissions = { contents: 'write', administration: 'write' };
    const app = await makeApp(server, 'ada', { name: 'Keeper', permissions });
    const installation = await app.token(await app.install('ada', [id as number]));
    const archive = (token: string, archived: boolean) =>
      send('PATCH', '/repos/ada/kept', token, { archived });
    const blob = (token: string) => send('POST', '/repos/ada/kept/git/blobs', token, { content: 'x' });
    for (const token of [ada, bob, installation]) assert.equal((await blob(token)).status, 201);
    assert.equal((await archive(ada, true)).status, 200);
    for (const token of [ada, bob, installation]) {
      assert.equal((await send('GET', '/repos/ada/kept', token)).status, 200);
      const { status, json } = await blob(token);
      assert.equal(status, 403);
      assert.equal(json['message'], 'The repository is archived, and read-only. Unarchive it first.');
    }
    assert.equal((await send('GET', '/repos/ada/kept', eve)).status, 404);
    for (const token of [installation, ada]) {
      assert.equal((await archive(token, false)).status, 200);
      assert.equal((await archive(token, true)).status, 200);
    }
    assert.equal((await send('DELETE', '/repos/ada/kept', ada)).status, 204);
  });

  test('a token that may write a private repository and not view it finds none', async () => {
    const writesOnly = [{ effect: 'allow' as const, actions: ['pushRepository'], resources: ['repo/ada/*'] }];
    const { value: writer } = await giveToken(server, adaHerself, { inlinePolicy: writesOnly });
    const { value: stranger } = await giveToken(server, bobHimself, { inlinePolicy: writesOnly });
    for (const name of ['unseen', 'seen']) await create(ada, { name, private: name === 'unseen' });
    const blob = async (name: string, token: string) =>
      (await send('POST', `/repos/ada/${name}/git/blobs`, token, { content: 'x' })).status;
    assert.deepEqual([await blob('unseen', writer), await blob('seen', writer)], [404, 201]);
    assert.deepEqual([await blob('unseen', stranger), await blob('seen', stranger)], [404, 403]);
  });

  test('topics are replaced as a whole', async () => {
    await create(ada, { name: 'labelled' });
    const path = '/repos/ada/labelled/topics';
    const { json } = await send('PUT', path, ada, { names: ['tools', 'Git', 'TOOLS'] });
    assert.deepEqual(json, { names: ['tools', 'git'] });
    assert.deepEqual((await send('GET', path, null)).json, { names: ['tools', 'git'] });
    for (const names of [['a b'], ['-a'], [''], 'tools', Array.from({ length: 21 }, (_, i) => `t${i}`)])
      assert.equal((await send('PUT', path, ada, { names })).status, 422);
    assert.equal((await send('PUT', path, bob, { names: [] })).status, 403);
  });

  test('topics have pages', async () => {
    await create(ada, { name: 'many-labels' });
    const path = '/repos/ada/many-labels/topics';
    await send('PUT', path, ada, { names: ['a', 'b', 'c'] });
    const first = await send('GET', `${path}?per_page=2`, null);
    assert.deepEqual(first.json, { names: ['a', 'b'] });
    assert.deepEqual(linkedPages(first), { first: '1', next: '2', last: '2' });
    const last = await send('GET', `${path}?per_page=2&page=2`, null);
    assert.deepEqual(last.json, { names: ['c'] });
    assert.deepEqual(linkedPages(last), { first: '1', prev: '1', last: '2' });
    assert.deepEqual((await send('GET', `${path}?page=3`, null)).json, { names: [] });
    for (const query of ['page=0', 'page=x', 'per_page=-1', 'per_page=two'])
      assert.equal((await send('GET', `${path}?${query}`, null)).status, 422, query);
  });

  test('a former name leads to the repository, until another takes it', async () => {
    const { id } = await create(ada, { name: 'before' });
    const { json } = await send('PATCH', '/repos/ada/before', ada, { name: 'after' });
    assert.equal(json['full_name'], 'ada/after');
    const moved = await send('GET', '/repos/ada/Before/topics?x=1', null);
    assert.equal(moved.status, 301);
    assert.equal(moved.headers.get('location'), `${server.url}/repositories/${id}/topics?x=1`);
    assert.equal(moved.json['url'], `${server.url}/repositories/${id}/topics?x=1`);
    assert.equal((await send('PATCH', '/repos/ada/before', ada, { description: 'x' })).status, 307);
    assert.equal((await send('PATCH', '/repos/ada/before', ada, { private: 'wrong' })).status, 307);
    await send('PATCH', '/repos/ada/after', ada, { private: true });
    for (const token of [null, bob])
      assert.equal((await send('GET', '/repos/ada/before', token)).status, 404);
    assert.equal((await send('GET', '/repos/ada/before', ada)).status, 301);
    await create(ada, { name: 'before' });
    assert.equal((await send('GET', '/repos/ada/before', null)).status, 200);
    await send('DELETE', '/repos/ada/before', ada);
    assert.equal((await send('GET', '/repos/ada/before', ada)).status, 404);
  });

  test('a deleted repository is gone at once, its folder soon, and its name is free', async () => {
    const { id } = await create(ada, { name: 'brief', auto_init: true });
    const { git } = server.app.kernel.services;
    assert.equal((await send('DELETE', '/repos/ada/brief', ada)).status, 204);
    assert.equal((await send('GET', '/repos/ada/brief', ada)).status, 404);
    assert.equal((await send('DELETE', '/repos/ada/brief', ada)).status, 404);
    assert.notEqual((await create(ada, { name: 'brief' }))['id'], id);
    await eventually(async () => !(await git.exists(id as number)));
  });

  test('lists show what the caller may see, sorted and in pages', async () => {
    for (const name of ['c', 'a', 'b']) await create(bob, { name: `list-${name}`, private: name === 'b' });
    const names = async (path: string, token: string | null) => {
      const { status, json, text } = await send('GET', path, token);
      assert.equal(status, 200, text);
      return (json as unknown as Json[]).map((one) => String(one['name']));
    };
    assert.deepEqual(await names('/users/bob/repos', null), ['list-a', 'list-c']);
    assert.deepEqual(await names('/users/bob/repos', ada), ['list-a', 'list-c']);
    assert.deepEqual(await names('/users/bob/repos', bob), ['list-a', 'list-b', 'list-c']);
    assert.deepEqual(await names('/user/repos?sort=created', bob), ['list-b', 'list-a', 'list-c']);
    assert.deepEqual(await names('/user/repos?sort=created&direction=asc', bob), [
      'list-c',
      'list-a',
      'list-b',
    ]);
    assert.deepEqual(await names('/user/repos?visibility=private', bob), ['list-b']);
    assert.deepEqual(await names('/user/repos?type=public', bob), ['list-a', 'list-c']);
    assert.deepEqual(await names('/user/repos?affiliation=collaborator', bob), []);
    const { headers, json } = await send('GET', '/user/repos?per_page=2', bob);
    assert.equal((json as unknown as Json[]).length, 2);
    assert.match(headers.get('link')!, /page=2>; rel="next".*rel="last"/);
    for (const query of ['sort=size', 'direction=up', 'affiliation=friend', 'type=all&visibility=all'])
      assert.equal((await send('GET', `/user/repos?${query}`, bob)).status, 422, query);
    assert.equal((await send('GET', '/user/repos', null)).status, 401);
    assert.equal((await send('GET', '/users/nobody/repos', null)).status, 404);
    const all = await names('/repositories', null);
    assert.ok(all.includes('list-a') && !all.includes('list-b') && !all.includes('secret'));
    const { value: limited } = await giveToken(server, bobHimself, {
      inlinePolicy: [
        { effect: 'allow', actions: ['*'], resources: ['*'] },
        { effect: 'deny', actions: ['viewRepository'], resources: ['repo/bob/list-b'] },
      ],
    });
    for (const path of ['/user/repos', '/users/bob/repos'])
      assert.deepEqual(await names(path, limited), ['list-a', 'list-c'], path);
  });

  test('of eight who create the same repository one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '/user/repos', ada, { name: 'wanted', auto_init: true })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 422)]);
  });

  test('every change is in the audit log, with what it was and is', async () => {
    await create(ada, { name: 'audited' });
    await send('PATCH', '/repos/ada/audited', ada, { description: 'New' });
    const { json } = await server.call('/api/v2/auditlog?limit=20');
    const titles = (json['items'] as Json[]).map((entry) => String(entry['titleVerb']));
    assert.ok(titles.includes('created the repository') && titles.includes('updated the repository'));
  });

  test('readers, writers and their webhooks learn nothing of private repositories from the audit log', async () => {
    const { value: reader } = await giveToken(server, bobHimself, { role: 'reader' });
    const { value: writer } = await giveToken(server, bobHimself, { role: 'writer' });
    const statements = [{ effect: 'allow', actions: ['*'], resources: ['repo/*', 'proj/*'] }];
    const body = { url: 'https://hook.test/', on: true, sign: false, statements };
    const hook = await server.call('/api/v2/webhooks', { method: 'POST', token: writer, body });
    assert.equal(hook.status, 200, hook.text);
    await create(ada, { name: 'takeover-plans', private: true });
    const seenBy = async (token?: string) => {
      const { text } = await server.call('/api/v2/auditlog?limit=20', token === undefined ? {} : { token });
      return text.includes('takeover-plans');
    };
    assert.deepEqual([await seenBy(), await seenBy(reader), await seenBy(writer)], [true, false, false]);
    const deliveries = await server.call(`/api/v2/webhooks/${hook.json['_id']}/deliveries`);
    assert.deepEqual([deliveries.status, deliveries.json['items']], [200, []], deliveries.text);
  });
});
