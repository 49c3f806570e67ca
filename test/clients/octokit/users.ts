// Scenarios of octokit: users, their addresses and keys, what they star and watch, and collaborators.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Octokit } from 'octokit';
import { gitTest } from '../../git-tests.ts';
import { ed25519Key } from '../../ssh-keys.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

/** The first of its suite: nobody but the administrator has joined yet. */
export function describeUsers(suite: OctokitSuite): void {
  describe('users', () => {
    let octokit: Octokit;
    let users: Octokit['rest']['users'];
    before(() => {
      octokit = suite.admin;
      ({ users } = octokit.rest);
    });

    test('changes the profile', async () => {
      const { data } = await users.updateAuthenticated({ name: 'Ada', bio: 'Notes', hireable: true });
      assert.deepEqual([data.name, data.bio, data.hireable], ['Ada', 'Notes', true]);
      assert.equal((await users.getAuthenticated()).data.name, 'Ada');
      assert.equal((await users.getByUsername({ username: 'admin' })).data.name, 'Ada');
      assert.equal((await users.getById({ account_id: data.id })).data.login, 'admin');
      assert.deepEqual(
        (await octokit.paginate(users.list, { per_page: 1 })).map(({ login }) => login),
        ['admin'],
      );
      const { data: found } = await octokit.rest.search.users({ q: 'adm' });
      assert.equal(found.items[0]?.login, 'admin');
      const avatar = await octokit.request('GET /avatars/{number}', { number: data.id });
      assert.match(avatar.headers['content-type']!, /^image\//);
    });

    test('adds and deletes addresses', async () => {
      const emails = ['one@other.example', 'two@other.example'];
      const { status, data } = await users.addEmailForAuthenticatedUser({ emails });
      assert.deepEqual([status, data.map(({ email }) => email)], [201, emails]);
      const all = await octokit.paginate(users.listEmailsForAuthenticatedUser, { per_page: 1 });
      assert.deepEqual(
        all.map(({ email, primary }) => [email, primary]),
        [['admin@signalbox.example', true], ...emails.map((email) => [email, false])],
      );
      await users.setPrimaryEmailVisibilityForAuthenticatedUser({ visibility: 'public' });
      const { data: shown } = await users.listPublicEmailsForAuthenticatedUser();
      assert.deepEqual(
        shown.map(({ email, visibility }) => [email, visibility]),
        [['admin@signalbox.example', 'public']],
      );
      assert.equal((await users.deleteEmailForAuthenticatedUser({ emails })).status, 204);
      await assert.rejects(users.deleteEmailForAuthenticatedUser({ emails }), isStatus(422));
    });

    test('adds and deletes keys', async () => {
      const key = ed25519Key('octokit');
      const { data } = await users.createPublicSshKeyForAuthenticatedUser({ title: 'Laptop', key });
      assert.deepEqual((await users.listPublicSshKeysForAuthenticatedUser()).data, [data]);
      assert.deepEqual((await users.getPublicSshKeyForAuthenticatedUser({ key_id: data.id })).data, data);
      const { data: others } = await users.listPublicKeysForUser({ username: 'admin' });
      assert.deepEqual(others, [{ id: data.id, key }]);
      await assert.rejects(
        users.createPublicSshKeyForAuthenticatedUser({ key }),
        isStatus(422, 'key is already in use'),
      );
      await users.deletePublicSshKeyForAuthenticatedUser({ key_id: data.id });
    });

    test('finds no followers, and nobody to follow', async () => {
      const username = 'admin';
      assert.deepEqual((await users.listFollowersForAuthenticatedUser()).data, []);
      assert.deepEqual((await users.listFollowedByAuthenticatedUser()).data, []);
      assert.deepEqual((await users.listFollowersForUser({ username })).data, []);
      assert.deepEqual((await users.listFollowingForUser({ username })).data, []);
      await assert.rejects(
        users.follow({ username }),
        isStatus(404, 'this server has no following of people'),
      );
    });

    gitTest('stars and watches a repository', async () => {
      const { activity, repos } = octokit.rest;
      await repos.createForAuthenticatedUser({ name: 'starry' });
      const repository = { owner: 'admin', repo: 'starry' };
      await assert.rejects(activity.checkRepoIsStarredByAuthenticatedUser(repository), isStatus(404));
      assert.equal((await activity.starRepoForAuthenticatedUser(repository)).status, 204);
      assert.equal((await activity.checkRepoIsStarredByAuthenticatedUser(repository)).status, 204);
      const starred = await octokit.paginate(activity.listReposStarredByAuthenticatedUser, { per_page: 1 });
      assert.deepEqual(
        starred.map((one) => [one.full_name, one.stargazers_count]),
        [['admin/starry', 1]],
      );
      const format = 'star+json';
      const timed = await activity.listReposStarredByAuthenticatedUser({ mediaType: { format } });
      assert.ok('starred_at' in timed.data[0]!);
      const { data: gazers } = await activity.listStargazersForRepo(repository);
      assert.deepEqual(
        gazers.map((one) => 'login' in one && one.login),
        ['admin'],
      );
      const { data: byAdmin } = await activity.listReposStarredByUser({ username: 'admin' });
      assert.deepEqual(
        byAdmin.map((one) => 'full_name' in one && one.full_name),
        ['admin/starry'],
      );
      const { data: watch } = await activity.setRepoSubscription({ ...repository, subscribed: true });
      assert.deepEqual((await activity.getRepoSubscription(repository)).data, watch);
      assert.equal((await activity.listWatchersForRepo(repository)).data.length, 1);
      for (const { data } of [
        await activity.listWatchedReposForAuthenticatedUser(),
        await activity.listReposWatchedByUser({ username: 'admin' }),
      ])
        assert.equal(data[0]?.full_name, 'admin/starry');
      await activity.deleteRepoSubscription(repository);
      await activity.unstarRepoForAuthenticatedUser(repository);
      assert.equal((await repos.get(repository)).data.stargazers_count, 0);
    });

    gitTest('adds and removes a collaborator', async () => {
      const { repos } = octokit.rest;
      await suite.join('helper-bob');
      await repos.createForAuthenticatedUser({ name: 'shared', private: true });
      const repository = { owner: 'admin', repo: 'shared' };
      const bob = { ...repository, username: 'helper-bob' };
      assert.equal((await repos.addCollaborator({ ...bob, permission: 'maintain' })).status, 204);
      assert.equal((await repos.checkCollaborator(bob)).status, 204);
      const all = await octokit.paginate(repos.listCollaborators, { ...repository, per_page: 1 });
      assert.deepEqual(Object.fromEntries(all.map((one) => [one.login, one.role_name])), {
        admin: 'admin',
        'helper-bob': 'maintain',
      });
      const { data } = await repos.getCollaboratorPermissionLevel(bob);
      assert.deepEqual(
        [data.permission, data.role_name, data.user?.login],
        ['write', 'maintain', 'helper-bob'],
      );
      assert.equal((await repos.removeCollaborator(bob)).status, 204);
      assert.equal((await repos.getCollaboratorPermissionLevel(bob)).data.permission, 'none');
    });
  });
}
