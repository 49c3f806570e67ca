// Branches, tags and contributors of repositories on a running server.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

const NO_OBJECT = '1234567890123456789012345678901234567890';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  before(async () => {
    const location = await engine.migratedDatabase();
    server = await startServer(engine.kind === 'postgres' ? { database: location } : {});
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
  });
  after(() => server.stop());

  async function expect(status: number, answer: Promise<Answer>): Promise<Json> {
    const got = await answer;
    assert.equal(got.status, status, got.text);
    return got.text === '' ? {} : got.json;
  }

  async function names(answer: Promise<Answer>): Promise<string[]> {
    const list = (await expect(200, answer)) as unknown as Json[];
    return list.map((one) => String(one['name']));
  }

  /** A repository with one commit. Returns its path and the commit. */
  async function create(name: string, fields: Json = {}): Promise<{ path: string; head: string }> {
    await ada.repository(name, { auto_init: true, ...fields });
    const path = `/repos/ada/${name}`;
    const { object } = await expect(200, ada.get(`${path}/git/ref/heads/main`));
    return { path, head: object.sha as string };
  }

  async function addRefs(path: string, sha: string, refs: readonly string[]): Promise<void> {
    for (const ref of refs) await expect(201, ada.post(`${path}/git/refs`, { ref: `refs/${ref}`, sha }));
  }

  async function addCommit(path: string, parent: string, fields: Json = {}): Promise<string> {
    const { tree } = await expect(200, ada.get(`${path}/git/commits/${parent}`));
    const body = { message: 'next', tree: tree.sha as string, parents: [parent], ...fields };
    return String((await expect(201, ada.post(`${path}/git/commits`, body)))['sha']);
  }

  test('branches are listed by name in pages, and shown with their commit', async () => {
    const { path, head } = await create('listed');
    await addRefs(path, head, ['heads/a', 'heads/feature/one', 'tags/v1']);
    assert.deepEqual(await names(ada.get(`${path}/branches`)), ['a', 'feature/one', 'main']);
    assert.deepEqual(await names(ada.get(`${path}/branches?protected=false`)), ['a', 'feature/one', 'main']);
    assert.deepEqual(await names(ada.get(`${path}/branches?protected=true`)), []);
    const first = await ada.get(`${path}/branches?per_page=2`);
    assert.match(first.headers.get('link') ?? '', /page=2[^>]*>; rel="next"/);
    assert.deepEqual(await names(Promise.resolve(first)), ['a', 'feature/one']);
    const second = await ada.get(`${path}/branches?per_page=2&page=2`);
    assert.deepEqual(await names(Promise.resolve(second)), ['main']);
    assert.doesNotMatch(second.headers.get('link') ?? '', /rel="next"/);
    assert.deepEqual(await names(ada.get(`${path}/branches?page=9`)), []);
    const branch = await expect(200, ada.get(`${path}/branches/feature%2Fone`));
    assert.deepEqual([branch['name'], branch['protected']], ['feature/one', false]);
    assert.equal(branch['commit'].sha, head);
    assert.equal(branch['commit'].author.login, 'ada');
    assert.equal(branch['_links'].self, `${server.url}${path}/branches/feature%2Fone`);
    assert.equal(branch['protection'].enabled, false);
    for (const name of ['none', 'feature', 'v1', head, '-d', 'a..b', '..%2Fheads%2Fa', 'x'.repeat(400)]) {
      const { message } = await expect(404, ada.get(`${path}/branches/${name}`));
      assert.equal(message, 'Branch not found');
    }
  });

  test('a branch is renamed, and the default branch stays the default', async () => {
    const { path, head } = await create('renamed');
    await addRefs(path, head, ['heads/old', 'heads/taken']);
    const rename = (branch: string, name: unknown, who = ada) =>
      who.post(`${path}/branches/${branch}/rename`, { new_name: name });
    const renamed = await expect(201, rename('old', 'topic/new'));
    assert.deepEqual([renamed['name'], renamed['commit'].sha], ['topic/new', head]);
    assert.deepEqual(await names(ada.get(`${path}/branches`)), ['main', 'taken', 'topic/new']);
    await expect(404, rename('old', 'other'));
    for (const name of ['taken', 'main', '-d', 'a..b', 'a b', '', 'HEAD', 'taken/below', 7, 'x'.repeat(400)])
      await expect(422, rename('topic%2Fnew', name));
    await expect(422, ada.post(`${path}/branches/taken/rename`, {}));
    await ada.put(`${path}/collaborators/bob`, { permission: 'push' });
    await expect(403, rename('main', 'trunk', bob));
    await expect(201, rename('taken', 'by-bob', bob));
    await expect(201, rename('main', 'trunk'));
    assert.deepEqual(await names(ada.get(`${path}/branches`)), ['by-bob', 'topic/new', 'trunk']);
    const repository = await expect(200, ada.get(path));
    assert.equal(repository['default_branch'], 'trunk');
    const git = server.app.kernel.services.git.repository(repository['id'] as number);
    assert.equal(git.readHead(), 'refs/heads/trunk');
  });

  test('the branches of a commit are those whose newest commit it is', async () => {
    const { path, head } = await create('heads');
    await addRefs(path, head, ['heads/same', 'tags/same']);
    await addRefs(path, await addCommit(path, head), ['heads/ahead']);
    const where = (sha: string) => ada.get(`${path}/commits/${sha}/branches-where-head`);
    assert.deepEqual(await names(where(head)), ['main', 'same']);
    for (const sha of [NO_OBJECT, 'none', head.slice(0, 10)]) await expect(422, where(sha));
  });

  test('tags are listed with their commits, the largest version first', async () => {
    const { path, head } = await create('tagged');
    await addRefs(path, head, ['tags/v1.9', 'tags/v1.10', 'tags/v1.0']);
    const annotated = await expect(
      201,
      ada.post(`${path}/git/tags`, { tag: 'v2', message: 'Two', object: head, type: 'commit' }),
    );
    await addRefs(path, annotated['sha'] as string, ['tags/v2']);
    const list = (await expect(200, ada.get(`${path}/tags`))) as unknown as Json[];
    assert.deepEqual(
      list.map((tag) => [tag['name'], tag['commit'].sha]),
      ['v2', 'v1.10', 'v1.9', 'v1.0'].map((name) => [name, head]),
    );
    assert.equal(list[0]!['zipball_url'], `${server.url}${path}/zipball/refs/tags/v2`);
    assert.equal(list[0]!['tarball_url'], `${server.url}${path}/tarball/refs/tags/v2`);
    assert.deepEqual(await names(ada.get(`${path}/tags?per_page=2&page=2`)), ['v1.9', 'v1.0']);
  });

  test('contributors are counted by user, and others only when asked for', async () => {
    const { path, head } = await create('counted');
    let tip = head;
    for (const [name, email] of [
      ['Bob', 'BOB@example.com'],
      ['Bob B.', 'bob@example.com'],
      ['Ada', 'ada@example.com'],
      ['Grace', 'grace@elsewhere.example'],
      ['Bob', 'bob@example.com'],
    ])
      tip = await addCommit(path, tip, { author: { name, email } });
    await expect(200, ada.patch(`${path}/git/refs/heads/main`, { sha: tip }));
    const list = async (query = '') =>
      ((await expect(200, bob.get(`${path}/contributors${query}`))) as unknown as Json[]).map((one) => [
        one['login'] ?? one['email'],
        one['contributions'],
      ]);
    const users = [
      ['bob', 3],
      ['ada', 2],
    ];
    assert.deepEqual(await list(), users);
    assert.deepEqual(await list('?anon=0'), users);
    assert.deepEqual(await list('?anon=1'), [...users, ['grace@elsewhere.example', 1]]);
    assert.deepEqual(await list('?anon=true&per_page=1&page=2'), [['ada', 2]]);
    await ada.repository('countless');
    await expect(204, ada.get('/repos/ada/countless/contributors'));
  });

  test('a private repository is not there for others', async () => {
    const { path, head } = await create('hidden', { private: true });
    const paths = [
      'branches',
      'branches/main',
      'tags',
      'contributors',
      `commits/${head}/branches-where-head`,
    ];
    for (const place of paths) {
      await expect(200, ada.get(`${path}/${place}`));
      await expect(404, bob.get(`${path}/${place}`));
      await expect(404, server.call(`${path}/${place}`, { token: null }));
    }
    await expect(404, bob.post(`${path}/branches/main/rename`, { new_name: 'x' }));
    await expect(404, bob.post(`${path}/branches/main/rename`, {}));
  });
});
