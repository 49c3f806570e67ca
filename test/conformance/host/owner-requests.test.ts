// Owners of changed files are asked to review a pull request when it is opened, and for a draft when it is made ready.
import assert from 'node:assert/strict';
import { changeDraft } from '../../../src/host/pulls/change-pull.ts';
import { findOwner } from '../../../src/host/owners/store.ts';
import { findRepositoryByNumber } from '../../../src/host/repositories/store.ts';
import { systemActor } from '../../../src/kernel/identity/actor.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../../host-crew.ts';
import { newPull } from '../../host-pull-calls.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const CODEOWNERS = `*.md @crew/pushers
*.ts @ada @cleo @eve @nobody
*.css @crew/hidden
`;

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  let at: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    const { ada } = crew;
    at = (await crew.repository('owned')).path;
    await expect(201, ada.post('/orgs/crew/teams', { name: 'hidden', privacy: 'secret' }));
    await expect(204, ada.put(`/orgs/crew/teams/hidden${at}`, { permission: 'push' }));
    const content = Buffer.from(CODEOWNERS).toString('base64');
    await expect(201, ada.put(`${at}/contents/.github/CODEOWNERS`, { message: 'Own', content }));
  });
  after(() => server.stop());

  async function requestedFor(pull: string): Promise<string[]> {
    const { users, teams } = await expect(200, crew.ada.get(`${pull}/requested_reviewers`));
    return [...(users as Json[]).map(({ login }) => login), ...(teams as Json[]).map(({ slug }) => slug)];
  }

  const isDue = async () =>
    await server.app.kernel.db
      .selectFrom('due')
      .select('id')
      .where('kind', '=', 'host.request-owners')
      .executeTakeFirst();

  test('those who may write are asked, without the author, in whose name it is', async () => {
    const { pull, number } = await newPull(crew.ada, at, { file: 'one.ts' });
    await eventually(async () => (await requestedFor(pull)).length > 0, 'the request');
    assert.deepEqual(await requestedFor(pull), ['cleo']);
    const events = await expect(200, crew.ada.get(`${at}/issues/${number}/events`));
    const [asked] = (events as unknown as Json[]).filter(({ event }) => event === 'review_requested');
    assert.deepEqual([asked!['actor'].login, asked!['requested_reviewer'].login], ['ada', 'cleo']);
  });

  test('teams are asked, and secret ones are not', async () => {
    const visible = await newPull(crew.cleo, at, { file: 'one.md' });
    await eventually(async () => (await requestedFor(visible.pull)).length > 0, 'the request');
    assert.deepEqual(await requestedFor(visible.pull), ['pushers']);
    const hidden = await newPull(crew.cleo, at, { file: 'one.css' });
    await eventually(async () => (await isDue()) === undefined, 'the end of the work');
    assert.deepEqual(await requestedFor(hidden.pull), []);
  });

  test('nobody is asked to review a draft before it is ready', async () => {
    const { pull } = await newPull(crew.ada, at, { file: 'two.ts', draft: true });
    assert.equal(await isDue(), undefined);
    assert.deepEqual(await requestedFor(pull), []);
    const { id, base } = await expect(200, crew.ada.get(pull));
    const { kernel } = server.app;
    const repository = (await findRepositoryByNumber(kernel.db, base.repo.id))!;
    const owner = (await findOwner(kernel.db, 'crew'))!;
    await kernel.changes.run(systemActor({ now: kernel.clock.now() }), (tx) =>
      changeDraft(tx, { repository, owner }, id as number, false),
    );
    await eventually(async () => (await requestedFor(pull)).length > 0, 'the request');
    assert.deepEqual(await requestedFor(pull), ['cleo']);
  });
});
