// The maintenance of repositories by a running server: when it happens, and when it waits.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { eventually, inTime } from '../../../test/eventually.ts';
import { startServer, type Json, type TestServer } from '../../../test/server.ts';
import type { Clock } from '../../kernel/clock.ts';
import { claim, schedule, type Due, type DueHandler } from '../../kernel/jobs/due-store.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { buildFiles, needsGit } from '../git/fixture-repository.ts';
import { buildBlob, buildCommit, type NewObject } from '../git/objects/new-object.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import { findGist } from '../gists/store.ts';
import { countRepositoryFiles } from '../git/maintenance/repack.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import type { Push } from '../pushes/model.ts';
import { deletePushStatements, insertPush } from '../pushes/store.ts';
import { limitedWork, MAINTAIN_GIST, MAINTAIN_REPOSITORY, needsMaintenance } from './schedule-maintenance.ts';
import { maintenanceHandler, MAINTAINED_REPOSITORIES } from './maintain.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = 1_800_000_000_000;
/** Never happens. */
const LATER = { id: 'later', kind: 'test', payload: '{}', dueAt: 2 * NOW };

test('a repository needs it with many loose objects or packs, without a commit graph, or with expired objects', () => {
  const tidy = { looseObjects: 2000, packs: 50, packBytes: 2 ** 30, hasCommitGraph: true };
  assert.equal(needsMaintenance(tidy, NOW), false);
  assert.equal(needsMaintenance({ ...tidy, looseObjects: 2001 }, NOW), true);
  assert.equal(needsMaintenance({ ...tidy, packs: 51 }, NOW), true);
  assert.equal(needsMaintenance({ ...tidy, hasCommitGraph: false }, NOW), true);
  assert.equal(needsMaintenance({ ...tidy, hasCommitGraph: false, packBytes: 1000 }, NOW), false);
  assert.equal(needsMaintenance({ ...tidy, cruftAt: NOW - 13 * DAY_MS }, NOW), false);
  assert.equal(needsMaintenance({ ...tidy, cruftAt: NOW - 14 * DAY_MS }, NOW), true);
});

