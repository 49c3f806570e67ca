// SIGKILL of a server at each step of a merge: after the next start the pull request is merged or it is not, and what follows from a merge is done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { onEachEngine, openEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import { callerOf, dieAt, settingsOn, startChild } from './child-server.ts';

/** Where the server dies, and whether the base has moved by then. */
const STEPS = [
  ['made the commit of a merge', false],
  ['recorded the intent of a merge', false],
  ['moved references', true],
  ['recorded the push of a merge', true],
  ['closed a merged pull request', true],
] as const;
const METHODS = ['squash', 'rebase', 'merge'];
const AT = '/repos/admin/merged';

onEachEngine((engine) => {
  test('a server that is killed at each step of a merge', needsGit, async (t) => {
    const { location, settings } = await settingsOn(engine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const ok = async (path: string, method = 'GET', body?: Json): Promise<Json> => {
      const answer = await call(path, { method, ...(body && { body }) });
      assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
      return answer.json;
    };
    const fields = { name: 'merged', auto_init: true, delete_branch_on_merge: true };
    await ok('/user/repos', 'POST', fields);
    const main = async () => (await ok(`${AT}/git/ref/heads/main`))['object'].sha as string;
    const root = await main();
    const content = Buffer.from('x').toString('base64');
    for (const [index] of STEPS.entries()) {
      const branch = `b${index}`;
      await ok(`${AT}/git/refs`, 'POST', { ref: `refs/heads/${branch}`, sha: root });
      await ok(`${AT}/contents/${branch}.txt`, 'PUT', { message: `Add ${branch}`, content, branch });
      const { number } = await ok(`${AT}/issues`, 'POST', { title: branch });
      const texts = { title: branch, body: `Fixes #${number}` };
      await ok(`${AT}/pulls`, 'POST', { ...texts, head: branch, base: 'main' });
    }
    const { db, close } = await openEngine(location);
    t.after(close);
    await server.kill();
    const numberOf = (index: number) => 2 * index + 2;
    const merge = (index: number) => {
      const body = { merge_method: METHODS[index % METHODS.length]!, commit_message: '' };
      return call(`${AT}/pulls/${numberOf(index)}/merge`, { method: 'PUT', body });
    };
    const checkMerged = async (index: number, sha: string) => {
      const pull = () => ok(`${AT}/pulls/${numberOf(index)}`);
      await eventually(async () => (await pull())['merged'] === true, `merge ${index}`);
      const merged = await pull();
      assert.deepEqual(
        [merged['state'], merged['merged_by'].login, merged['merge_commit_sha']],
        ['closed', 'admin', sha],
      );
      const isClosed = async () => (await ok(`${AT}/issues/${numberOf(index) - 1}`))['state'] === 'closed';
      await eventually(isClosed, `the end of the issue of merge ${index}`);
      const isGone = async () => (await call(`${AT}/git/ref/heads/b${index}`)).status === 404;
      await eventually(isGone, `the deletion of the branch of merge ${index}`);
      const rows = await db
        .selectFrom('issue_events')
        .select('event')
        .where('issue_id', '=', merged['id'])
        .where('event', 'in', ['merged', 'closed'])
        .orderBy('id')
        .execute();
      assert.deepEqual(
        rows.map(({ event }) => event),
        ['merged', 'closed'],
      );
    };
    let before = root;
    const checkStep = async (index: number) => {
      const [checkpoint, isMoved] = STEPS[index]!;
      const sha = await main();
      assert.equal(sha !== before, isMoved, checkpoint);
      before = sha;
      if (isMoved) return await checkMerged(index, sha);
      const pull = await ok(`${AT}/pulls/${numberOf(index)}`);
      assert.deepEqual([pull['merged'], pull['state']], [false, 'open']);
    };
    // Each server finds what the one before it has left, and dies at the next step.
    for (const [index, [checkpoint]] of STEPS.entries()) {
      server = await startChild({ ...settings, ...dieAt(checkpoint, 1) });
      if (index > 0) await checkStep(index - 1);
      const merging = merge(index).catch(() => undefined);
      await server.died();
      await merging;
      // What the killed server would have looked at some seconds later, and its leases.
      await db.updateTable('due').set({ due_at: 0 }).where('kind', 'like', 'host.%').execute();
    }
    server = await startChild(settings);
    await checkStep(STEPS.length - 1);
    for (const [index, [, isMoved]] of STEPS.entries()) {
      if (isMoved) continue;
      assert.equal((await merge(index)).status, 200);
      await checkMerged(index, await main());
    }
    assert.deepEqual(await db.selectFrom('merge_intents').selectAll().execute(), []);
  });
});
