// Forks, transfers and templates on a running server: what they copy, who may make them, and what stays hidden.
import assert from 'node:assert/strict';
import { addCommit } from '../../../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { createPerson, createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const tokens: Record<string, string> = {};

  before(async () => {
    const location = await engine.migratedDatabase();
    server = await startServer({
      limits: 'off',
      ...(engine.kind === 'postgres' && { database: location }),
    });
    for (const name of ['ada', 'bob', 'eve', 'zoe']) tokens[name] = (await createPerson(server, name)).token;
    tokens['reader'] = (await createPerson(server, 'reader', 'reader')).token;
    await createTestOrganization(server, 'guild', { admin: 'ada', members: ['bob'] });
  });
  after(() => server.stop());

  /** Without a name, the caller has no credential. */
  const send = (method: string, path: string, name?: string, body?: unknown) =>
    server.call(path, {
      method,
      token: name === undefined ? null : tokens[name]!,
      ...(body !== undefined && { body }),
    });
  const expect = async (status: number, method: string, path: string, name?: string, body?: unknown) => {
    const answer = await send(method, path, name, body);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer.text === '' ? {} : answer.json;
  };
  const gitOf = (id: unknown) => server.app.kernel.services.git.repository(id as number);
  /** With a commit on `main`, and one on `other`. */
  const create = async (name: string, body: Json = {}, path = '/user/repos') => {
    const repository = await expect(201, 'POST', path, 'ada', { name, ...body });
    const first = await addCommit(gitOf(repository['id']), { 'a.txt': 'a\n', 'b/c.txt': 'c\n' });
    await addCommit(gitOf(repository['id']), { 'a.txt': 'other\n' }, { branch: 'other' });
    return { id: repository['id'] as number, first };
  };
  const fork = (repository: string, name: string, body?: Json) =>
    expect(202, 'POST', `/repos/${repository}/forks`, name, body);
  const forksOf = async (repository: string, name?: string, query = '') =>
    ((await expect(200, 'GET', `/repos/${repository}/forks${query}`, name)) as unknown as Json[]).map(
      (one) => one['full_name'] as string,
    );
  const countOf = async (repository: string) =>
    (await expect(200, 'GET', `/repos/${repository}`, 'ada'))['forks_count'] as number;

  test('a fork has the branches, its origin, and is counted until it is deleted', async () => {
    const { first } = await create('one', { description: 'The first' });
    const made = await fork('ada/one', 'bob');
    assert.deepEqual(
      [made['full_name'], made['fork'], made['private'], made['description'], made['permissions'].admin],
      ['bob/one', true, false, 'The first', true],
    );
    assert.deepEqual([made['parent'].full_name, made['source'].full_name], ['ada/one', 'ada/one']);
    assert.equal((await gitOf(made['id']).resolveCommit('main'))!.oid, first);
    assert.notEqual(await gitOf(made['id']).resolveCommit('other'), undefined);
    assert.equal(await countOf('ada/one'), 1);
    const only = await fork('bob/one', 'eve', { name: 'my one', default_branch_only: true });
    assert.equal(only['full_name'], 'eve/my-one');
    assert.deepEqual([only['parent'].full_name, only['source'].full_name], ['bob/one', 'ada/one']);
    assert.equal(await gitOf(only['id']).resolveCommit('other'), undefined);
    assert.equal((await gitOf(only['id']).resolveCommit('main'))!.oid, first);
    assert.deepEqual([await countOf('ada/one'), await countOf('bob/one')], [1, 1]);
    await expect(204, 'DELETE', '/repos/eve/my-one', 'eve');
    assert.deepEqual([await countOf('ada/one'), await countOf('bob/one')], [1, 0]);
    await expect(204, 'DELETE', '/repos/ada/one', 'ada');
    await eventually(async () => !(await server.app.kernel.services.git.exists(made['parent'].id as number)));
    const { json } = await send('GET', '/repos/bob/one', 'bob');
    assert.deepEqual([json['parent'], json['source']], [undefined, undefined]);
    assert.equal((await gitOf(made['id']).resolveCommit('main'))!.oid, first);
  });

  test('an owner has one repository of a family, and a taken name gets a number', async () => {
    await create('two');
    assert.equal((await fork('ada/two', 'ada'))['full_name'], 'ada/two');
    await expect(201, 'POST', '/user/repos', 'bob', { name: 'two' });
    const made = await fork('ada/two', 'bob');
    assert.equal(made['full_name'], 'bob/two-1');
    assert.equal((await fork('ada/two', 'bob', { name: 'again' }))['id'], made['id']);
    assert.equal((await fork('bob/two-1', 'ada'))['full_name'], 'ada/two');
    const ofGuild = await fork('ada/two', 'bob', { organization: 'guild' });
    assert.deepEqual([ofGuild['full_name'], ofGuild['organization'].login], ['guild/two', 'guild']);
    assert.equal(await countOf('ada/two'), 2);
    await expect(201, 'POST', '/user/repos', 'eve', { name: 'taken' });
    await expect(422, 'POST', '/repos/ada/two/forks', 'eve', { name: 'taken' });
    await expect(422, 'POST', '/repos/ada/two/forks', 'eve', { name: '..' });
    await expect(403, 'POST', '/repos/ada/two/forks', 'eve', { organization: 'guild' });
    await expect(404, 'POST', '/repos/ada/two/forks', 'eve', { organization: 'bob' });
    await expect(404, 'POST', '/repos/ada/two/forks', 'eve', { organization: 'nobody' });
    await expect(401, 'POST', '/repos/ada/two/forks', undefined, {});
    await expect(403, 'POST', '/repos/ada/two/forks', 'reader', {});
    assert.equal(await countOf('ada/two'), 2);
  });

  test('of eight who fork at once into one account all get the same fork', async () => {
    await create('three');
    const answers = await Promise.all(Array.from({ length: 8 }, () => fork('ada/three', 'zoe')));
    assert.equal(new Set(answers.map(({ id }) => id as number)).size, 1);
    assert.equal(await countOf('ada/three'), 1);
    await Promise.all([fork('ada/three', 'bob'), fork('ada/three', 'eve')]);
    assert.equal(await countOf('ada/three'), 3);
    await Promise.all([
      expect(204, 'DELETE', '/repos/bob/three', 'bob'),
      expect(204, 'DELETE', '/repos/eve/three', 'eve'),
    ]);
    assert.equal(await countOf('ada/three'), 1);
  });

  test('forks are listed in each order for those who may see them', async () => {
    await create('four');
    for (const name of ['bob', 'eve', 'zoe']) await fork('ada/four', name);
    await expect(200, 'PATCH', '/repos/eve/four', 'eve', { private: true });
    await expect(204, 'PUT', '/user/starred/bob/four', 'ada');
    assert.deepEqual(await forksOf('ada/four'), ['zoe/four', 'bob/four']);
    assert.deepEqual(await forksOf('ada/four', 'ada'), ['zoe/four', 'bob/four']);
    assert.deepEqual(await forksOf('ada/four', 'eve'), ['zoe/four', 'eve/four', 'bob/four']);
    assert.deepEqual(await forksOf('ada/four', 'eve', '?sort=oldest'), ['bob/four', 'eve/four', 'zoe/four']);
    assert.deepEqual(await forksOf('ada/four', 'bob', '?sort=stargazers'), ['bob/four', 'zoe/four']);
    assert.deepEqual(await forksOf('ada/four', 'eve', '?per_page=2&page=2'), ['bob/four']);
    await expect(422, 'GET', '/repos/ada/four/forks?sort=size');
  });

  test('a private repository is forked where its owner allows it, and stays private', async () => {
    await create('five', { private: true }, '/orgs/guild/repos');
    for (const [path, method] of [
      ['/repos/guild/five/forks', 'GET'],
      ['/repos/guild/five/forks', 'POST'],
    ] as const)
      await expect(404, method, path, 'eve', method === 'POST' ? {} : undefined);
    await expect(403, 'POST', '/repos/guild/five/forks', 'bob', {});
    await expect(200, 'PATCH', '/orgs/guild', 'ada', { members_can_fork_private_repositories: true });
    assert.deepEqual([(await fork('guild/five', 'bob'))['private'], await countOf('guild/five')], [true, 1]);
    await expect(404, 'GET', '/repos/bob/five', 'eve');
    await expect(200, 'PATCH', '/repos/guild/five', 'ada', { allow_forking: false });
    await expect(204, 'DELETE', '/repos/bob/five', 'bob');
    await expect(403, 'POST', '/repos/guild/five/forks', 'bob', {});
  });

  test('a public fork does not show its private origin to others', async () => {
    await create('six');
    await fork('ada/six', 'bob');
    await expect(200, 'PATCH', '/repos/ada/six', 'ada', { private: true });
    const seen = await send('GET', '/repos/bob/six', 'eve');
    assert.deepEqual(
      [seen.json['fork'], seen.json['parent'], seen.json['source']],
      [true, undefined, undefined],
    );
    assert.ok(!seen.text.includes('ada'));
    for (const range of ['main...ada:main', 'main...ada:six:main', 'ada:main...main']) {
      const hidden = await send('GET', `/repos/bob/six/compare/${range}`, 'eve');
      assert.equal(hidden.status, 404);
      const absent = await send('GET', `/repos/bob/six/compare/${range.replaceAll('ada', 'nobody')}`, 'eve');
      assert.deepEqual(hidden.json, absent.json);
      await expect(200, 'GET', `/repos/bob/six/compare/${range}`, 'ada');
    }
  });

  test('a branch of a fork is compared with its origin', async () => {
    const { first } = await create('seven');
    const { id } = await fork('ada/seven', 'bob');
    const files = { 'a.txt': 'changed\n', 'b/c.txt': 'c\n' };
    const next = await addCommit(gitOf(id), files, { parents: [first] });
    for (const head of ['bob:main', 'bob:seven:main']) {
      const json = await expect(200, 'GET', `/repos/ada/seven/compare/main...${head}`);
      assert.deepEqual([json['status'], json['ahead_by'], json['behind_by']], ['ahead', 1, 0]);
      assert.deepEqual([json['base_commit'].sha, json['merge_base_commit'].sha], [first, first]);
      const [commit] = json['commits'] as [Json];
      assert.equal(commit['sha'], next);
      assert.equal(commit['url'], `${server.url}/repos/bob/seven/commits/${next}`);
      assert.equal(json['files'][0].patch, '@@ -1 +1 @@\n-a\n+changed');
    }
    assert.equal((await expect(200, 'GET', '/repos/bob/seven/compare/main...ada:main'))['behind_by'], 1);
    await expect(404, 'GET', '/repos/ada/seven/compare/main...bob:four:main');
    await expect(404, 'GET', '/repos/ada/seven/compare/main...eve:main');
    await expect(422, 'GET', `/repos/ada/seven/commits/${next}`);
  });

  test('a fork whose copy was interrupted is empty at first, and copied by itself', async () => {
    const { first } = await create('eight');
    const { id } = await fork('ada/eight', 'bob');
    const { git } = server.app.kernel.services;
    await git.removeRepository(id as number);
    await expect(409, 'GET', '/repos/bob/eight/commits');
    await expect(409, 'GET', `/repos/bob/eight/commits/${first}`);
    server.clock.ahead += 31_000;
    // Its due work wakes the worker, which then finds the other too.
    await expect(201, 'POST', '/user/repos', 'bob', { name: 'brief' });
    await expect(204, 'DELETE', '/repos/bob/brief', 'bob');
    await eventually(() => git.exists(id as number));
    assert.equal((await expect(200, 'GET', '/repos/bob/eight/commits/main'))['sha'], first);
  });

  test('a repository from a template has its files in one commit', async () => {
    const { first } = await create('kit', { is_template: true, private: true });
    const made = await expect(201, 'POST', '/repos/ada/kit/generate', 'ada', {
      name: 'from kit',
      description: 'Mine',
    });
    assert.deepEqual(
      [made['full_name'], made['fork'], made['private'], made['description'], made['is_template']],
      ['ada/from-kit', false, false, 'Mine', false],
    );
    const git = gitOf(made['id']);
    const commit = (await git.resolveCommit('main'))!;
    const source = (await gitOf((await expect(200, 'GET', '/repos/ada/kit', 'ada'))['id']).readCommit(
      first,
    ))!;
    assert.deepEqual([commit.parents, commit.tree], [[], source.tree]);
    assert.equal((await git.readBlob((await git.findEntry(commit.oid, 'b/c.txt'))!.oid))!.size, 2);
    // The history of the template may be private.
    assert.equal(await git.readCommit(first), undefined);
    assert.equal(await git.resolveCommit('other'), undefined);
    const list = (await expect(200, 'GET', '/repos/ada/from-kit/commits')) as unknown as Json[];
    assert.deepEqual(
      list.map((one) => [one['commit'].message, one['author'].login]),
      [['Initial commit', 'ada']],
    );
    const all = { owner: 'guild', name: 'all', include_all_branches: true, private: true };
    const { id } = await expect(201, 'POST', '/repos/ada/kit/generate', 'ada', all);
    assert.notEqual(await gitOf(id).resolveCommit('other'), undefined);
    await expect(422, 'POST', '/repos/ada/kit/generate', 'ada', { name: 'from-kit' });
    await expect(422, 'POST', '/repos/ada/kit/generate', 'ada', {});
    await expect(404, 'POST', '/repos/ada/kit/generate', 'bob', { name: 'x' });
    await expect(422, 'POST', '/repos/ada/from-kit/generate', 'bob', { name: 'x' });
    const empty = await expect(201, 'POST', '/user/repos', 'ada', { name: 'blank', is_template: true });
    assert.equal(empty['is_template'], true);
    await expect(201, 'POST', '/repos/ada/blank/generate', 'bob', { name: 'blank' });
    await expect(409, 'GET', '/repos/bob/blank/commits');
  });

  test('a transferred repository has a new address, its collaborators, and no teams', async () => {
    await create('nine', { private: true }, '/orgs/guild/repos');
    const team = await expect(201, 'POST', '/orgs/guild/teams', 'ada', { name: 'crew' });
    await expect(200, 'PATCH', '/orgs/guild', 'ada', { default_repository_permission: 'none' });
    await expect(200, 'PUT', `/orgs/guild/teams/${team['slug']}/memberships/bob`, 'ada', {});
    await expect(204, 'PUT', `/orgs/guild/teams/${team['slug']}/repos/guild/nine`, 'ada', {
      permission: 'push',
    });
    await server.call('/repos/guild/nine/collaborators/eve', { method: 'PUT', body: { permission: 'push' } });
    await expect(200, 'GET', '/repos/guild/nine', 'bob');
    await expect(200, 'GET', '/repos/guild/nine', 'eve');
    for (const [name, status] of [
      ['bob', 403],
      ['zoe', 404],
    ] as const)
      await expect(status, 'POST', '/repos/guild/nine/transfer', name, { new_owner: name });
    for (const owner of ['bob', 'nobody'])
      await expect(422, 'POST', '/repos/guild/nine/transfer', 'ada', { new_owner: owner });
    await expect(422, 'POST', '/repos/guild/nine/transfer', 'ada', {});
    const moved = await expect(202, 'POST', '/repos/guild/nine/transfer', 'ada', {
      new_owner: 'ada',
      new_name: 'moved',
    });
    assert.equal(moved['full_name'], 'ada/moved');
    await expect(404, 'GET', '/repos/ada/moved', 'bob');
    assert.equal((await expect(200, 'GET', '/repos/ada/moved', 'eve'))['permissions'].push, true);
    const old = await send('GET', '/repos/guild/nine/commits', 'eve');
    assert.equal(old.headers.get('location'), `${server.url}/repositories/${moved['id']}/commits`);
    assert.equal(old.status, 301);
    for (const name of [undefined, 'bob', 'zoe']) {
      const hidden = await send('GET', '/repos/guild/nine', name);
      assert.equal(hidden.status, 404);
      assert.equal(hidden.headers.get('location'), null);
    }
    assert.equal((await expect(200, 'GET', '/repos/ada/moved/commits/main', 'ada'))['sha'].length, 40);
  });

  test('a user who gives a repository to an organization can push to it, and so can the teams that they name', async () => {
    await expect(200, 'PATCH', '/orgs/guild', 'ada', { default_repository_permission: 'none' });
    const { id } = await create('given', { private: true });
    const transfer = (body: Json) => send('POST', '/repos/ada/given/transfer', 'ada', body);
    const team = await expect(201, 'POST', '/orgs/guild/teams', 'ada', {
      name: 'takers',
      permission: 'push',
    });
    await createTestOrganization(server, 'rivals', { admin: 'ada' });
    const foreign = await expect(201, 'POST', '/orgs/rivals/teams', 'ada', { name: 'them' });
    await expect(200, 'PUT', '/orgs/guild/teams/takers/memberships/bob', 'ada', {});
    for (const teams of [[foreign['id']], [team['id'], 999_999], ['x'], 1]) {
      const { status, text } = await transfer({ new_owner: 'guild', team_ids: teams });
      assert.equal(status, 422, text);
    }
    assert.equal((await expect(200, 'GET', `/repositories/${id}`, 'ada'))['full_name'], 'ada/given');
    await expect(200, 'PUT', '/orgs/guild/memberships/zoe', 'ada', { role: 'admin' });
    assert.equal((await transfer({ new_owner: 'guild', team_ids: [team['id']] })).status, 202);
    await expect(200, 'PUT', '/orgs/guild/memberships/ada', 'zoe', { role: 'member' });
    for (const name of ['ada', 'bob']) {
      const { permissions } = await expect(200, 'GET', '/repos/guild/given', name);
      assert.deepEqual([permissions.push, permissions.admin], [true, false], name);
    }
    await expect(200, 'PUT', '/orgs/guild/memberships/ada', 'zoe', { role: 'admin' });
  });

  test('nobody gets a name that is taken, or two repositories of a family', async () => {
    await create('ten');
    await create('other-ten', {}, '/orgs/guild/repos');
    await expect(422, 'POST', '/repos/ada/ten/transfer', 'ada', {
      new_owner: 'guild',
      new_name: 'other-ten',
    });
    await fork('ada/ten', 'ada', { organization: 'guild', name: 'fork-ten' });
    await expect(422, 'POST', '/repos/ada/ten/transfer', 'ada', { new_owner: 'guild' });
    await expect(422, 'POST', '/repos/ada/ten/transfer', 'ada', { new_owner: 'ada' });
    await expect(200, 'GET', '/repos/ada/ten', 'ada');
    const renamed = await expect(202, 'POST', '/repos/ada/ten/transfer', 'ada', {
      new_owner: 'ada',
      new_name: 'eleven',
    });
    assert.equal(renamed['full_name'], 'ada/eleven');
  });
});
