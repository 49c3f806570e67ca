// SIGKILL of a server while it reads the messages of pushed commits: it goes on after the next start, and no reference is recorded twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIssue } from '../../src/host/issues/change-issue.ts';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { listOwners } from '../../src/host/owners/store.ts';
import { findRepositoryByNumber } from '../../src/host/repositories/store.ts';
import { READ_COMMITS } from '../../src/host/texts/read-commits.ts';
import { Changes } from '../../src/kernel/change/changes.ts';
import { systemActor } from '../../src/kernel/identity/actor.ts';
import { GitClient, gitUrl } from '../clients/git-client.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { callerOf, dieAt, settingsOn, startChild, TOKEN } from './child-server.ts';

const ISSUES = 6;

onEachEngine((engine) => {
  test('a server that is killed while it closes the issues of pushed commits', needsGit, async (t) => {
    const { location, settings } = await settingsOn(engine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const { json } = await call('/user/repos', { method: 'POST', body: { name: 'demo' } });
    const number = json['id'] as number;
    await server.kill();
    const storage = await engine.open([], location);
    const { db } = storage;
    const repository = (await findRepositoryByNumber(db, number))!;
    const owner = (await listOwners(db, [repository.ownerId])).get(repository.ownerId)!;
    const draft = { title: 'x', body: null, author: { id: null, name: null }, labels: [] };
    for (let index = 0; index < ISSUES; index += 1)
      await new Changes(storage, []).run(systemActor({ now: Date.now() }), (tx) =>
        createIssue(tx, { repository, owner }, { ...draft, assigneeIds: [], milestoneId: null }),
      );
    server = await startChild({ ...settings, ...dieAt('recorded a reference of a commit', ISSUES / 2) });
    const client = new GitClient();
    await client.begin('work');
    for (let index = 1; index <= ISSUES; index += 1)
      await client.run('work', 'commit', '--quiet', '--allow-empty', '-m', `Fixes #${index}`);
    const pushing = client.try('work', ['push', '--quiet', gitUrl(server, TOKEN, 'admin/demo'), 'HEAD:main']);
    await server.died();
    await pushing;
    const events = async () =>
      (
        await db
          .selectFrom('issue_events')
          .select(['issue_id', 'event'])
          .where('repository_number', '=', number)
          .orderBy('id')
          .execute()
      ).map(({ issue_id: id, event }) => `${id} ${event}`);
    assert.equal((await events()).length, ISSUES);
    // The lease of the killed server would end later.
    await db.updateTable('due').set({ due_at: 0 }).where('kind', '=', READ_COMMITS).execute();
    server = await startChild(settings);
    await eventually(async () => {
      const left = await db.selectFrom('due').select('id').where('kind', '=', READ_COMMITS).execute();
      return left.length === 0;
    }, 'the rest of the commits');
    const ids = (await db.selectFrom('issues').select('id').orderBy('id').execute()).map(({ id }) => id);
    assert.deepEqual(
      await events(),
      ids.flatMap((id) => [`${id} referenced`, `${id} closed`]),
    );
    const demo = (await call('/repos/admin/demo')).json;
    assert.equal(demo['open_issues_count'], 0);
  });
});
