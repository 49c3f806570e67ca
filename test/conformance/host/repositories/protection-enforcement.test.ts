// What rules for branches refuse over REST: references, files and renames, on each engine.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, NO_REQUIREMENTS, type Crew } from '../../../host-crew.ts';
import type { HostPerson } from '../../../host-people.ts';
import { recordStatements } from '../../../query-plans.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const CONTENT = Buffer.from('text\n').toString('base64');
const THROUGH_PULL_REQUEST = 'Changes must be made through a pull request.';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
  });
  after(() => server.stop());

  /** A repository whose branch `main` has the rule, and calls about it. */
  async function protect(name: string, rule: Json = {}) {
    const { ada } = crew;
    const { path, head } = await crew.repository(name);
    const url = `${path}/branches/main/protection`;
    const set = (fields: Json) => expect(200, ada.put(url, { ...NO_REQUIREMENTS, ...fields }));
    await set(rule);
    const { tree } = await expect(200, ada.get(`${path}/git/commits/${head}`));
    let count = 0;
    return {
      path,
      head,
      url,
      set,
      /** A commit that no branch has. */
      async commit(...parents: string[]): Promise<string> {
        const body = { message: `Commit ${(count += 1)}`, tree: tree.sha as string, parents };
        return String((await expect(201, ada.post(`${path}/git/commits`, body)))['sha']);
      },
      tip: async () => String((await expect(200, ada.get(`${path}/git/ref/heads/main`)))['object'].sha),
      move: (who: HostPerson, sha: string, force = false) =>
        who.patch(`${path}/git/refs/heads/main`, { sha, force }),
      write: (who: HostPerson, file: string, fields: Json = {}) =>
        who.put(`${path}/contents/${file}`, { message: 'Write', content: CONTENT, ...fields }),
    };
  }

  const messageOf = async (answer: Promise<Json>) => (await answer)['message'] as string;

  test('a branch that requires reviews takes no commits but of those who may bypass them', async () => {
    const { path, head, url, set, commit, tip, move, write } = await protect('reviewed');
    const { ada, bob, cleo } = crew;
    await expect(201, write(bob, 'before.txt', { branch: 'main' }));
    const start = await tip();
    await set({ required_pull_request_reviews: {} });
    const next = await commit(start);
    assert.equal(await messageOf(expect(422, move(cleo, next))), THROUGH_PULL_REQUEST);
    assert.equal(
      await messageOf(expect(409, write(cleo, 'new.txt'))),
      `Could not create file: ${THROUGH_PULL_REQUEST}`,
    );
    const { sha } = await expect(200, cleo.get(`${path}/contents/README.md`));
    assert.equal(
      await messageOf(expect(409, write(cleo, 'README.md', { sha }))),
      `Could not update file: ${THROUGH_PULL_REQUEST}`,
    );
    const removal = { message: 'Remove', sha: sha as string };
    assert.equal(
      await messageOf(expect(409, cleo.delete(`${path}/contents/README.md`, removal))),
      `Could not delete file: ${THROUGH_PULL_REQUEST}`,
    );
    assert.equal(await tip(), start);
    // To where the branch is, and other branches.
    await expect(200, move(cleo, start));
    await expect(201, cleo.post(`${path}/git/refs`, { ref: 'refs/heads/other', sha: head }));
    await expect(200, cleo.patch(`${path}/git/refs/heads/other`, { sha: next }));

    await expect(200, move(ada, next));
    await expect(200, ada.post(`${url}/enforce_admins`));
    const later = await commit(next);
    await expect(422, move(ada, later));
    const bypass = { bypass_pull_request_allowances: { teams: ['pushers'] } };
    await expect(200, ada.patch(`${url}/required_pull_request_reviews`, bypass));
    await expect(422, move(cleo, later));
    await expect(200, move(bob, later));
    await expect(204, ada.delete(url));
    await expect(201, write(cleo, 'free.txt'));
  });

  test('required status checks must be successful on the new commit', async () => {
    const { ada, cleo } = crew;
    const { id: app } = await expect(200, crew.deploy('/user'));
    const { path, head, set, commit, move, write } = await protect('checked', {
      required_status_checks: { strict: true, contexts: ['ci'] },
    });
    const next = await commit(head);
    const report = (
      context: string,
      state: string,
      who: Crew['deploy'] = (at, init) => cleo.call(at, init),
    ) => expect(201, who(`${path}/statuses/${next}`, { method: 'POST', body: { context, state } }));
    const refused = async () => await messageOf(expect(422, move(cleo, next)));
    assert.equal(await refused(), 'Required status check "ci" is expected.');
    await report('other', 'success');
    assert.equal(await refused(), 'Required status check "ci" is expected.');
    await report('ci', 'pending');
    assert.equal(await refused(), 'Required status check "ci" is pending.');
    await report('ci', 'error');
    assert.equal(await refused(), 'Required status check "ci" is failing.');
    assert.equal(
      await messageOf(expect(409, write(cleo, 'a.txt'))),
      'Could not create file: Required status check "ci" is expected.',
    );
    await report('ci', 'success');
    await set({ required_status_checks: { strict: false, contexts: ['ci', 'a', 'b'] } });
    assert.equal(await refused(), '2 of 3 required status checks are expected.');
    await report('a', 'failure');
    assert.equal(await refused(), '2 of 3 required status checks are expected, pending or failing.');

    // The report of the app counts, whatever others report later.
    const checks = [{ context: 'ci', app_id: app as number }];
    await set({ required_status_checks: { strict: false, checks } });
    assert.equal(await refused(), 'Required status check "ci" is expected.');
    await report('ci', 'success', crew.deploy);
    await report('ci', 'failure');
    await expect(200, move(cleo, next));
    await expect(201, write(ada, 'by-admin.txt'));
  });

  test('force pushes and deletions are refused to administrators too, unless the rule allows them', async () => {
    const { ada } = crew;
    const { path, head, set, commit, tip, move } = await protect('kept');
    const [one, other] = [await commit(head), await commit(head)];
    await expect(201, ada.post(`${path}/git/refs`, { ref: 'refs/heads/next', sha: head }));
    await expect(200, ada.patch(path, { default_branch: 'next' }));
    await expect(200, move(ada, one));
    assert.equal(await messageOf(expect(422, move(ada, other))), 'Update is not a fast forward');
    for (const sha of [other, head])
      assert.equal(await messageOf(expect(422, move(ada, sha, true))), 'Cannot force-push to this branch');
    const remove = () => ada.delete(`${path}/git/refs/heads/main`);
    assert.equal(await messageOf(expect(422, remove())), 'Cannot delete this protected branch');
    assert.equal(await tip(), one);
    await set({ allow_force_pushes: true, allow_deletions: true });
    await expect(200, move(ada, other, true));
    await expect(204, remove());
    await expect(404, ada.get(`${path}/branches/main/protection`));
  });

  test('restrictions let those in who are named, with the members of their teams and of teams below', async () => {
    const { ada, bob, cleo } = crew;
    const { path, head, url, set, commit, move, write } = await protect('restricted', {
      restrictions: { users: ['cleo'], teams: [] },
    });
    const next = await commit(head);
    const denied = "You're not authorized to push to this branch.";
    assert.equal(await messageOf(expect(403, move(bob, next))), denied);
    assert.equal(await messageOf(expect(409, write(bob, 'a.txt'))), `Could not create file: ${denied}`);
    await expect(200, move(cleo, next));
    await expect(
      403,
      crew.deploy(`${path}/git/refs/heads/main`, { method: 'PATCH', body: { sha: await commit(next) } }),
    );
    await expect(200, ada.post(`${url}/restrictions/apps`, ['deploy']));
    const third = await commit(next);
    await expect(200, crew.deploy(`${path}/git/refs/heads/main`, { method: 'PATCH', body: { sha: third } }));

    const { id: parent } = await expect(
      201,
      ada.post('/orgs/crew/teams', { name: 'above', privacy: 'closed' }),
    );
    const below = { name: 'below', privacy: 'closed', parent_team_id: parent as number };
    await expect(201, ada.post('/orgs/crew/teams', below));
    await expect(200, ada.put('/orgs/crew/teams/below/memberships/bob'));
    await expect(204, ada.put(`/orgs/crew/teams/above${path}`, { permission: 'push' }));
    await expect(200, ada.post(`${url}/restrictions/teams`, ['above']));
    await expect(201, write(bob, 'b.txt'));
    // The team loses the repository, and bob has it by another team.
    await expect(204, ada.delete(`/orgs/crew/teams/above${path}`));
    await expect(409, write(bob, 'c.txt'));
    await set({ restrictions: { users: [], teams: [] }, enforce_admins: true });
    await expect(409, write(ada, 'd.txt'));
  });

  test('restrictions concern creations where the rule says so, and a rule outlives its branch', async () => {
    const { ada, bob, cleo } = crew;
    const { path, head } = await protect('created');
    const refs = `${path}/git/refs`;
    const create = (who: HostPerson) => who.post(refs, { ref: 'refs/heads/release', sha: head });
    const remove = async () => await expect(204, ada.delete(`${refs}/heads/release`));
    const set = (fields: Json) =>
      expect(
        200,
        ada.put(`${path}/branches/release/protection`, {
          ...NO_REQUIREMENTS,
          allow_deletions: true,
          ...fields,
        }),
      );
    await expect(201, create(bob));
    await set({ restrictions: { users: ['cleo'], teams: [] } });
    await remove();
    await expect(201, create(bob));
    await set({ restrictions: { users: ['cleo'], teams: [] }, block_creations: true });
    await remove();
    await expect(403, create(bob));
    await expect(201, bob.post(refs, { ref: 'refs/heads/topic', sha: head }));
    await expect(403, bob.post(`${path}/branches/topic/rename`, { new_name: 'release' }));
    await expect(201, cleo.post(`${path}/branches/topic/rename`, { new_name: 'release' }));
    await set({ lock_branch: true });
    for (const call of [bob.delete(`${refs}/heads/release`), cleo.delete(`${refs}/heads/release`)])
      assert.equal(await messageOf(expect(403, call)), 'Cannot change this locked branch');
    await expect(204, ada.delete(`${refs}/heads/release`));
  });

  test('linear history has no merges among the new commits, and required signatures let no new commit in', async () => {
    const { ada, cleo } = crew;
    const { head, url, set, commit, move, write } = await protect('linear', {
      required_linear_history: true,
    });
    const [one, other] = [await commit(head), await commit(head)];
    const above = await commit(await commit(one, other));
    assert.equal(
      await messageOf(expect(422, move(cleo, above))),
      'This branch must not contain merge commits.',
    );
    await expect(200, move(cleo, one));
    await expect(201, write(cleo, 'a.txt'));
    await set({ allow_force_pushes: true });
    await expect(200, ada.post(`${url}/required_signatures`));
    assert.equal(await messageOf(expect(422, move(cleo, above))), 'Update is not a fast forward');
    assert.equal(
      await messageOf(expect(422, move(cleo, above, true))),
      'Commits must have verified signatures.',
    );
    // Without new commits.
    await expect(200, move(cleo, head, true));
    await expect(200, move(ada, above));
  });

  test('of siblings that are pushed at once one wins, and none of the others passes as no force push', async () => {
    const { head, commit, tip, move } = await protect('raced');
    const siblings = await Promise.all(Array.from({ length: 8 }, () => commit(head)));
    const answers = await Promise.all(siblings.map((sha) => move(crew.cleo, sha, true)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...siblings.slice(1).map(() => 422)],
    );
    assert.equal(await tip(), siblings[answers.findIndex(({ status }) => status === 200)]);
  });

  test('without rules, a write asks for them with one statement', async () => {
    const { path } = await crew.repository('free');
    const statements = recordStatements(server.app.kernel.engine);
    await expect(201, crew.cleo.put(`${path}/contents/a.txt`, { message: 'a', content: CONTENT }));
    const asked = [...statements.keys()].filter((text) => text.includes('branch_protection'));
    assert.equal(asked.length, 1, asked.join('\n'));
  });
});
