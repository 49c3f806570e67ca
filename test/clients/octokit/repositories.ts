// Scenarios of octokit: repositories themselves, in all lists, with their topics, languages, license and files.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { eventually } from '../../eventually.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

const shop = { owner: 'keeper', repo: 'shop' };

export function describeRepositories(suite: OctokitSuite): void {
  describe('repositories', () => {
    let keeper: OctokitMember;
    before(async () => {
      keeper = await suite.join('keeper');
    });

    test('creates, changes, lists, renames and deletes a repository', async () => {
      const { octokit } = keeper;
      const { repos } = octokit.rest;
      const { data: made } = await repos.createForAuthenticatedUser({ name: 'old', private: true });
      const { data: changed } = await repos.update({
        owner: 'keeper',
        repo: 'old',
        name: 'shop',
        description: 'A shop',
        private: false,
      });
      assert.deepEqual([changed.id, changed.full_name, changed.private], [made.id, 'keeper/shop', false]);
      // Octokit follows the redirect from the old name.
      assert.equal((await repos.get({ owner: 'keeper', repo: 'old' })).data.full_name, 'keeper/shop');
      await repos.createForAuthenticatedUser({ name: 'secret', private: true });
      const own = await octokit.paginate(repos.listForAuthenticatedUser, { per_page: 1 });
      assert.deepEqual(own.map(({ name }) => name).toSorted(), ['secret', 'shop']);
      const seen = await suite.connect().rest.repos.listForUser({ username: 'keeper' });
      assert.deepEqual(
        seen.data.map(({ name }) => name),
        ['shop'],
      );
      const all = await octokit.paginate(repos.listPublic, { since: made.id - 1 });
      assert.ok(all.some(({ id }) => id === made.id));
      assert.ok(!all.some(({ name, owner }) => name === 'secret' && owner.login === 'keeper'));
      assert.equal((await repos.delete({ owner: 'keeper', repo: 'secret' })).status, 204);
      await assert.rejects(repos.get({ owner: 'keeper', repo: 'secret' }), isStatus(404));
    });

    test('lists the repositories of an organization', async () => {
      const { octokit } = keeper;
      await suite.admin.request('POST /admin/organizations', { login: 'shops', admin: 'keeper' });
      for (const name of ['a', 'b']) await octokit.rest.repos.createInOrg({ org: 'shops', name });
      const list = await octokit.paginate(octokit.rest.repos.listForOrg, { org: 'shops', per_page: 1 });
      assert.deepEqual(list.map(({ name }) => name).toSorted(), ['a', 'b']);
    });

    test('reads topics, languages, the license, and the README of a folder', async () => {
      const { repos, licenses } = keeper.octokit.rest;
      const { data: topics } = await repos.replaceAllTopics({ ...shop, names: ['shop', 'demo'] });
      assert.deepEqual((await repos.getAllTopics(shop)).data, topics);
      for (const [path, text] of [
        ['LICENSE', 'MIT License\n\nPermission is hereby granted, free of charge'],
        ['docs/README.md', 'The documents'],
        ['main.ts', 'export {};\n'],
      ] as const)
        await repos.createOrUpdateFileContents({
          ...shop,
          path,
          message: `add ${path}`,
          content: Buffer.from(text).toString('base64'),
        });
      const { data: license } = await licenses.getForRepo(shop);
      assert.equal(license.path, 'LICENSE');
      const { data: readme } = await repos.getReadmeInDirectory({ ...shop, dir: 'docs' });
      assert.equal(readme.path, 'docs/README.md');
      // They are counted a moment after the push.
      const languages = async () => Object.keys((await repos.listLanguages(shop)).data);
      await eventually(async () => (await languages()).includes('TypeScript'), 'the languages');
      assert.deepEqual(await languages(), ['TypeScript']);
    });

    test('downloads a file and an archive from the addresses of this server for them', async () => {
      const { octokit } = keeper;
      const raw = { ...shop, ref: 'main', path: 'docs/README.md' };
      const { data } = await octokit.request('GET /raw/{owner}/{repo}/{ref}/{path}', raw);
      assert.equal(data, 'The documents');
      const { data: branch } = await octokit.rest.repos.getBranch({ ...shop, branch: 'main' });
      const archive = { ...shop, format: 'zip', commit: branch.commit.sha };
      const zip = await octokit.request('GET /archives/{owner}/{repo}/{format}/{commit}', archive);
      assert.equal(Buffer.from(zip.data as ArrayBuffer).toString('latin1', 0, 2), 'PK');
    });
  });
}
