// Scenarios of octokit: code scanning from an upload to the deletion of its analysis.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { packed, runOf, sarifOf, type Finding } from '../../conformance/host/code-scanning/scanning-calls.ts';
import { eventually } from '../../eventually.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const demo = { owner: 'admin', repo: 'scanned' };

export function describeCodeScanning(suite: OctokitSuite): void {
  describe('code scanning', () => {
    let octokit: Octokit;
    before(async () => {
      octokit = suite.admin;
      await octokit.rest.repos.createForAuthenticatedUser({ name: demo.repo, auto_init: true });
    });

    async function tipOf(place: typeof demo): Promise<string> {
      return (await octokit.rest.git.getRef({ ...place, ref: 'heads/main' })).data.object.sha;
    }

    async function upload(findings: readonly Finding[], place = demo): Promise<string> {
      const sarif = packed(sarifOf([runOf(findings)]));
      const { codeScanning } = octokit.rest;
      const sent = { ...place, commit_sha: await tipOf(place), ref: 'refs/heads/main', sarif };
      const { status, data, headers } = await codeScanning.uploadSarif(sent);
      assert.equal(status, 202);
      assert.equal(headers['x-ratelimit-resource'], 'code_scanning_upload');
      const sarif_id = data.id!;
      await eventually(async () => {
        const { data: told } = await codeScanning.getSarif({ ...place, sarif_id });
        return told.processing_status === 'complete';
      }, 'the upload is processed');
      return sarif_id;
    }

    test('uploads, lists, dismisses, reads the document and deletes', async () => {
      const { codeScanning } = octokit.rest;
      const first = await upload([{ hash: 'one' }, { hash: 'two' }, { hash: 'three' }]);
      const alerts = await octokit.paginate(codeScanning.listAlertsForRepo, { ...demo, per_page: 1 });
      assert.deepEqual(
        alerts.map(({ number }) => number),
        [3, 2, 1],
      );
      const { data: alert } = await codeScanning.updateAlert({
        ...demo,
        alert_number: 1,
        state: 'dismissed',
        dismissed_reason: 'false positive',
        dismissed_comment: 'not reachable',
      });
      assert.equal(alert.dismissed_by?.login, 'admin');
      assert.equal((await codeScanning.getAlert({ ...demo, alert_number: 1 })).data.state, 'dismissed');
      const { data: instances } = await codeScanning.listAlertInstances({ ...demo, alert_number: 2 });
      assert.equal(instances[0]!.commit_sha, await tipOf(demo));
      await upload([{ hash: 'two' }]);
      const { data: fixed } = await codeScanning.listAlertsForRepo({ ...demo, state: 'fixed' });
      assert.deepEqual(
        fixed.map(({ number }) => number),
        [3],
      );
      const { data: analyses } = await codeScanning.listRecentAnalyses({ ...demo, sarif_id: first });
      const analysis_id = analyses[0]!.id;
      for (const [version, type] of [
        ['2022-11-28', 'application/json+sarif; charset=utf-8'],
        ['2026-03-10', 'application/sarif+json; charset=utf-8'],
      ] as const) {
        const { data, headers } = await codeScanning.getAnalysis({
          ...demo,
          analysis_id,
          headers: { accept: 'application/sarif+json', 'x-github-api-version': version },
        });
        assert.equal(headers['content-type'], type);
        const document = JSON.parse(data as unknown as string) as { runs: { results: unknown[] }[] };
        assert.equal(document.runs[0]!.results.length, 3);
      }
      await assert.rejects(codeScanning.deleteAnalysis({ ...demo, analysis_id }), isStatus(400));
      // As its documentation says: the newest first, and then what the reply names.
      const { data: all } = await codeScanning.listRecentAnalyses(demo);
      let next: string | null = all.find(({ deletable }) => deletable)!.url;
      for (let count = 0; next !== null; count += 1) {
        assert.ok(count < 3);
        const { data }: { data: { confirm_delete_url: string | null } } = await octokit.request(
          `DELETE ${next}`,
        );
        next = data.confirm_delete_url;
      }
      assert.deepEqual((await codeScanning.listRecentAnalyses(demo)).data, []);
    });

    test('pages through the alerts of an organization', async () => {
      const { codeScanning, repos } = octokit.rest;
      const org = 'scanned-org';
      await octokit.request('POST /admin/organizations', { login: org, admin: 'admin' });
      await repos.createInOrg({ org, name: 'one', auto_init: true });
      await upload([{ hash: 'one' }, { hash: 'two' }, { hash: 'three' }], { owner: org, repo: 'one' });
      const alerts = await octokit.paginate(codeScanning.listAlertsForOrg, { org, per_page: 2 });
      assert.deepEqual(
        alerts.map(({ repository, number }) => `${repository.full_name} ${number}`),
        [3, 2, 1].map((number) => `${org}/one ${number}`),
      );
    });

    test('turns the default setup on, for the languages that were found', async () => {
      const { codeScanning, repos } = octokit.rest;
      const content = Buffer.from('let a;').toString('base64');
      await repos.createOrUpdateFileContents({ ...demo, path: 'a.js', message: 'add', content });
      const read = async () => (await codeScanning.getDefaultSetup(demo)).data;
      // Row 13 of the new version: one name for both languages.
      const names =
        suite.version === '2022-11-28'
          ? ['javascript', 'javascript-typescript', 'typescript']
          : ['javascript-typescript'];
      await eventually(async () => (await read()).languages?.join() === names.join(), 'the languages');
      const { data } = await codeScanning.updateDefaultSetup({ ...demo, state: 'configured' });
      assert.ok(data.run_id);
      await eventually(async () => (await read()).state === 'configured', 'the setup');
      assert.deepEqual((await read()).languages, names);
    });
  });
}
