// Scenarios of octokit: an import of issues into a repository.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const ROUTE = '/admin/repos/{owner}/{repo}/import';
const AT = '2020-03-01T10:00:00Z';

export function describeImports(suite: OctokitSuite): void {
  describe('imports', () => {
    test('are begun, filled and ended by an administrator', async () => {
      const { admin } = suite;
      await admin.rest.repos.createForAuthenticatedUser({ name: 'old-shop', auto_init: true });
      const place = { owner: 'admin', repo: 'old-shop' };
      await admin.request(`PUT ${ROUTE}`, { ...place, source: 'https://code.example.org/a/shop' });
      const issue = {
        source_id: 9001,
        number: 7,
        title: 'Old',
        body: null,
        author: 'stranger',
        state: 'open',
        state_reason: null,
        locked: false,
        lock_reason: null,
        labels: [],
        assignees: [],
        milestone: null,
        created_at: AT,
        updated_at: AT,
        closed_at: null,
        closed_by: null,
      };
      const { data } = await admin.request(`POST ${ROUTE}`, { ...place, issues: [issue] });
      assert.equal(data.created, 1);
      await admin.request(`DELETE ${ROUTE}`, place);
      const { data: shown } = await admin.rest.issues.get({ ...place, issue_number: 7 });
      assert.deepEqual([shown.user!.login, shown.created_at], ['stranger', AT]);
      const { octokit } = await suite.join('importer');
      await assert.rejects(octokit.request(`DELETE ${ROUTE}`, place), isStatus(403));
    });
  });
}
