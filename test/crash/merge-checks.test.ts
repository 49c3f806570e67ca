// SIGKILL of a server while it finds out whether a pull request can be merged: the next one finds it out, and the reference has what the row says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { CHECK_MERGE } from '../../src/host/pulls/schedule-work.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { callerOf, dieAt, settingsOn, startChild } from './child-server.ts';

const CHECKPOINTS = [`claimed ${CHECK_MERGE}`, `computed ${CHECK_MERGE}`, `referred ${CHECK_MERGE}`];

onEachEngine((engine) => {
  test('a server that is killed while it checks a merge', needsGit, async (t) => {
    const { location, settings } = await settingsOn(engine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const at = '/repos/admin/demo';
    const ok = async (path: string, method = 'GET', body?: unknown) => {
      const answer = await call(path, { method, ...(body !== undefined && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
      return answer.json;
    };
    await ok('/user/repos', 'POST', { name: 'demo', auto_init: true });
    const sha = (await ok(`${at}/git/ref/heads/main`))['object'].sha;
    for (const nth of CHECKPOINTS.keys()) {
      const branch = `feature-${nth}`;
      await ok(`${at}/git/refs`, 'POST', { ref: `refs/heads/${branch}`, sha });
      const content = Buffer.from(`${nth}\n`).toString('base64');
      await ok(`${at}/contents/${nth}.txt`, 'PUT', { message: 'Add', content, branch });
    }
    const { db } = await engine.open([], location);
    for (const [nth, checkpoint] of CHECKPOINTS.entries()) {
      await server.kill();
      server = await startChild({ ...settings, ...dieAt(checkpoint, 1) });
      const opening = call(`${at}/pulls`, {
        method: 'POST',
        body: { title: 'x', head: `feature-${nth}`, base: 'main' },
      });
      await Promise.allSettled([opening]);
      await server.died();
      const row = await db
        .selectFrom('pulls')
        .select(['mergeable', 'number'])
        .orderBy('number', 'desc')
        .executeTakeFirstOrThrow();
      assert.equal(row.mergeable, null);
      // The lease of the killed server would end later.
      await db.updateTable('due').set({ due_at: 0 }).where('kind', '=', CHECK_MERGE).execute();
      server = await startChild(settings);
      const place = `${at}/pulls/${row.number}`;
      await eventually(async () => (await ok(place))['mergeable'] === true, checkpoint);
      const ref = (await ok(`${at}/git/ref/pull/${row.number}/merge`))['object'].sha;
      assert.equal(ref, (await ok(place))['merge_commit_sha']);
      // Who looked while it was being found out has asked once more.
      const listLeft = () => db.selectFrom('merge_checks').select('issue_id').execute();
      await eventually(async () => (await listLeft()).length === 0, 'the end of all checks');
    }
  });
});
