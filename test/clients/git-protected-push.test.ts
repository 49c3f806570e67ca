// The real git, unmodified, pushes to protected branches, and is told which rule refuses it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../host-crew.ts';
import type { HostPerson } from '../host-people.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

let server: TestServer;
let crew: Crew;
before(async () => {
  server = await startServer({ limits: 'off' });
  crew = await gatherCrew(server);
});
after(() => server.stop());

const REFUSED = /GH006: Protected branch update failed for refs\/heads\/main\./;

/** A clone of a repository whose branch `main` has the rule. */
async function cloneProtected(name: string, rule: Json) {
  const { path } = await crew.repository(name);
  const client = new GitClient();
  await client.run('', 'clone', '--quiet', gitUrl(server, crew.ada.token, `crew/${name}`), 'work');
  const set = (fields: Json) =>
    expect(200, crew.ada.put(`${path}/branches/main/protection`, { ...NO_REQUIREMENTS, ...fields }));
  await set(rule);
  const push = (who: HostPerson, ...args: string[]) =>
    client.try('work', ['push', gitUrl(server, who.token, `crew/${name}`), ...args]);
  const tip = async (branch = 'main') =>
    (await crew.ada.get(`${path}/git/ref/heads/${branch}`)).json['object']?.sha as string | undefined;
  return { path, client, set, push, tip };
}

test('a branch that requires pull requests refuses a push, with all its references', async () => {
  const { client, push, tip } = await cloneProtected('reviewed', { required_pull_request_reviews: {} });
  const start = await tip();
  const next = await client.commit('work', { 'a.txt': 'a\n' });
  const refused = await push(crew.cleo, 'main', 'main:topic');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, REFUSED);
  assert.match(refused.stderr, /- Changes must be made through a pull request\./);
  assert.deepEqual([await tip(), await tip('topic')], [start, undefined]);
  assert.equal((await push(crew.cleo, 'main:topic')).code, 0);
  assert.equal((await push(crew.ada, 'main')).code, 0);
  assert.deepEqual([await tip(), await tip('topic')], [next, next]);
});

test('a commit with the required statuses is pushed to another branch first, and then accepted', async () => {
  const { path, client, push, tip } = await cloneProtected('checked', {
    required_status_checks: { strict: true, contexts: ['ci'] },
  });
  const next = await client.commit('work', { 'a.txt': 'a\n' });
  assert.equal((await push(crew.cleo, 'main:topic')).code, 0);
  assert.match((await push(crew.cleo, 'main')).stderr, /- Required status check "ci" is expected\./);
  await expect(201, crew.cleo.post(`${path}/statuses/${next}`, { context: 'ci', state: 'success' }));
  assert.equal((await push(crew.cleo, 'main')).code, 0);
  assert.equal(await tip(), next);
});

test('force pushes, deletions, merges and strangers to the list are refused', async () => {
  const { client, set, push, tip } = await cloneProtected('kept', {
    required_linear_history: true,
    restrictions: { users: [], teams: ['pushers'] },
  });
  const start = (await tip())!;
  const next = await client.commit('work', { 'a.txt': 'a\n' });
  assert.match((await push(crew.cleo, 'main')).stderr, /- You're not authorized to push to this branch\./);
  assert.equal((await push(crew.bob, 'main')).code, 0);
  assert.match(
    (await push(crew.ada, '--force', `${start}:main`)).stderr,
    /- Cannot force-push to this branch/,
  );
  await client.run('work', 'checkout', '--quiet', '-b', 'side', start);
  await client.commit('work', { 'b.txt': 'b\n' });
  await client.run('work', 'checkout', '--quiet', 'main');
  await client.run('work', 'merge', '--quiet', '--no-edit', 'side');
  assert.match((await push(crew.bob, 'main')).stderr, /- This branch must not contain merge commits\./);
  assert.match((await push(crew.ada, ':main')).stderr, /- Cannot delete this protected branch/);
  assert.equal(await tip(), next);
  await set({ allow_force_pushes: true });
  assert.equal((await push(crew.cleo, '--force', `${start}:main`)).code, 0);
  assert.equal(await tip(), start);
});

test('a push that says the branch is new does not pass for its creation', async () => {
  const { path, client, push, tip } = await cloneProtected('claimed', { required_pull_request_reviews: {} });
  const start = await tip();
  const next = await client.commit('work', { 'a.txt': 'a\n' });
  assert.equal((await push(crew.cleo, 'main:topic')).code, 0);
  const answer = await fetch(`${server.url}/crew/claimed/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${crew.cleo.token}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: commandOf(`${'0'.repeat(40)} ${next} refs/heads/main\0 report-status`),
  });
  assert.match(await answer.text(), /ng refs\/heads\/main/);
  assert.equal(await tip(), start);
  await expect(204, crew.ada.delete(`${path}/branches/main/protection`));
  assert.equal((await push(crew.cleo, 'main')).code, 0);
});

test('a name with line separators of Unicode does not hide what is pushed after it', async () => {
  const { client, push, tip } = await cloneProtected('separated', { required_pull_request_reviews: {} });
  const start = await tip();
  const name = 'a\u2028\u2028b\u2029';
  await client.commit('work', { 'a.txt': 'a\n' });
  assert.equal((await push(crew.cleo, `main:${name}`)).code, 0);
  const next = await client.commit('work', { 'a.txt': 'b\n' });
  const refused = await push(crew.cleo, `main:${name}`, 'main');
  assert.match(refused.stderr, REFUSED);
  assert.equal(await tip(), start);
  assert.equal((await push(crew.cleo, `main:${name}`)).code, 0);
  assert.equal(await tip(encodeURIComponent(name)), next);
});

/** One command, and a pack without objects. */
function commandOf(line: string): Buffer {
  const length = (line.length + 4).toString(16).padStart(4, '0');
  const pack = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  const sum = createHash('sha1').update(pack).digest();
  return Buffer.concat([Buffer.from(`${length}${line}0000`), pack, sum]);
}
