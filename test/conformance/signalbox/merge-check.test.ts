// Why a pull request cannot be merged, over the Signalbox API: every reason at once, for the one who asks.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { expectAnswer, NO_REQUIREMENTS } from '../../host-crew.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { newPull } from '../../host-pull-calls.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    eve = await joinHost(server, 'eve');
  });
  after(() => server.stop());

  const check = async (who: HostPerson, pull: string, query = ''): Promise<Json> =>
    await expectAnswer(200, who.get(`/signalbox/v1${pull}/merge-check${query}`));
  const codesOf = ({ reasons }: Json) => (reasons as Json[]).map(({ code }) => code as string);
  const checked = async (who: HostPerson, pull: string, query = ''): Promise<Json> => {
    await eventually(
      async () => !codesOf(await check(who, pull)).includes('unchecked'),
      'the check of the branches',
    );
    return await check(who, pull, query);
  };

  test('a pull request that nothing stands against can be merged by those who may write, and a merge agrees', async () => {
    await ada.repository('plain', { auto_init: true });
    const { pull, sha } = await newPull(ada, '/repos/ada/plain');
    assert.deepEqual(await checked(ada, pull), {
      isMergeable: true,
      method: 'merge',
      methods: ['merge', 'squash', 'rebase'],
      behindBy: 0,
      headSha: sha,
      reasons: [],
    });
    assert.deepEqual(codesOf(await check(eve, pull)), ['role']);
    const content = { message: 'Elsewhere', content: 'YQ==' };
    await expectAnswer(201, ada.put('/repos/ada/plain/contents/elsewhere.txt', content));
    const { behindBy, isMergeable } = await checked(ada, pull);
    assert.deepEqual([behindBy, isMergeable], [1, true]);
    await expectAnswer(200, ada.put(`${pull}/merge`));
    const merged = await check(ada, pull);
    assert.deepEqual([merged.isMergeable, codesOf(merged)], [false, ['merged']]);
  });

  test('every reason is named: a draft, the settings, reviews, checks and conversations', async () => {
    await ada.repository('ruled', { auto_init: true });
    const at = '/repos/ada/ruled';
    await expectAnswer(204, ada.put(`${at}/collaborators/bob`, { permission: 'push' }));
    await expectAnswer(200, ada.patch(at, { allow_merge_commit: false }));
    const { pull, sha } = await newPull(ada, at, { draft: true, file: 'a.txt' });
    await expectAnswer(
      200,
      ada.put(`${at}/branches/main/protection`, {
        ...NO_REQUIREMENTS,
        required_status_checks: { strict: false, contexts: ['build'] },
        enforce_admins: true,
        required_pull_request_reviews: { required_approving_review_count: 1 },
        required_conversation_resolution: true,
      }),
    );
    const said = { body: 'Why?', path: 'a.txt', line: 1, side: 'RIGHT', commit_id: sha };
    await expectAnswer(201, bob.post(`${pull}/comments`, said));
    const found = await checked(ada, pull);
    assert.deepEqual(
      [found.method, found.methods, codesOf(found)],
      ['squash', ['squash', 'rebase'], ['draft', 'reviews', 'conversations', 'checks']],
    );
    assert.match(JSON.stringify(found.reasons), /approving review is required.*\\"build\\" is expected/);
    assert.deepEqual(codesOf(await check(ada, pull, '?method=merge')), [
      'draft',
      'method',
      'reviews',
      'conversations',
      'checks',
    ]);
  });

  test('conflicts and closed ones are named, and what somebody does not see does not exist', async () => {
    await ada.repository('hidden', { auto_init: true, private: true });
    const at = '/repos/ada/hidden';
    const [one, other] = [
      await newPull(ada, at, { file: 'same.txt' }),
      await newPull(ada, at, { file: 'same.txt' }),
    ];
    await checked(ada, one.pull);
    await expectAnswer(200, ada.put(`${one.pull}/merge`));
    await eventually(async () => codesOf(await check(ada, other.pull)).includes('conflicts'), 'the conflict');
    await expectAnswer(200, ada.patch(other.pull, { state: 'closed' }));
    assert.deepEqual(codesOf(await check(ada, other.pull)), ['closed']);
    for (const pull of [other.pull, '/repos/ada/hidden/pulls/99', '/repos/ada/none/pulls/1'])
      assert.equal((await eve.get(`/signalbox/v1${pull}/merge-check`)).status, 404, pull);
    assert.equal((await ada.get(`/signalbox/v1${other.pull}/merge-check?method=octopus`)).status, 422);
    const { status } = await server.call(`/signalbox/v1${other.pull}/merge-check`, { token: null });
    assert.equal(status, 404);
  });
});
