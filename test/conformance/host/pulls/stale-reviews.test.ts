// Approvals of pull requests after pushes to their branch, where the rule of the base dismisses stale ones, on a running server.
import assert from 'node:assert/strict';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../host-crew.ts';
import { newPull, type CalledPull } from '../../../host-pull-calls.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { openReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';

let server: TestServer;
let crew: Crew;
let at: string;
let called: CalledPull;
before(async () => {
  server = await startServer({ limits: 'off', allowPrivateWebhooks: true });
  crew = await gatherCrew(server);
  at = (await crew.repository('stale')).path;
  called = await newPull(crew.cleo, at);
});
after(() => server.stop());

const listOf = (answer: Json): Json[] => answer as unknown as Json[];

async function protect(reviews: Json): Promise<void> {
  const rule = { ...NO_REQUIREMENTS, required_pull_request_reviews: reviews };
  await expect(200, crew.ada.put(`${at}/branches/main/protection`, rule));
}

const headOf = async (pull: string): Promise<string> =>
  (await expect(200, crew.bob.get(pull)))['head'].sha as string;
const reaches = (pull: string, sha: string) =>
  eventually(async () => (await headOf(pull)) === sha, 'the push is followed');
const statesOf = async (pull: string) =>
  listOf(await expect(200, crew.bob.get(`${pull}/reviews`))).map(({ state }) => state as string);

/** Brings `main`, with a new file, into the branch of the pull request. Returns the merge. */
async function mergeBase({ branch }: CalledPull, file: string): Promise<string> {
  const { ada, cleo } = crew;
  const content = Buffer.from('base').toString('base64');
  const { commit } = await expect(201, ada.put(`${at}/contents/${file}`, { message: 'Base', content }));
  const { object } = await expect(200, cleo.get(`${at}/git/ref/heads/${branch}`));
  const { tree: own } = await expect(200, cleo.get(`${at}/git/trees/${object.sha}`));
  const sent = { base_tree: commit.tree.sha, tree: own as Json[] };
  const tree = await expect(201, cleo.post(`${at}/git/trees`, sent));
  const parents = [object.sha, commit.sha];
  const merge = await expect(
    201,
    cleo.post(`${at}/git/commits`, { message: 'Merge main', tree: tree['sha'], parents }),
  );
  await expect(200, cleo.patch(`${at}/git/refs/heads/${branch}`, { sha: merge['sha'] }));
  return merge['sha'] as string;
}

test('approvals stay where no rule dismisses them', async () => {
  await protect({ dismiss_stale_reviews: false });
  const { pull, push } = called;
  await expect(200, crew.bob.post(`${pull}/reviews`, { event: 'APPROVE' }));
  await reaches(pull, await push('later.txt'));
  assert.deepEqual(await statesOf(pull), ['APPROVED']);
});

test('a push that brings the base alone dismisses nothing', async () => {
  await protect({ dismiss_stale_reviews: true });
  await reaches(called.pull, await mergeBase(called, 'base.txt'));
  assert.deepEqual(await statesOf(called.pull), ['APPROVED']);
});

test('a push that changes the difference dismisses approvals, and nothing else', async () => {
  const { ada, bob, eve } = crew;
  const { pull, number, push } = called;
  const receiver = await openReceiver();
  try {
    const config = { url: `${receiver.url}/hook`, content_type: 'json' };
    await expect(201, ada.post(`${at}/hooks`, { config, events: ['pull_request_review'] }));
    const [approval] = listOf(await expect(200, bob.get(`${pull}/reviews`)));
    const asked = { event: 'REQUEST_CHANGES', body: 'Not so' };
    await expect(200, eve.post(`${pull}/reviews`, asked));
    await expect(200, ada.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Well' }));
    const next = await push('more.txt');
    await reaches(pull, next);
    assert.deepEqual(await statesOf(pull), ['DISMISSED', 'CHANGES_REQUESTED', 'COMMENTED']);
    const timeline = listOf(await expect(200, bob.get(`${at}/issues/${number}/timeline`)));
    const dismissals = timeline.filter(({ event }) => event === 'review_dismissed');
    assert.deepEqual(
      dismissals.map(({ actor, dismissed_review: review }) => [actor.login, review]),
      [
        [
          'cleo',
          {
            state: 'approved',
            review_id: approval!['id'],
            dismissal_message: null,
            dismissal_commit_id: next,
          },
        ],
      ],
    );
    const isDismissed = ({ json }: { json: Json }) => json['action'] === 'dismissed';
    await eventually(() => receiver.at('/hook').some(isDismissed), 'the webhook');
    const dismissed = receiver.at('/hook').filter(isDismissed);
    assert.equal(dismissed.length, 1);
    checkWebhookPayload('pull_request_review', dismissed[0]!.json);
    assert.deepEqual(
      [dismissed[0]!.json['review'].commit_id, dismissed[0]!.json['sender'].login],
      [approval!['commit_id'], 'cleo'],
    );
  } finally {
    await receiver.close();
  }
});

test('an approval of what was before the last push is stale when it comes, however it comes', async () => {
  const { bob, eve } = crew;
  const late = await newPull(crew.cleo, at);
  const { pull, push } = late;
  const seen = await headOf(pull);
  const pending = await expect(200, eve.post(`${pull}/reviews`, { commit_id: seen }));
  await reaches(pull, await push('since.txt'));
  const approved = { event: 'APPROVE', commit_id: seen };
  assert.equal((await expect(200, bob.post(`${pull}/reviews`, approved)))['state'], 'DISMISSED');
  const submitted = await expect(
    200,
    eve.post(`${pull}/reviews/${pending['id']}/events`, { event: 'APPROVE' }),
  );
  assert.equal(submitted['state'], 'DISMISSED');
  // The same difference, with the newest commit of the base beneath it.
  const now = await headOf(pull);
  await reaches(pull, await mergeBase(late, 'base-again.txt'));
  const same = await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE', commit_id: now }));
  assert.equal(same['state'], 'APPROVED');
  assert.equal((await expect(200, eve.post(`${pull}/reviews`, { event: 'APPROVE' })))['state'], 'APPROVED');
  await protect({ dismiss_stale_reviews: false });
  await reaches(pull, await push('unruled.txt'));
  const unruled = await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE', commit_id: now }));
  assert.equal(unruled['state'], 'APPROVED');
});
