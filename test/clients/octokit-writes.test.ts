// Many real octokit clients write files of one branch at once: each write is one commit, and none is refused for the others.
import assert from 'node:assert/strict';
import { Octokit, type RequestError } from 'octokit';
import { git } from '../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

const CLIENTS = 8;
const FILES = 4;
const base64 = (text: string) => Buffer.from(text).toString('base64');

onEachEngine((engine) => {
  let server: TestServer;
  let clients: Octokit[];
  before(async () => {
    const location = await engine.migratedDatabase();
    server = await startServer(engine.kind === 'postgres' ? { database: location } : {});
    // Neither waits nor retries of its own.
    const options = { throttle: { enabled: false }, retry: { enabled: false } };
    clients = Array.from(
      { length: CLIENTS },
      () => new Octokit({ baseUrl: server.url, auth: ADMIN_TOKEN, ...options }),
    );
  });
  after(() => server.stop());

  const create = async (name: string) => {
    const { data } = await clients[0]!.rest.repos.createForAuthenticatedUser({ name, auto_init: true });
    const repository = server.app.kernel.services.git.repository(data.id);
    const main = () => git(repository, 'rev-list', 'main').split('\n').length;
    return { repository, main };
  };

  test(`${CLIENTS} clients that write different files of one branch are all served`, async () => {
    const { repository, main } = await create('written-at-once');
    const place = { owner: 'admin', repo: 'written-at-once' };
    await Promise.all(
      clients.map(async ({ rest }, client) => {
        for (let nth = 0; nth < FILES; nth += 1) {
          const path = `dir-${client % 3}/${client}-${nth}.txt`;
          const sent = { ...place, path, message: path, content: base64(path) };
          const { status, data } = await rest.repos.createOrUpdateFileContents(sent);
          assert.equal(status, 201);
          const change = { ...sent, content: base64(`${path} again`), sha: data.content!.sha! };
          if (nth === 1) assert.equal((await rest.repos.createOrUpdateFileContents(change)).status, 200);
          if (nth === 2) await rest.repos.deleteFile({ ...change, message: 'gone' });
        }
      }),
    );
    assert.equal(main(), 1 + CLIENTS * (FILES + 2));
    const files = git(repository, 'ls-tree', '-r', '--name-only', 'main').split('\n');
    assert.equal(files.length, 1 + CLIENTS * (FILES - 1));
    git(repository, 'fsck', '--strict', '--no-dangling');
    const { data: events } = await clients[0]!.rest.activity.listRepoEvents({ ...place, per_page: 100 });
    const pushes = events.filter(({ type }) => type === 'PushEvent');
    assert.ok(pushes.length >= CLIENTS * (FILES + 2));
  });

  test('of those that write the same file, one is served, and the others learn of it', async () => {
    const { main } = await create('one-file');
    const sent = { owner: 'admin', repo: 'one-file', path: 'same.txt', message: 'same' };
    const { data } = await clients[0]!.rest.repos.createOrUpdateFileContents({
      ...sent,
      content: base64('0'),
    });
    const results = await Promise.allSettled(
      clients.map(({ rest }, client) =>
        rest.repos.createOrUpdateFileContents({
          ...sent,
          content: base64(`from ${client}`),
          sha: data.content!.sha!,
        }),
      ),
    );
    const statuses = results.map((result) =>
      result.status === 'fulfilled' ? result.value.status : (result.reason as RequestError).status,
    );
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [200, ...Array<number>(CLIENTS - 1).fill(409)],
    );
    assert.equal(main(), 3);
  });

  test('a branch that pushes move at the same time is followed', async () => {
    const { repository, main } = await create('pushed-at-once');
    const place = { owner: 'admin', repo: 'pushed-at-once' };
    // As another node does it: without the turn of this one.
    const others = (async () => {
      for (let nth = 0; nth < 5; nth += 1) {
        const head = git(repository, 'rev-parse', 'main');
        const message = `other ${nth}`;
        const person = ['-c', 'user.name=O', '-c', 'user.email=o@example.com'];
        const commit = git(repository, ...person, 'commit-tree', `${head}^{tree}`, '-p', head, '-m', message);
        try {
          git(repository, 'update-ref', 'refs/heads/main', commit, head);
        } catch {
          nth -= 1;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all(
      clients.map(({ rest }, client) =>
        rest.repos.createOrUpdateFileContents({
          ...place,
          path: `${client}.txt`,
          message: 'm',
          content: base64('x'),
        }),
      ),
    );
    await others;
    assert.equal(main(), 1 + CLIENTS + 5);
  });
});
