// Scenarios of octokit: reads and writes files, and downloads archives.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const AT = { owner: 'admin', repo: 'files' };

export function describeContents(suite: OctokitSuite): void {
  describe('contents', () => {
    let octokit: Octokit;
    let repos: Octokit['rest']['repos'];
    before(async () => {
      octokit = suite.admin;
      ({ repos } = octokit.rest);
      await repos.createForAuthenticatedUser({ name: AT.repo, private: true });
    });

    const write = (path: string, text: string, sha?: string) =>
      repos.createOrUpdateFileContents({
        ...AT,
        path,
        message: `write ${path}`,
        content: Buffer.from(text).toString('base64'),
        ...(sha !== undefined && { sha }),
      });

    test('writes, reads and deletes files', async () => {
      const created = await write('docs/a b.md', '# Title\n');
      assert.equal(created.status, 201);
      const path = 'docs/a b.md';
      const { data: file } = await repos.getContent({ ...AT, path });
      assert.ok(!Array.isArray(file) && file.type === 'file');
      assert.equal(Buffer.from(file.content, 'base64').toString(), '# Title\n');
      assert.equal(file.sha, created.data.content!.sha);
      const downloaded = await fetch(file.download_url!);
      assert.equal(await downloaded.text(), '# Title\n');

      const { data: raw } = await repos.getContent({ ...AT, path, mediaType: { format: 'raw' } });
      assert.equal(raw, '# Title\n');
      const { data: html } = await repos.getContent({ ...AT, path, mediaType: { format: 'html' } });
      assert.equal(html, '<h1>Title</h1>\n');
      const { data: list } = await repos.getContent({ ...AT, path: '' });
      assert.ok(Array.isArray(list));
      assert.deepEqual(
        list.map(({ name, type }) => [name, type]),
        [['docs', 'dir']],
      );
      const { data: folder } = await repos.getContent({
        ...AT,
        path: 'docs',
        mediaType: { format: 'object' },
      });
      assert.deepEqual((folder as { entries?: { path: string }[] }).entries?.[0]?.path, path);

      await assert.rejects(write(path, 'other', '1'.repeat(40)), isStatus(409));
      const replaced = await write(path, 'second', file.sha);
      assert.equal(replaced.status, 200);
      const { data: old } = await repos.getContent({
        ...AT,
        path,
        ref: created.data.commit.sha!,
        mediaType: { format: 'raw' },
      });
      assert.equal(old, '# Title\n');
      const sha = replaced.data.content!.sha!;
      const { data: gone } = await repos.deleteFile({ ...AT, path, message: 'remove it', sha });
      assert.equal(gone.content, null);
      await assert.rejects(repos.getContent({ ...AT, path }), isStatus(404));
    });

    test('gets the README', async () => {
      await write('README.md', 'Read me');
      const { data } = await repos.getReadme(AT);
      assert.equal(data.path, 'README.md');
      const { data: raw } = await repos.getReadme({ ...AT, mediaType: { format: 'raw' } });
      assert.equal(raw, 'Read me');
    });

    test('downloads archives by following the redirect', async () => {
      await write('file.txt', 'in the archive');
      const tarball = await repos.downloadTarballArchive({ ...AT, ref: 'main' });
      const tar = gunzipSync(Buffer.from(tarball.data as ArrayBuffer));
      assert.ok(tar.includes('in the archive'));
      assert.match(tar.toString('latin1'), /admin-files-[0-9a-f]{7}\/file\.txt/);
      const zipball = await repos.downloadZipballArchive({ ...AT, ref: '' });
      assert.equal(Buffer.from(zipball.data as ArrayBuffer).toString('latin1', 0, 2), 'PK');
    });
  });
}
