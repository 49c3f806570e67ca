// Scenarios of octokit: an organization with its members, teams, and roles for repositories.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const org = 'octo-org';

export function describeOrganizations(suite: OctokitSuite): void {
  describe('organizations', () => {
    let admin: Octokit;
    let member: Octokit;
    let orgs: Octokit['rest']['orgs'];
    before(async () => {
      ({ admin } = suite);
      ({ orgs } = admin.rest);
      member = (await suite.join('org-bob')).octokit;
      await admin.request('POST /admin/organizations', { login: org, admin: 'admin' });
    });

    test('creates, changes, lists and deletes an organization', async () => {
      await admin.request('POST /user/orgs', { login: 'short-lived', profile_name: 'Short' });
      const changes = { name: 'Octo', default_repository_permission: 'none' } as const;
      const { data } = await orgs.update({ org: 'short-lived', ...changes });
      assert.deepEqual([data.name, data.default_repository_permission], ['Octo', 'none']);
      assert.equal((await orgs.get({ org: 'short-lived' })).data.name, 'Octo');
      const { data: page } = await orgs.list({ since: data.id - 1, per_page: 1 });
      assert.deepEqual(
        page.map(({ login }) => login),
        ['short-lived'],
      );
      const one = { org: 'short-lived', username: 'admin' };
      assert.equal((await orgs.getMembershipForUser(one)).data.role, 'admin');
      await orgs.setPublicMembershipForAuthenticatedUser(one);
      const own = await admin.paginate(orgs.listForAuthenticatedUser, { per_page: 1 });
      assert.ok(own.some(({ login }) => login === 'short-lived'));
      const { data: shown } = await orgs.listForUser(one);
      assert.deepEqual(
        shown.map(({ login }) => login),
        ['short-lived'],
      );
      assert.equal((await orgs.delete({ org: 'short-lived' })).status, 202);
      await assert.rejects(orgs.get({ org: 'short-lived' }), isStatus(404));
    });

    test('invites a member, who accepts, shows it and is removed', async () => {
      const one = { org, username: 'org-bob' };
      assert.equal((await orgs.setMembershipForUser({ ...one, role: 'member' })).data.user?.login, 'org-bob');
      const { orgs: own } = member.rest;
      await own.updateMembershipForAuthenticatedUser({ org, state: 'active' });
      assert.equal((await own.getMembershipForAuthenticatedUser({ org })).data.state, 'active');
      assert.deepEqual(
        (await member.paginate(own.listMembershipsForAuthenticatedUser, { per_page: 1 })).map(
          ({ organization }) => organization.login,
        ),
        [org],
      );
      assert.equal((await orgs.getMembershipForUser(one)).data.role, 'member');
      assert.equal((await orgs.checkMembershipForUser(one)).status, 204);
      const members = await admin.paginate(orgs.listMembers, { org, per_page: 1 });
      assert.deepEqual(members.map(({ login }) => login).toSorted(), ['admin', 'org-bob']);
      await assert.rejects(orgs.checkPublicMembershipForUser(one), isStatus(404));
      assert.equal((await own.setPublicMembershipForAuthenticatedUser(one)).status, 204);
      assert.equal((await orgs.checkPublicMembershipForUser(one)).status, 204);
      const { data: shown } = await suite.connect().rest.orgs.listPublicMembers({ org });
      assert.deepEqual(
        shown.map(({ login }) => login),
        ['org-bob'],
      );
      assert.equal((await own.removePublicMembershipForAuthenticatedUser(one)).status, 204);
      assert.equal((await orgs.removeMember(one)).status, 204);
      await assert.rejects(orgs.getMembershipForUser(one), isStatus(404));
      await orgs.setMembershipForUser(one);
      assert.equal((await orgs.removeMembershipForUser(one)).status, 204);
      await assert.rejects(own.getMembershipForAuthenticatedUser({ org }), isStatus(404));
    });

    test('creates teams below each other, and deletes them together', async () => {
      const { teams } = admin.rest;
      for (const name of ['One', 'Two', 'Three']) await teams.create({ org, name, privacy: 'closed' });
      const all = await admin.paginate(teams.list, { org, per_page: 1 });
      assert.deepEqual(
        all.map(({ slug }) => slug),
        ['one', 'three', 'two'],
      );
      await teams.updateInOrg({ org, team_slug: 'two', parent_team_id: all[0]!.id });
      const { data: children } = await teams.listChildInOrg({ org, team_slug: 'one' });
      assert.equal(children[0]!.slug, 'two');
      assert.equal((await teams.getByName({ org, team_slug: 'two' })).data.parent?.slug, 'one');
      assert.equal((await teams.deleteInOrg({ org, team_slug: 'one' })).status, 204);
      await assert.rejects(teams.getByName({ org, team_slug: 'two' }), isStatus(404));
    });

    test('gives a team members and repositories', async () => {
      const { repos, teams } = admin.rest;
      const team = { org, team_slug: 'keepers' };
      const { data: made } = await teams.create({ org, name: 'Keepers', privacy: 'closed' });
      assert.equal(made.slug, 'keepers');
      const one = { ...team, username: 'admin' };
      assert.equal((await teams.addOrUpdateMembershipForUserInOrg(one)).data.state, 'active');
      assert.equal((await teams.getMembershipForUserInOrg(one)).data.state, 'active');
      assert.equal((await teams.listMembersInOrg(team)).data[0]!.login, 'admin');
      const own = await admin.paginate(teams.listForAuthenticatedUser, { per_page: 1 });
      assert.ok(own.some(({ slug, organization }) => slug === 'keepers' && organization.login === org));
      await repos.createInOrg({ org, name: 'kept', private: true });
      const kept = { ...team, owner: org, repo: 'kept' };
      await assert.rejects(teams.checkPermissionsForRepoInOrg(kept), isStatus(404));
      const given = await teams.addOrUpdateRepoPermissionsInOrg({ ...kept, permission: 'push' });
      assert.equal(given.status, 204);
      assert.equal((await teams.checkPermissionsForRepoInOrg(kept)).status, 204);
      const format = 'repository+json';
      const { data: shown } = await teams.checkPermissionsForRepoInOrg({ ...kept, mediaType: { format } });
      assert.equal(shown.role_name, 'write');
      const { data: list } = await teams.listReposInOrg(team);
      assert.deepEqual(
        list.map(({ full_name, permissions }) => [full_name, permissions?.push]),
        [[`${org}/kept`, true]],
      );
      const { data: ofRepository } = await admin.rest.repos.listTeams({ owner: kept.owner, repo: kept.repo });
      assert.deepEqual(
        ofRepository.map(({ slug, permission }) => [slug, permission]),
        [['keepers', 'push']],
      );
      assert.equal((await teams.removeRepoInOrg(kept)).status, 204);
      assert.deepEqual((await teams.listReposInOrg(team)).data, []);
      assert.equal((await teams.removeMembershipForUserInOrg(one)).status, 204);
      await assert.rejects(teams.getMembershipForUserInOrg(one), isStatus(404));
    });

    test('has roles for repositories, at the old address in the old version alone', async () => {
      const roles = '/orgs/{org}/custom-repository-roles';
      const role = { org, name: 'Reviewer', base_role: 'read', permissions: [] };
      const { data: made, status } = await admin.request(`POST ${roles}`, role);
      assert.equal(status, 201);
      const one = { org, role_id: (made as { id: number }).id };
      const { data: changed } = await admin.request(`PATCH ${roles}/{role_id}`, { ...one, name: 'Reader' });
      assert.deepEqual((await admin.request(`GET ${roles}/{role_id}`, one)).data, changed);
      const { data: list } = await admin.request(`GET ${roles}`, { org });
      assert.deepEqual(list, { total_count: 1, custom_roles: [changed] });
      const organization_id = (await orgs.get({ org })).data.id;
      const old = admin.request('GET /organizations/{organization_id}/custom_roles', { organization_id });
      if (suite.version === '2022-11-28') assert.deepEqual((await old).data, list);
      else await assert.rejects(old, isStatus(404));
      assert.equal((await admin.request(`DELETE ${roles}/{role_id}`, one)).status, 204);
      await assert.rejects(admin.request(`GET ${roles}/{role_id}`, one), isStatus(404));
    });
  });
}
