// Merges of pull requests into protected branches, and what replies say about them before, on a running server.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../host-crew.ts';
import type { HostPerson } from '../../../host-people.ts';
import { newPull } from '../../../host-pull-calls.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const TOO_FEW = 'At least 1 approving review is required by reviewers with write access.';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  let at: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    at = (await crew.repository('merged')).path;
    const content = Buffer.from('/docs/ @ada\n').toString('base64');
    const file = { message: 'Owners', content };
    await expect(201, crew.ada.put(`${at}/contents/CODEOWNERS`, file));
  });
  after(() => server.stop());

  const protect = (rule: Json) =>
    expect(200, crew.ada.put(`${at}/branches/main/protection`, { ...NO_REQUIREMENTS, ...rule }));
  const merge = (who: HostPerson, pull: string, body: Json = {}) => who.put(`${pull}/merge`, body);
  const refused = async (who: HostPerson, pull: string, body: Json = {}) =>
    (await expect(405, merge(who, pull, body)))['message'] as string;
  const tipOf = async () =>
    (await expect(200, crew.bob.get(`${at}/git/ref/heads/main`)))['object'].sha as string;
  const becomes = (pull: string, state: string) =>
    eventually(
      async () => (await expect(200, crew.bob.get(pull)))['mergeable_state'] === state,
      `the state ${state}`,
    );

  test('a merge waits for reviews, checks and an up-to-date branch, and replies say what is missing', async () => {
    const { ada, bob, cleo } = crew;
    await protect({
      required_pull_request_reviews: {},
      required_status_checks: { strict: true, contexts: ['ci'] },
    });
    const { pull, sha } = await newPull(cleo, at);
    const start = await tipOf();
    await becomes(pull, 'blocked');
    assert.equal(await refused(cleo, pull), `${TOO_FEW} Required status check "ci" is expected.`);
    await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE' }));
    assert.equal(await refused(cleo, pull), 'Required status check "ci" is expected.');
    await expect(201, cleo.post(`${at}/statuses/${sha}`, { state: 'success', context: 'ci' }));
    await becomes(pull, 'clean');
    await expect(201, cleo.post(`${at}/statuses/${sha}`, { state: 'failure', context: 'lint' }));
    await becomes(pull, 'unstable');
    assert.equal(await tipOf(), start);
    const content = Buffer.from('base').toString('base64');
    await expect(201, ada.put(`${at}/contents/base.txt`, { message: 'Base', content }));
    await becomes(pull, 'behind');
    const behind = 'The head branch is not up to date with the base branch.';
    assert.equal(await refused(cleo, pull), behind);
    await protect({
      required_pull_request_reviews: {},
      required_status_checks: { strict: false, contexts: ['ci'] },
    });
    await expect(200, merge(cleo, pull, { sha }));
    assert.notEqual(await tipOf(), start);
    const push = { message: 'Past the rule', content, branch: 'main' };
    assert.equal((await cleo.put(`${at}/contents/past.txt`, push)).status, 409);
  });

  test('owners of changed files approve, and administrators merge without, unless the rule is for them too', async () => {
    const { ada, bob, cleo } = crew;
    const reviews = { require_code_owner_reviews: true };
    await protect({ required_pull_request_reviews: reviews, enforce_admins: true });
    const { pull } = await newPull(cleo, at, { file: 'docs/guide.md' });
    await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE' }));
    const waiting = 'Waiting on code owner review from ada.';
    assert.equal(await refused(cleo, pull), waiting);
    assert.equal(await refused(ada, pull), waiting);
    await protect({ required_pull_request_reviews: reviews });
    await becomes(pull, 'blocked');
    await expect(200, merge(ada, pull));
  });

  test('a linear history takes every method but merge commits, and a locked branch none', async () => {
    const { bob, cleo } = crew;
    await protect({ required_linear_history: true });
    const { pull } = await newPull(cleo, at);
    assert.equal(await refused(bob, pull), 'This branch must not contain merge commits.');
    await protect({ lock_branch: true });
    assert.equal(await refused(bob, pull, { merge_method: 'squash' }), 'Cannot change this locked branch');
    await protect({ required_linear_history: true, restrictions: { users: ['cleo'], teams: [] } });
    assert.equal(
      await refused(bob, pull, { merge_method: 'squash' }),
      "You're not authorized to push to this branch.",
    );
    await expect(200, merge(cleo, pull, { merge_method: 'squash' }));
  });
});
