// Two server processes on one database and one folder of repositories: each sees the writes of the other at once.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../src/host/git/repository-folder.ts';
import { GitClient, gitUrl } from './clients/git-client.ts';
import { callerOf, startChild, TOKEN, type ChildServer } from './crash/child-server.ts';
import { onEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from './git-tests.ts';

// A SQLite folder has one server.
onEngine('postgres', (engine) => {
  let folder: string;
  let nodes: ChildServer[];
  before(async () => {
    folder = await engine.folder();
    const settings = {
      DATABASE_URL: await engine.migratedDatabase(),
      SIGNALBOX_REPOSITORIES: join(folder, 'repositories'),
      SIGNALBOX_SECRET_KEY: 'a key for tests, the same for all nodes',
    };
    nodes = await Promise.all(
      ['one', 'two'].map((name) => startChild({ ...settings, SIGNALBOX_DATA: join(folder, name) })),
    );
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  });

  const on = (index: number) => callerOf(() => nodes[index % 2]!.url);
  const put = async (index: number, path: string) =>
    await on(index).call(path, { method: 'PUT', body: { message: path, content: 'eA==' } });

  async function createRepository(name: string): Promise<number> {
    const body = { name, auto_init: true };
    const { status, text, json } = await on(0).call('/user/repos', { method: 'POST', body });
    assert.equal(status, 201, text);
    return json['id'] as number;
  }

  test('a write to one node, by a call or by git, is read from the other in the next moment', async () => {
    await createRepository('shared');
    for (let index = 0; index < 6; index += 1) {
      const written = await put(index, `/repos/admin/shared/contents/${index}.txt`);
      assert.equal(written.status, 201, written.text);
      const { json } = await on(index + 1).call('/repos/admin/shared/commits/main');
      assert.equal(json['sha'], written.json['commit'].sha);
    }
    const git = new GitClient('Ada');
    await git.run('', 'clone', '--quiet', gitUrl(nodes[0]!, TOKEN, 'admin/shared'), 'work');
    await git.commit('work', { 'pushed.txt': 'x' }, 'pushed');
    await git.run('work', 'push', '--quiet', gitUrl(nodes[1]!, TOKEN, 'admin/shared'), 'main:new');
    assert.equal((await on(0).call('/repos/admin/shared/contents/pushed.txt?ref=new')).status, 200);
    assert.equal((await on(0).call('/repos/admin/shared/branches')).json['length'], 2);
  });

  test('a gist that one node changes, by a call or by git, is read from the other in the next moment', async () => {
    const body = { files: { 'a.txt': { content: 'first' } } };
    const { status, text, json } = await on(0).call('/gists', { method: 'POST', body });
    assert.equal(status, 201, text);
    const path = `/gists/${String(json['id'])}`;
    const contentOn = async (index: number) => {
      const { json: read } = await on(index).call(path);
      const commits = (await on(index).call(`${path}/commits`)).json as unknown as unknown[];
      return [read['files']['a.txt'].content, commits.length];
    };
    for (const index of [0, 1]) assert.deepEqual(await contentOn(index), ['first', 1]);
    for (let index = 0; index < 10; index += 1) {
      const files = { 'a.txt': { content: `change ${index}` } };
      const changed = await on(index).call(path, { method: 'PATCH', body: { files } });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual(await contentOn(index + 1), [`change ${index}`, index + 2]);
    }
    const git = new GitClient('Ada');
    const address = gitUrl(nodes[0]!, TOKEN, `gist/${String(json['id'])}`);
    await git.run('', 'clone', '--quiet', address, 'gist');
    await git.commit('gist', { 'a.txt': 'pushed' }, 'pushed');
    await git.run('gist', 'push', '--quiet', 'origin', 'main');
    assert.deepEqual(await contentOn(1), ['pushed', 12]);
    assert.equal((await on(1).call(path, { method: 'DELETE' })).status, 204);
    assert.equal((await on(0).call(path)).status, 404);
  });

  test('writes of both nodes to one branch make one history, in which nothing is lost', async () => {
    const number = await createRepository('contested');
    const paths = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
    const answers = await Promise.all(
      paths.map(async (path, index) => await put(index, `/repos/admin/contested/contents/${path}`)),
    );
    for (const { status, text } of answers) assert.ok([201, 409].includes(status), text);
    const good = paths.filter((_, index) => answers[index]!.status === 201);
    assert.ok(good.length > 0);
    for (const index of [0, 1]) {
      const listed = (await on(index).call('/repos/admin/contested/contents')).json as unknown as {
        name: string;
      }[];
      assert.deepEqual(listed.map(({ name }) => name).toSorted(), ['README.md', ...good].toSorted());
      const commits = (await on(index).call('/repos/admin/contested/commits?per_page=100')).json;
      assert.equal(commits['length'], good.length + 1);
    }
    // The same file for both: exactly one of two pushes of git wins.
    const clients = await Promise.all(
      nodes.map(async (node, index) => {
        const client = new GitClient(`person-${index}`);
        await client.run('', 'clone', '--quiet', gitUrl(node, TOKEN, 'admin/contested'), 'work');
        await client.commit('work', { 'same.txt': `${index}` }, `by ${index}`);
        return client;
      }),
    );
    const pushes = await Promise.allSettled(
      clients.map(async (client) => await client.run('work', 'push', '--quiet', 'origin', 'main')),
    );
    assert.deepEqual(pushes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.ok(existsSync(repositoryFolder(join(folder, 'repositories'), number)));
  });

  test('a repository that one node deletes while the other reads it is there as a whole, and then gone', async () => {
    const number = await createRepository('doomed');
    let isDeleted = false;
    const statuses = new Set<number>();
    const reading = (async () => {
      while (!statuses.has(404)) {
        for (const path of ['/contents/README.md', '/commits', '/git/trees/main', '/zipball/main', '']) {
          const answer = await on(1)
            .call(`/repos/admin/doomed${path}`)
            // An archive whose repository goes while it is sent can only be cut.
            .catch((error: unknown) =>
              isDeleted && path === '/zipball/main' ? undefined : Promise.reject(error),
            );
          if (answer === undefined) continue;
          const { status, text } = answer;
          assert.ok(
            status < 400 || (status === 404 && isDeleted),
            `${path}: ${status} ${text.slice(0, 200)}`,
          );
          statuses.add(status);
        }
      }
    })();
    await eventually(() => statuses.has(200));
    isDeleted = true;
    assert.equal((await on(0).call('/repos/admin/doomed', { method: 'DELETE' })).status, 204);
    await reading;
    const place = repositoryFolder(join(folder, 'repositories'), number);
    await eventually(() => !existsSync(place), 'the removal of the folder');
  });
});
