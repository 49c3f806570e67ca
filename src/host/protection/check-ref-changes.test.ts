// Rules for branches are asked about pushes whose objects are still in a quarantine.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterGitTests as after,
  beforeGitTests as before,
  gitTest as test,
} from '../../../test/git-tests.ts';
import { expectAnswer, NO_REQUIREMENTS } from '../../../test/host-crew.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import { startServer, type Json, type TestServer } from '../../../test/server.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { git as runPlainGit, somebody } from '../git/fixture-repository.ts';
import type { GitTarget } from '../git/git-target.ts';
import { buildCommit, buildTree } from '../git/objects/new-object.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { ownerOfAccount } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { checkRefChanges, type Pusher, type RefChange } from './check-ref-changes.ts';

const MAIN = 'refs/heads/main';

let server: TestServer;
let ada: HostPerson;
let found: FoundRepository;
let caller: KnownCaller;
let pushed: GitTarget;
let head: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  const { kernel } = server.app;
  const { id } = await ada.repository('pushed', { auto_init: true });
  const repository = (await findRepositoryByNumber(kernel.db, id as number))!;
  found = { repository, owner: ownerOfAccount(ada.member) };
  caller = await kernel.identity.identify({ kind: 'token', secret: ada.token }, kernel.clock.now());
  const { program, folder } = kernel.services.git.repository(repository.number);
  const quarantine = mkdtempSync(join(tmpdir(), 'signalbox-quarantine-'));
  pushed = { program, folder, quarantine };
  head = (await kernel.services.git.repository(repository.number).readRef(MAIN))!;
});
after(async () => {
  await server.stop();
  rmSync(pushed.quarantine!, { recursive: true });
});

const protect = (rule: Json) =>
  expectAnswer(200, ada.put('/repos/ada/pushed/branches/main/protection', { ...NO_REQUIREMENTS, ...rule }));

/** In the quarantine only. */
async function addPushed(message: string, ...parents: string[]): Promise<string> {
  const tree = buildTree([]);
  const commit = buildCommit({ tree: tree.oid, parents, author: somebody, committer: somebody, message });
  await writeObjects(pushed, [tree, commit]);
  assert.throws(() => runPlainGit(pushed, 'cat-file', '-e', commit.oid));
  return commit.oid;
}

async function refusedOf(changes: RefChange[], role: NonNullable<Pusher['role']> = 'write') {
  const refused = await checkRefChanges(server.app.kernel, found, { caller, role }, changes, pushed);
  return Object.fromEntries(refused.map(({ name, message }) => [name, message.split('\n')]));
}

test('what a push brings is judged before it is in the repository', async () => {
  await protect({ required_linear_history: true });
  const [one, other] = [await addPushed('one', head), await addPushed('other', head)];
  const merge = await addPushed('merge', one, other);
  const unrelated = await addPushed('unrelated');
  assert.deepEqual(await refusedOf([{ name: MAIN, from: head, to: one }]), {});
  const title = `GH006: Protected branch update failed for ${MAIN}.`;
  assert.deepEqual(await refusedOf([{ name: MAIN, from: head, to: merge }]), {
    [MAIN]: [title, '- This branch must not contain merge commits.'],
  });
  assert.deepEqual(await refusedOf([{ name: MAIN, from: head, to: merge }], 'admin'), {});
  for (const to of [head, other, unrelated])
    assert.deepEqual(await refusedOf([{ name: MAIN, from: one, to }], 'admin'), {
      [MAIN]: [title, '- Cannot force-push to this branch'],
    });
  assert.deepEqual(await refusedOf([{ name: MAIN, from: head, to: undefined }], 'admin'), {
    [MAIN]: [title, '- Cannot delete this protected branch'],
  });
});

test('only branches with a rule are judged, each by itself', async () => {
  await protect({ required_pull_request_reviews: {} });
  const next = await addPushed('next', head);
  const free = ['refs/tags/main', 'refs/heads/Main', 'refs/heads/main/below', 'refs/heads/refs/heads/main'];
  const many = Array.from({ length: 2500 }, (_, at) => `refs/heads/topic-${at}`);
  const changes = [...free, ...many].map((name) => ({ name, from: undefined, to: next }));
  const refused = await refusedOf([...changes, { name: MAIN, from: head, to: next }]);
  assert.deepEqual(Object.keys(refused), [MAIN]);
  assert.deepEqual(await refusedOf([{ name: MAIN, from: head, to: head }]), {});
});

test('a new value that is no commit, or is missing, is refused and no fault of the server', async () => {
  await protect({});
  const { oid: tree } = buildTree([]);
  for (const to of [tree, '1'.repeat(40)])
    assert.deepEqual(Object.keys(await refusedOf([{ name: MAIN, from: head, to }], 'admin')), [MAIN]);
});

test('REST answers 403 where only the branch itself is closed, and 422 where the change is at fault too', async () => {
  const tip = async () => String((await ada.get('/repos/ada/pushed/git/ref/heads/main')).json['object'].sha);
  const from = await tip();
  const { tree } = (await ada.get(`/repos/ada/pushed/git/commits/${from}`)).json;
  const commit = async (...parents: string[]) => {
    const body = { message: 'Next', tree: tree.sha as string, parents };
    return String((await expectAnswer(201, ada.post('/repos/ada/pushed/git/commits', body)))['sha']);
  };
  const [next, unrelated] = [await commit(from), await commit()];
  const move = (sha: string) =>
    ada.patch('/repos/ada/pushed/git/refs/heads/main', { sha, force: sha === unrelated });
  await protect({ enforce_admins: true, lock_branch: true });
  const locked = 'Cannot change this locked branch';
  const forced = 'Cannot force-push to this branch';
  assert.equal((await expectAnswer(403, move(next)))['message'], locked);
  assert.equal((await expectAnswer(422, move(unrelated)))['message'], `${forced} ${locked}`);
  await protect({ enforce_admins: true, lock_branch: false });
  assert.equal((await expectAnswer(422, move(unrelated)))['message'], forced);
  assert.equal(await tip(), from);
  await expectAnswer(200, move(next));
});
