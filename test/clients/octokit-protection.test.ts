// The real octokit, unmodified, protects a branch, as programs that set up repositories do.
import assert from 'node:assert/strict';
import { Octokit, RequestError } from 'octokit';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { gatherCrew, type Crew } from '../host-crew.ts';
import { startServer, type TestServer } from '../server.ts';

const silent = { debug() {}, info() {}, error() {}, warn() {} };
const target = { owner: 'crew', repo: 'product', branch: 'main' };

let server: TestServer;
let crew: Crew;
before(async () => {
  server = await startServer();
  crew = await gatherCrew(server);
  await crew.repository('product');
});
after(() => server.stop());

const octokitOf = (auth: string) =>
  new Octokit({
    baseUrl: server.url,
    auth,
    request: { fetch: checkingFetch, log: silent },
    retry: { enabled: false },
  });

test('protects a branch, changes every part of it, and is told what is refused', async () => {
  const { repos } = octokitOf(crew.ada.token).rest;
  await assert.rejects(repos.getBranchProtection(target), (error: RequestError) => {
    assert.ok(error instanceof RequestError);
    assert.equal(error.status, 404);
    return /Branch not protected/.test(error.message);
  });
  const { data: whole } = await repos.updateBranchProtection({
    ...target,
    required_status_checks: { strict: true, contexts: ['ci'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    restrictions: { users: ['cleo'], teams: ['pushers'], apps: ['deploy'] },
  });
  assert.deepEqual(
    whole.restrictions?.users.map(({ login }) => login),
    ['cleo'],
  );
  const { data: branch } = await repos.getBranch(target);
  assert.ok(branch.protected);
  const { data: list } = await repos.listBranches({ ...target, protected: true });
  assert.deepEqual(
    list.map(({ name }) => name),
    ['main'],
  );

  await assert.rejects(
    octokitOf(crew.cleo.token).rest.repos.createOrUpdateFileContents({
      ...target,
      path: 'a.txt',
      message: 'a',
      content: 'YQ==',
    }),
    (error: RequestError) => {
      assert.equal(error.status, 409);
      return error.message.startsWith(
        'Could not create file: Changes must be made through a pull request. Required status check "ci" is expected.',
      );
    },
  );

  await repos.addStatusCheckContexts({ ...target, contexts: ['lint'] });
  await repos.setStatusCheckContexts({ ...target, contexts: ['lint', 'build'] });
  await repos.removeStatusCheckContexts({ ...target, contexts: ['build'] });
  const { data: contexts } = await repos.getAllStatusCheckContexts(target);
  assert.deepEqual(contexts, ['lint']);
  await repos.updateStatusCheckProtection({ ...target, strict: false });
  assert.equal((await repos.getStatusChecksProtection(target)).data.strict, false);
  await repos.removeStatusCheckProtection(target);

  await repos.updatePullRequestReviewProtection({ ...target, dismiss_stale_reviews: true });
  assert.equal((await repos.getPullRequestReviewProtection(target)).data.dismiss_stale_reviews, true);
  await repos.deletePullRequestReviewProtection(target);

  await repos.removeUserAccessRestrictions({ ...target, users: ['cleo'] });
  await repos.addUserAccessRestrictions({ ...target, users: ['bob'] });
  await repos.setTeamAccessRestrictions({ ...target, teams: [] });
  await repos.addTeamAccessRestrictions({ ...target, teams: ['pushers'] });
  await repos.removeAppAccessRestrictions({ ...target, apps: ['deploy'] });
  const { data: restrictions } = await repos.getAccessRestrictions(target);
  assert.deepEqual(
    [
      restrictions.users.map(({ login }) => login),
      restrictions.teams.map(({ slug }) => slug),
      restrictions.apps.map(({ slug }) => slug),
    ],
    [['bob'], ['pushers'], []],
  );
  await repos.deleteAccessRestrictions(target);

  assert.equal((await repos.createCommitSignatureProtection(target)).data.enabled, true);
  await repos.deleteCommitSignatureProtection(target);
  await repos.deleteAdminBranchProtection(target);
  assert.equal((await repos.getAdminBranchProtection(target)).data.enabled, false);
  assert.equal((await repos.setAdminBranchProtection(target)).data.enabled, true);
  await repos.deleteBranchProtection(target);
  assert.equal((await repos.getBranch(target)).data.protected, false);
});
