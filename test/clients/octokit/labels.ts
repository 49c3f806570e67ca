// Scenarios of octokit: labels of repositories and issues, and milestones.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { giveIssue } from '../../host-issues.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const PLACE = { owner: 'label-ada', repo: 'labelled' };

export function describeLabels(suite: OctokitSuite): void {
  describe('labels and milestones', () => {
    let ada: Octokit;
    before(async () => {
      ({ octokit: ada } = await suite.join(PLACE.owner));
      await ada.rest.repos.createForAuthenticatedUser({ name: PLACE.repo });
    });

    const namesOf = (labels: readonly { name: string }[]) => labels.map(({ name }) => name);

    test('creates, pages, renames and deletes labels', async () => {
      const { issues } = ada.rest;
      const { data: made } = await issues.createLabel({ ...PLACE, name: 'area/api', color: '00ff00' });
      assert.deepEqual((await issues.getLabel({ ...PLACE, name: 'AREA/API' })).data, made);
      const { data: renamed } = await issues.updateLabel({
        ...PLACE,
        name: 'area/api',
        new_name: 'api',
        description: 'Of programs',
      });
      assert.deepEqual([renamed.id, renamed.name, renamed.description], [made.id, 'api', 'Of programs']);
      const all = await ada.paginate(issues.listLabelsForRepo, { ...PLACE, per_page: 4 });
      assert.equal(all.length, 10);
      await assert.rejects(issues.createLabel({ ...PLACE, name: 'API' }), isStatus(422, 'already_exists'));
      assert.equal((await issues.deleteLabel({ ...PLACE, name: 'api' })).status, 204);
      await assert.rejects(issues.getLabel({ ...PLACE, name: 'api' }), isStatus(404));
    });

    test('adds, replaces and removes the labels of an issue, and plans it for a milestone', async () => {
      const { issues } = ada.rest;
      const { data: milestone } = await issues.createMilestone({
        ...PLACE,
        title: 'First',
        due_on: '2027-01-02T03:04:05Z',
      });
      const milestone_number = milestone.number;
      const draft = { milestoneId: milestone.id };
      const { number } = await giveIssue(suite.server, `${PLACE.owner}/${PLACE.repo}`, draft);
      const issue = { ...PLACE, issue_number: number };
      await issues.addLabels({ ...issue, labels: ['bug', 'new one'] });
      assert.deepEqual(namesOf((await issues.listLabelsOnIssue(issue)).data), ['bug', 'new one']);
      const { data: planned } = await issues.listLabelsForMilestone({ ...PLACE, milestone_number });
      assert.deepEqual(namesOf(planned), ['bug', 'new one']);
      assert.deepEqual(namesOf((await issues.setLabels({ ...issue, labels: ['question'] })).data), [
        'question',
      ]);
      await assert.rejects(
        issues.removeLabel({ ...issue, name: 'bug' }),
        isStatus(404, 'Label does not exist'),
      );
      assert.deepEqual((await issues.removeLabel({ ...issue, name: 'question' })).data, []);
      assert.equal((await issues.removeAllLabels(issue)).status, 204);
      const { data: closed } = await issues.updateMilestone({ ...PLACE, milestone_number, state: 'closed' });
      assert.deepEqual([closed.state, closed.open_issues, closed.due_on], ['closed', 1, milestone.due_on]);
      assert.deepEqual((await issues.getMilestone({ ...PLACE, milestone_number })).data, closed);
      assert.deepEqual((await issues.listMilestones(PLACE)).data, []);
      const { data: all } = await issues.listMilestones({
        ...PLACE,
        state: 'all',
        sort: 'completeness',
        direction: 'desc',
      });
      assert.deepEqual(all, [closed]);
      assert.equal((await issues.deleteMilestone({ ...PLACE, milestone_number })).status, 204);
      await assert.rejects(issues.getMilestone({ ...PLACE, milestone_number }), isStatus(404));
    });
  });
}
