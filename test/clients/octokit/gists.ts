// Scenarios of octokit: the whole life of a gist, with its stars, forks, revisions and comments.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const HTML = { mediaType: { format: 'html' } };

export function describeGists(suite: OctokitSuite): void {
  describe('gists', () => {
    let ada: Octokit;
    let bob: Octokit;
    before(async () => {
      ({ octokit: ada } = await suite.join('gist-ada'));
      ({ octokit: bob } = await suite.join('gist-bob'));
    });

    test('creates, reads, changes, stars, forks and deletes a gist', async () => {
      const { gists } = ada.rest;
      const { data: made } = await gists.create({
        description: 'Notes',
        public: true,
        files: { 'a.md': { content: '# a' }, 'b.js': { content: 'let b;' } },
      });
      const gist_id = made.id!;
      assert.deepEqual(Object.keys(made.files!), ['a.md', 'b.js']);
      const { data: read } = await gists.get({ gist_id });
      assert.equal(read.files!['b.js']!.content, 'let b;');
      const { data: raw } = await ada.request(`GET ${read.files!['b.js']!.raw_url!}`);
      assert.equal(raw, 'let b;');
      const { data: changed } = await gists.update({
        gist_id,
        description: 'Better notes',
        files: {
          'a.md': { filename: 'c.md', content: '# c' },
          // A null deletes a file; the type of the library does not know that.
          'b.js': null as unknown as { content: string },
        },
      });
      assert.deepEqual([changed.description, Object.keys(changed.files!)], ['Better notes', ['c.md']]);
      const again = await ada.request('POST /gists/{gist_id}', { gist_id, description: 'Better notes' });
      assert.equal((again.data as { description: string }).description, 'Better notes');
      const { data: commits } = await gists.listCommits({ gist_id });
      assert.equal(commits.length, 2);
      const { data: first } = await gists.getRevision({ gist_id, sha: commits[1]!.version });
      assert.deepEqual(Object.keys(first.files!), ['a.md', 'b.js']);
      await bob.rest.gists.star({ gist_id });
      assert.equal((await bob.rest.gists.checkIsStarred({ gist_id })).status, 204);
      assert.deepEqual(
        (await bob.rest.gists.listStarred()).data.map(({ id }) => id),
        [gist_id],
      );
      await bob.rest.gists.unstar({ gist_id });
      await assert.rejects(bob.rest.gists.checkIsStarred({ gist_id }), isStatus(404));
      const { data: fork } = await bob.rest.gists.fork({ gist_id });
      assert.notEqual(fork.id, gist_id);
      assert.deepEqual(
        (await gists.listForks({ gist_id })).data.map(({ id }) => id),
        [fork.id],
      );
      assert.ok((await ada.paginate(gists.listPublic, { per_page: 1 })).some(({ id }) => id === gist_id));
      await assert.rejects(bob.rest.gists.update({ gist_id, description: 'x' }), isStatus(404));
      await gists.delete({ gist_id });
      await assert.rejects(gists.get({ gist_id }), isStatus(404));
    });

    test('pages through the gists of a user, where others see no secret ones', async () => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        const files = { [`${index}.txt`]: { content: `${index}` } };
        ids.unshift((await bob.rest.gists.create({ files, public: index % 2 === 0 })).data.id!);
      }
      const own = await bob.paginate(bob.rest.gists.list, { per_page: 2 });
      assert.deepEqual(own.map(({ id }) => id).slice(0, 5), ids);
      const seen = await ada.paginate(ada.rest.gists.listForUser, { username: 'gist-bob', per_page: 2 });
      assert.deepEqual(
        seen.map(({ id }) => id).filter((id) => ids.includes(id)),
        ids.filter((_id, index) => index % 2 === 0),
      );
    });

    test('reads a file of a gist by the id of its content', async () => {
      const files = { 'a b.txt': { content: 'raw' } };
      const { data: gist } = await ada.rest.gists.create({ files, public: true });
      const [, gist_id, oid] = /\/gist\/(\w+)\/raw\/(\w+)\//.exec(gist.files!['a b.txt']!.raw_url!)!;
      const address = { gist_id, oid, path: 'a b.txt' };
      assert.equal((await ada.request('GET /gist/{gist_id}/raw/{oid}/{path}', address)).data, 'raw');
    });

    test('comments on a gist, in Markdown and rendered', async () => {
      const { data: gist } = await ada.rest.gists.create({ files: { a: { content: 'a' } }, public: true });
      const gist_id = gist.id!;
      const { gists } = bob.rest;
      const { data: comment } = await gists.createComment({ gist_id, body: '**Good** <b>' });
      const comment_id = comment.id;
      assert.deepEqual([comment.body, comment.author_association], ['**Good** <b>', 'NONE']);
      const { data: rendered } = await gists.getComment({ gist_id, comment_id, ...HTML });
      const { body_html } = rendered as { body_html?: string };
      assert.equal(body_html, '<p><strong>Good</strong> &lt;b&gt;</p>');
      for (let index = 0; index < 4; index += 1)
        await ada.rest.gists.createComment({ gist_id, body: `${index}` });
      const all = await bob.paginate(gists.listComments, { gist_id, per_page: 2 });
      assert.deepEqual(
        all.map(({ body }) => body),
        ['**Good** <b>', '0', '1', '2', '3'],
      );
      assert.equal((await gists.get({ gist_id })).data.comments, 5);
      const { data: changed } = await gists.updateComment({ gist_id, comment_id, body: 'Fine' });
      assert.equal(changed.body, 'Fine');
      await assert.rejects(ada.rest.gists.updateComment({ gist_id, comment_id, body: 'Bad' }), isStatus(403));
      await gists.deleteComment({ gist_id, comment_id });
      await assert.rejects(gists.getComment({ gist_id, comment_id }), isStatus(404));
    });
  });
}
