// Scenarios of octokit: labels and milestones.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

export function describeIssueWords(suite: OctokitSuite): void {
  describe('labels and milestones', () => {
    const demo = { owner: 'word-ada', repo: 'words' };
    let issues: OctokitMember['octokit']['rest']['issues'];
    let octokit: OctokitMember['octokit'];
    before(async () => {
      ({ octokit } = await suite.join(demo.owner));
      ({ issues } = octokit.rest);
      await octokit.rest.repos.createForAuthenticatedUser({ name: demo.repo });
    });

    const namesOf = (labels: readonly { name: string }[]) => labels.map(({ name }) => name);

    test('creates, renames, lists and deletes labels', async () => {
      const { data: made } = await issues.createLabel({ ...demo, name: 'space ship', color: 'f29513' });
      assert.equal(made.color, 'f29513');
      await assert.rejects(
        issues.createLabel({ ...demo, name: 'Space Ship', color: 'f29513' }),
        isStatus(422, 'already_exists'),
      );
      const { data: read } = await issues.getLabel({ ...demo, name: 'space ship' });
      assert.equal(read.id, made.id);
      const { data: renamed } = await issues.updateLabel({
        ...demo,
        name: 'space ship',
        new_name: 'rocket',
        description: 'Goes up',
      });
      assert.deepEqual([renamed.id, renamed.name, renamed.description], [made.id, 'rocket', 'Goes up']);
      const all = await octokit.paginate(issues.listLabelsForRepo, { ...demo, per_page: 2 });
      assert.ok(namesOf(all).includes('rocket'));
      assert.equal((await issues.deleteLabel({ ...demo, name: 'rocket' })).status, 204);
      await assert.rejects(issues.getLabel({ ...demo, name: 'rocket' }), isStatus(404));
    });

    test('labels an issue', async () => {
      const { data: issue } = await issues.create({ ...demo, title: 'Labelled', labels: ['bug'] });
      const one = { ...demo, issue_number: issue.number };
      assert.deepEqual(namesOf((await issues.addLabels({ ...one, labels: ['new word'] })).data).toSorted(), [
        'bug',
        'new word',
      ]);
      assert.deepEqual(namesOf((await issues.removeLabel({ ...one, name: 'bug' })).data), ['new word']);
      await assert.rejects(issues.removeLabel({ ...one, name: 'bug' }), isStatus(404));
      assert.deepEqual(namesOf((await issues.setLabels({ ...one, labels: ['question'] })).data), [
        'question',
      ]);
      assert.deepEqual(namesOf((await issues.listLabelsOnIssue(one)).data), ['question']);
      const { data: found } = await issues.listForRepo({ ...demo, labels: 'question' });
      assert.deepEqual(
        found.map(({ number }) => number),
        [issue.number],
      );
      assert.equal((await issues.removeAllLabels(one)).status, 204);
      assert.deepEqual((await issues.listLabelsOnIssue(one)).data, []);
    });

    test('plans with milestones', async () => {
      const { data: made } = await issues.createMilestone({
        ...demo,
        title: 'First light',
        due_on: '2030-01-31T08:00:00Z',
      });
      const one = { ...demo, milestone_number: made.number };
      await issues.create({ ...demo, title: 'Planned', labels: ['bug'], milestone: made.number });
      const { data: read } = await issues.getMilestone(one);
      assert.deepEqual([read.title, read.open_issues, read.creator?.login], ['First light', 1, demo.owner]);
      assert.deepEqual(namesOf((await issues.listLabelsForMilestone(one)).data), ['bug']);
      const { data: closed } = await issues.updateMilestone({ ...one, state: 'closed', description: 'Done' });
      assert.deepEqual([closed.state, closed.description], ['closed', 'Done']);
      const { data: list } = await issues.listMilestones({ ...demo, state: 'all', sort: 'completeness' });
      assert.deepEqual(
        list.map(({ number }) => number),
        [made.number],
      );
      assert.equal((await issues.deleteMilestone(one)).status, 204);
      await assert.rejects(issues.getMilestone(one), isStatus(404));
    });
  });
}
