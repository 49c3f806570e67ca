// Scenarios of octokit: protects a branch, as programs that set up repositories do.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { gatherCrew, type Crew } from '../../host-crew.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const target = { owner: 'crew', repo: 'product', branch: 'main' };

export function describeProtection(suite: OctokitSuite): void {
  describe('protected branches', () => {
    let crew: Crew;
    before(async () => {
      crew = await gatherCrew(suite.server);
      await crew.repository('product');
    });

    test('protects a branch, changes every part of it, and is told what is refused', async () => {
      const { repos } = suite.connect(crew.ada.token).rest;
      await assert.rejects(repos.getBranchProtection(target), isStatus(404, 'Branch not protected'));
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
        suite.connect(crew.cleo.token).rest.repos.createOrUpdateFileContents({
          ...target,
          path: 'a.txt',
          message: 'a',
          content: 'YQ==',
        }),
        isStatus(
          409,
          'Could not create file: Changes must be made through a pull request. Required status check "ci" is expected.',
        ),
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
      const allowed = async () => {
        const { data } = await repos.getAccessRestrictions(target);
        const [users, teams, apps] = [
          await repos.getUsersWithAccessToProtectedBranch(target),
          await repos.getTeamsWithAccessToProtectedBranch(target),
          await repos.getAppsWithAccessToProtectedBranch(target),
        ];
        assert.deepEqual([users.data, teams.data, apps.data], [data.users, data.teams, data.apps]);
        return [
          data.users.map(({ login }) => login),
          data.teams.map(({ slug }) => slug),
          data.apps.map(({ slug }) => slug),
        ];
      };
      assert.deepEqual(await allowed(), [['bob'], ['pushers'], []]);
      await repos.setUserAccessRestrictions({ ...target, users: ['cleo'] });
      await repos.removeTeamAccessRestrictions({ ...target, teams: ['pushers'] });
      await repos.addAppAccessRestrictions({ ...target, apps: ['deploy'] });
      assert.deepEqual(await allowed(), [['cleo'], [], ['deploy']]);
      await repos.setAppAccessRestrictions({ ...target, apps: [] });
      assert.deepEqual(await allowed(), [['cleo'], [], []]);
      assert.equal((await repos.getBranchProtection(target)).data.enforce_admins?.enabled, true);
      await repos.deleteAccessRestrictions(target);

      assert.equal((await repos.createCommitSignatureProtection(target)).data.enabled, true);
      assert.equal((await repos.getCommitSignatureProtection(target)).data.enabled, true);
      await repos.deleteCommitSignatureProtection(target);
      await repos.deleteAdminBranchProtection(target);
      assert.equal((await repos.getAdminBranchProtection(target)).data.enabled, false);
      assert.equal((await repos.setAdminBranchProtection(target)).data.enabled, true);
      await repos.deleteBranchProtection(target);
      assert.equal((await repos.getBranch(target)).data.protected, false);
    });

    test('lists what is wrong with CODEOWNERS', async () => {
      const { repos } = suite.connect(crew.ada.token).rest;
      await assert.rejects(repos.codeownersErrors(target), isStatus(404));
      const content = Buffer.from('* @ghost @ada').toString('base64');
      await repos.createOrUpdateFileContents({ ...target, path: 'CODEOWNERS', message: 'Owners', content });
      const { data } = await repos.codeownersErrors({ ...target, ref: 'main' });
      assert.deepEqual(
        data.errors.map(({ kind, column, path }) => [kind, column, path]),
        [['Unknown owner', 3, 'CODEOWNERS']],
      );
    });
  });
}