describe('a server', needsGit, () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ limits: 'off' });
  });
  after(() => server.stop());

  const work = async (number: number) =>
    await server.app.kernel.db
      .selectFrom('due')
      .selectAll()
      .where('id', '=', `${MAINTAIN_REPOSITORY}:${number}`)
      .executeTakeFirst();
  const filesOf = (number: number) =>
    countRepositoryFiles(server.app.kernel.services.git.repository(number).folder);

  /** As a large push leaves it: a pack of some megabytes, and no commit graph. */
  async function createLarge(name: string): Promise<number> {
    const { json } = await server.call('/user/repos', { method: 'POST', body: { name } });
    const repository = server.app.kernel.services.git.repository(json['id'] as number);
    const objects: NewObject[] = [];
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index}.bin`, randomBytes(100_000)]),
    );
    const tree = buildFiles(files, objects);
    const person = { name: 'a', email: 'a@b', time: NOW, zone: 0 };
    const commit = buildCommit({ tree, parents: [], author: person, committer: person, message: 'large\n' });
    await writeObjects(repository, [...objects, commit]);
    await updateRefs(repository, [{ name: 'refs/heads/main', from: undefined, to: commit.oid }]);
    return json['id'] as number;
  }
  const putFile = async (name: string, path: string): Promise<Json> => {
    const body = { message: 'm', content: Buffer.from(path).toString('base64') };
    const answer = await server.call(`/repos/admin/${name}/contents/${path}`, { method: 'PUT', body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };

  /** With a repack of another kind than git's, and a clock that the server's own worker does not follow. */
  function handlerWith(
    number: number,
    repack: (signal: AbortSignal) => Promise<unknown>,
    clock: Clock = server.clock,
  ): DueHandler {
    const { kernel } = server.app;
    const { folder, program: real } = kernel.services.git.repository(number);
    const program = {
      run: (args: string[], call: Parameters<typeof real.run>[1]) =>
        args[0] === 'repack' ? repack(call.signal!) : real.run(args, call),
    };
    const git = {
      exists: () => Promise.resolve(true),
      repository: () => ({ number, folder, program }),
    };
    const other = { ...kernel, clock, services: { ...kernel.services, git } } as unknown as Kernel;
    return maintenanceHandler(other, MAINTAINED_REPOSITORIES);
  }
  const claimWork = async (): Promise<Due> => {
    const [due] = await claim(
      server.app.kernel.engine,
      { kinds: [MAINTAIN_REPOSITORY], owner: 'test', leaseMs: 3_600_000, limit: 1 },
      server.clock.now() + MINUTE_MS,
    );
    return due!;
  };

  test('repacks a repository a while after it was pushed to, and deletes what has expired later', async () => {
    const number = await createLarge('large');
    await putFile('large', 'a.txt');
    const row = await work(number);
    assert.ok(row !== undefined && row.due_at > server.clock.now());
    assert.equal((await filesOf(number)).hasCommitGraph, false);
    await server.call('/repos/admin/large/git/blobs', { method: 'POST', body: { content: 'lonely' } });
    server.clock.ahead += MINUTE_MS;
    await eventually(async () => (await filesOf(number)).hasCommitGraph, 'the repack');
    await eventually(async () => (await work(number))?.owner === null, 'the end of the work');
    const { looseObjects, packs, cruftAt } = await filesOf(number);
    assert.deepEqual([looseObjects, packs], [0, 1]);
    assert.ok(cruftAt !== undefined);
    assert.equal((await server.call('/repos/admin/large/contents/a.txt')).status, 200);
    const ahead = (await work(number))!.due_at - server.clock.now();
    assert.ok(ahead > 14 * DAY_MS, `${ahead}`);
    await putFile('large', 'b.txt');
    assert.ok((await work(number))!.due_at <= server.clock.now() + MINUTE_MS);
    server.clock.ahead += 15 * DAY_MS;
    await eventually(async () => (await work(number)) === undefined, 'the end of the work');
    assert.equal((await filesOf(number)).cruftAt, undefined);
    assert.equal((await server.call('/repos/admin/large/commits')).json.length, 3);
  });

  test('stops a repack when a push begins, and goes on later', async () => {
    const number = await createLarge('interrupted');
    await putFile('interrupted', 'a.txt');
    const { kernel } = server.app;
    const begun = Promise.withResolvers<void>();
    const handle = handlerWith(number, (signal) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    const due = await claimWork();
    const handled = handle(due, new AbortController().signal);
    await inTime(begun.promise, 'the repack');
    const pusher = { kind: 'system' } as unknown as Push['pusher'];
    await insertPush(
      kernel.db,
      { id: 'new', number, pusher, begunAt: server.clock.now(), changes: [] },
      LATER,
    );
    await inTime(handled, 'the end of the work');
    assert.match((await work(number))!.last_error!, /pushed to/);
    await executeAll(kernel.db, deletePushStatements(kernel.db, 'new', LATER.id));
    server.clock.ahead += 2 * MINUTE_MS;
    await eventually(async () => (await filesOf(number)).hasCommitGraph, 'the repack');
    await eventually(async () => (await work(number)) === undefined, 'the end of the work');
  });

  test('pauses for a week after a repack that the limits of git have stopped, then tries once if something was pushed', async () => {
    const number = await createLarge('bomb');
    await putFile('bomb', 'a.txt');
    let repacks = 0;
    let ahead = 0;
    const stopped = () => {
      repacks += 1;
      return Promise.reject(new GitLimitExceeded('repack'));
    };
    const handle = handlerWith(number, stopped, { now: () => server.clock.now() + ahead });
    const { signal } = new AbortController();
    const rowAfter = async (due: Due) => {
      await handle(due, signal);
      return (await work(number))!;
    };
    const paused = await rowAfter(await claimWork());
    assert.ok(paused.due_at > server.clock.now() + 6 * DAY_MS);
    // Nothing has changed by its end.
    ahead = 8 * DAY_MS;
    assert.deepEqual(await rowAfter(paused), paused);
    assert.equal(repacks, 1);
    ahead = 0;
    // A push brings it forward, but not into the pause.
    await putFile('bomb', 'b.txt');
    assert.ok((await work(number))!.due_at <= server.clock.now() + MINUTE_MS);
    const changed = await rowAfter(await claimWork());
    assert.deepEqual([changed.due_at, repacks], [paused.due_at, 1]);
    ahead = 8 * DAY_MS;
    assert.ok((await rowAfter(changed)).due_at > paused.due_at + 6 * DAY_MS);
    assert.equal(repacks, 2);
    const warnings = server.log.filter(({ msg }) => String(msg).startsWith('A repository is not repacked'));
    assert.equal(warnings.length, 2);
  });

  test('tries other work that the limits of git have stopped a week later', async () => {
    const { kernel } = server.app;
    const kind = 'test.limited';
    const now = server.clock.now();
    await schedule(kernel.db, { id: kind, kind, payload: '', dueAt: now }, now);
    const [due] = await claim(kernel.engine, { kinds: [kind], owner: 'test', leaseMs: 1000, limit: 1 }, now);
    const handle = limitedWork(kernel, () => Promise.reject(new GitLimitExceeded('ls-tree')));
    await handle(due!, new AbortController().signal);
    const row = await kernel.db
      .selectFrom('due')
      .selectAll()
      .where('id', '=', kind)
      .executeTakeFirstOrThrow();
    assert.ok(row.owner === null && row.due_at >= now + 7 * DAY_MS);
    assert.match(row.last_error!, /^The server stopped git ls-tree: .*\.$/);
    assert.ok(server.log.some(({ msg }) => String(msg).startsWith('Due work waits')));
  });

  test('waits while a push is under way, and tidies nothing that is deleted', async () => {
    const number = await createLarge('busy');
    const { db } = server.app.kernel;
    await putFile('busy', 'a.txt');
    const pusher = { kind: 'system' } as unknown as Push['pusher'];
    await insertPush(db, { id: 'slow', number, pusher, begunAt: server.clock.now(), changes: [] }, LATER);
    server.clock.ahead += MINUTE_MS;
    await eventually(async () => (await work(number))?.last_error !== null, 'the first attempt');
    assert.match((await work(number))!.last_error!, /pushed to/);
    assert.equal((await filesOf(number)).hasCommitGraph, false);
    await executeAll(db, deletePushStatements(db, 'slow', LATER.id));
    assert.equal((await server.call('/repos/admin/busy', { method: 'DELETE' })).status, 204);
    server.clock.ahead += 2 * MINUTE_MS;
    await eventually(async () => (await work(number)) === undefined, 'the end of the work');
    await eventually(async () => !(await server.app.kernel.services.git.exists(number)), 'the removal');
  });

  test('repacks a gist a while after it was changed', async () => {
    const { db, services } = server.app.kernel;
    const { json } = await server.call('/gists', {
      method: 'POST',
      body: { files: { a: { content: 'a' } } },
    });
    const id = json['id'] as string;
    const { number } = (await findGist(db, id))!;
    const repository = services.gistGit.repository(number);
    await writeObjects(
      repository,
      Array.from({ length: 20 }, () => buildBlob(randomBytes(100_000))),
    );
    const change = (content: string) =>
      server.call(`/gists/${id}`, { method: 'PATCH', body: { files: { a: { content } } } });
    assert.equal((await change('b')).status, 200);
    const due = async () =>
      await db
        .selectFrom('due')
        .selectAll()
        .where('id', '=', `${MAINTAIN_GIST}:${number}`)
        .executeTakeFirst();
    assert.ok((await due())!.due_at > server.clock.now());
    await eventually(async () => {
      // It waits a minute more where another repository is tidied.
      server.clock.ahead += MINUTE_MS;
      return (await countRepositoryFiles(repository.folder)).hasCommitGraph;
    }, 'the repack');
    const { json: gist } = await server.call(`/gists/${id}`);
    assert.equal((gist['files'] as Record<string, Json>)['a']!['content'], 'b');
    assert.equal(((await server.call(`/gists/${id}/commits`)).json as unknown as Json[]).length, 2);
  });
});
