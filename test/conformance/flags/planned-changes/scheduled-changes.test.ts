// Scheduled changes on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { scheduledChangeHandlers } from '../../../../src/flags/scheduled-changes/execute.ts';
import {
  insertScheduledChange,
  SCHEDULED_CHANGE_WORK,
} from '../../../../src/flags/scheduled-changes/store.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';
import {
  allow,
  assertError,
  expect,
  giveMember,
  MINUTE,
  OFF,
  ON,
  openFlagProject,
  SEMANTIC,
  type FlagProject,
} from '../control-calls.ts';

onEachEngine((engine) => {
  let nodes: Nodes;
  let server: TestServer;
  let setup: FlagProject;
  before(async () => {
    nodes = await startNodes(engine);
    server = nodes.server;
  });
  after(() => nodes.stop());
  beforeEach(async () => {
    setup = await openFlagProject(server);
  });

  const path = () => `${setup.place}/scheduled-changes`;
  const soon = () => server.clock.now() + MINUTE;
  const post = (body: object = {}, { query = '', ...init }: CallInit & { query?: string } = {}) =>
    setup.call(path() + query, {
      method: 'POST',
      body: { executionDate: soon(), instructions: [ON], ...body },
      ...init,
    });
  const read = (id: string, init?: CallInit) => setup.call(`${path()}/${id}`, init);

  async function make(body: object = {}, init: CallInit & { query?: string } = {}): Promise<Json> {
    return (await expect(201, post(body, init))).json;
  }

  /** Moves the clocks of all nodes past the execution date. */
  async function pass({ executionDate }: Json, isSo: () => Promise<boolean>): Promise<void> {
    const at = (executionDate as number) + 1;
    server.clock.goTo(at);
    nodes.other?.clock.goTo(at);
    await setup.settle(isSo);
  }

  describe('as they are shown', () => {
    test('F5 one is made, listed and read, with links that are good', async () => {
      const executionDate = soon();
      const answer = await expect(201, post({ executionDate, comment: 'launch' }));
      const { _id, _creationDate, _maintainerId, _links, ...rest } = answer.json;
      assert.match(_id as string, /^[0-9a-f]{24}$/);
      assert.ok(Math.abs(_creationDate - server.clock.now()) < MINUTE);
      const me = (await setup.call('members/me')).json;
      assert.equal(_maintainerId, me['_id']);
      assert.deepEqual(rest, {
        _version: 1,
        executionDate,
        instructions: [ON],
        comment: 'launch',
        status: 'pending',
        conflicts: [],
      });
      assert.equal(_links.self.href, `/api/v2/${path()}/${_id}`);
      assert.equal(answer.headers.get('location'), _links.self.href);
      assert.deepEqual((await expect(200, read(_id))).json, answer.json);
      const second = await make({ executionDate: executionDate - 1000 });
      const list = (await expect(200, setup.call(path()))).json;
      assert.deepEqual(list['items'], [second, answer.json]);
      assert.equal(list['totalCount'], 2);
      assert.equal((await expect(200, setup.call(`${path()}?limit=1`))).json['items'].length, 1);
    });

    test('F10 the list tells of conflicts that were recorded; one alone, of what stands in its way now', async () => {
      const ruleId = await setup.addRule();
      const instruction = { kind: 'updateRuleDescription', ruleId, description: 'x' };
      const change = await make({ instructions: [instruction] });
      await expect(
        200,
        setup.patchFlag([{ kind: 'removeRule', ruleId }], { query: '?ignoreConflicts=true' }),
      );
      const listed = async () => (await expect(200, setup.call(path()))).json['items'][0].conflicts;
      assert.deepEqual((await read(change['_id'])).json['conflicts'][0].instruction, instruction);
      assert.deepEqual(await listed(), []);
      await pass(change, async () => (await read(change['_id'])).json['status'] === 'failed');
      assert.deepEqual((await listed())[0].instruction, instruction);
    });

    test('F36 making, changing and giving up are recorded, with the comments', async () => {
      const { _id } = await make({ comment: 'launch' });
      const body = {
        comment: 'later',
        instructions: [{ kind: 'updateScheduledChangesExecutionDate', value: soon() + MINUTE }],
      };
      await expect(200, read(_id, { method: 'PATCH', headers: SEMANTIC, body }));
      await expect(204, read(_id, { method: 'DELETE' }));
      const events = (await setup.events()).slice(-3);
      assert.deepEqual(
        events.map(({ action, comment }) => [action, comment]),
        [
          ['updateScheduledChanges', 'launch'],
          ['updateScheduledChanges', 'later'],
          ['updateScheduledChanges', null],
        ],
      );
      assert.deepEqual(
        events.map((event) => [event.before !== null, event.after !== null]),
        [
          [false, true],
          [true, true],
          [true, false],
        ],
      );
    });
  });

  describe('when the time comes', () => {
    test('the change is made in the name of who scheduled it, once, and no longer listed', async () => {
      const { member, token } = await giveMember(server);
      const change = await make({ comment: 'launch' }, { token });
      const { _version } = await setup.readFlag();
      assert.equal(await setup.isOn(), false);
      await pass(change, () => setup.isOn());
      assert.equal((await setup.readFlag())['_version'], _version + 1);
      assert.equal((await read(change['_id'])).status, 404);
      assert.deepEqual(await setup.dueOf(change['_id']), []);
      const made = (await setup.events()).filter(({ action }) => action === 'updateOn');
      assert.deepEqual(
        made.map((event) => [event.member_id, event.comment]),
        [[member.id, 'launch']],
      );
    });

    test('it is not made before', async () => {
      const change = await make({ executionDate: soon() + MINUTE });
      const sentinel = await make({ instructions: [OFF] });
      await pass(sentinel, async () => (await read(sentinel['_id'])).status === 404);
      assert.equal(await setup.isOn(), false);
      assert.equal((await read(change['_id'])).json['status'], 'pending');
    });

    test('a permission that is gone by then is missed: it fails once, and says why', async () => {
      const { member, token } = await giveMember(server);
      const change = await make({}, { token });
      await server.app.kernel.db
        .updateTable('members')
        .set({ role: 'reader' })
        .where('id', '=', member.id)
        .execute();
      await pass(change, async () => (await read(change['_id'])).json['status'] === 'failed');
      assert.equal(await setup.isOn(), false);
      const { conflicts, _version } = (await read(change['_id'])).json;
      assert.match(conflicts[0].reason, /updateScheduledChanges/);
      assert.equal(_version, 2);
      assert.deepEqual(await setup.dueOf(change['_id']), []);
      const last = (await setup.events()).at(-1)!;
      assert.deepEqual([last.action, last.member_id], ['updateScheduledChanges', member.id]);
      assert.match(last.detail!, /failed to make a scheduled change/);
      // A new date makes it pending again.
      const value = soon();
      const again = await expect(
        200,
        setup.instruct(`${path()}/${change['_id']}`, [
          { kind: 'updateScheduledChangesExecutionDate', value },
        ]),
      );
      assert.deepEqual([again.json['status'], again.json['conflicts']], ['pending', []]);
      assert.equal((await setup.dueOf(change['_id'])).length, 1);
    });

    test('it is made with no more than the token that scheduled it had, even where that is gone', async () => {
      const tagged = ['proj/*:env/*:flag/*;beta'];
      const inlinePolicy = allow(['updateScheduledChanges', 'updateOn'], tagged);
      const { member, token } = await giveMember(server, { inlinePolicy });
      await expect(200, setup.patchFlag([{ kind: 'addTags', values: ['beta'] }]));
      const first = await make({}, { token });
      const second = await make({ executionDate: soon() + MINUTE, instructions: [OFF] }, { token });
      await server.app.kernel.db.deleteFrom('tokens').where('member_id', '=', member.id).execute();
      await pass(first, () => setup.isOn());
      await expect(200, setup.patchFlag([{ kind: 'removeTags', values: ['beta'] }]));
      await pass(second, async () => (await read(second['_id'])).json['status'] === 'failed');
      assert.equal(await setup.isOn(), true);
    });

    test('with a service token that is gone it fails', async () => {
      const { member } = await giveMember(server, {}, 'admin');
      const { id, value } = await giveToken(server, member, { isService: true, role: 'writer' });
      const change = await make({}, { token: value });
      await expect(204, setup.call(`tokens/${id}`, { method: 'DELETE' }));
      await pass(change, async () => (await read(change['_id'])).json['status'] === 'failed');
      assert.match((await read(change['_id'])).json['conflicts'][0].reason, /no longer here/);
    });

    test('what cannot be applied any more fails, and names the instruction', async () => {
      const ruleId = await setup.addRule();
      const instruction = { kind: 'updateRuleDescription', ruleId, description: 'new' };
      const change = await make({ instructions: [ON, instruction] });
      await expect(
        200,
        setup.patchFlag([{ kind: 'removeRule', ruleId }], { query: '?ignoreConflicts=true' }),
      );
      const seen = (await read(change['_id'])).json;
      assert.deepEqual([seen['status'], seen['conflicts'][0].instruction], ['pending', instruction]);
      await pass(change, async () => (await read(change['_id'])).json['status'] === 'failed');
      assert.equal(await setup.isOn(), false);
      assert.deepEqual((await read(change['_id'])).json['conflicts'][0].instruction, instruction);
    });

    test('one for which nothing is left to do is gone, and recorded', async () => {
      const change = await make();
      await expect(200, setup.patchFlag([ON]));
      await pass(change, async () => (await read(change['_id'])).status === 404);
      assert.match((await setup.events()).at(-1)!.detail!, /nothing was left to do/);
    });

    test('the work of a flag that was deleted ends', async () => {
      const change = await make();
      await expect(204, setup.call(`flags/${setup.project}/banner`, { method: 'DELETE' }));
      await pass(change, async () => (await setup.dueOf(change['_id'])).length === 0);
    });

    test('whoever has lost the work changes nothing', async () => {
      const change = await make();
      const [due] = await setup.dueOf(change['_id']);
      const stale = { ...due!, owner: 'a node that was too slow#1' };
      const handle = scheduledChangeHandlers(server.app.kernel)[SCHEDULED_CHANGE_WORK]!;
      await assert.rejects(handle(stale, new AbortController().signal), /no longer ours/);
      assert.equal(await setup.isOn(), false);
      assert.equal((await read(change['_id'])).json['status'], 'pending');
    });

    test('what meets a conflict is tried three times, and then fails', async () => {
      const change = await make({ instructions: [{ kind: 'archiveFlag' }] });
      const { variations } = await setup.readFlag();
      const needing = { key: 'banner', variationId: variations[0]._id as string };
      await expect(
        201,
        setup.call(`flags/${setup.project}`, { method: 'POST', body: { key: 'needing', name: 'Needing' } }),
      );
      await expect(
        200,
        setup.call(`flags/${setup.project}/needing`, {
          method: 'PATCH',
          headers: SEMANTIC,
          body: { environmentKey: 'test', instructions: [{ kind: 'addPrerequisite', ...needing }] },
        }),
      );
      const [due] = await setup.dueOf(change['_id']);
      const owner = 'the node that makes it#1';
      await server.app.kernel.db.updateTable('due').set({ owner }).where('id', '=', due!.id).execute();
      const handle = scheduledChangeHandlers(server.app.kernel)[SCHEDULED_CHANGE_WORK]!;
      const attempt = (attempts: number) =>
        handle({ ...due!, owner, attempts }, new AbortController().signal);
      for (const attempts of [1, 2]) {
        await assert.rejects(attempt(attempts), { kind: 'conflict' });
        assert.equal((await read(change['_id'])).json['status'], 'pending');
      }
      await attempt(3);
      const { status, conflicts } = (await read(change['_id'])).json;
      assert.equal(status, 'failed');
      assert.match(conflicts[0].reason, /prerequisite of the flag "needing"/);
      assert.deepEqual(await setup.dueOf(change['_id']), []);
    });

    test('approval that is required by then is required of it, unless the environment lets pending changes pass', async () => {
      const [first, second] = [await make(), await make({ executionDate: soon() + MINUTE })];
      await setup.setApprovals({ required: true });
      await pass(first, async () => (await read(first['_id'])).json['status'] === 'failed');
      assert.match((await read(first['_id'])).json['conflicts'][0].reason, /approval is required/);
      await setup.setApprovals({ bypassApprovalsForPendingChanges: true });
      await pass(second, () => setup.isOn());
    });

    test('an environment that lets pending changes pass speaks for no other', async () => {
      const change = await make({ instructions: [{ kind: 'deleteFlag' }] });
      await setup.setApprovals({ bypassApprovalsForPendingChanges: true });
      const settings = [{ op: 'replace', path: '/approvalSettings/required', value: true }];
      const production = `projects/${setup.project}/environments/production`;
      await expect(200, setup.call(production, { method: 'PATCH', body: settings }));
      await pass(change, async () => (await read(change['_id'])).json['status'] === 'failed');
      assert.match((await read(change['_id'])).json['conflicts'][0].reason, /required in Production/);
      await setup.readFlag();
    });
  });

  describe('patched', () => {
    const patch = (id: string, instructions: object[], init?: CallInit & { query?: string }) =>
      setup.instruct(`${path()}/${id}`, instructions, init);

    test('the date is moved, the instructions replaced, the change given up', async () => {
      const { _id } = await make();
      const value = soon() + 5 * MINUTE;
      const instructions = [
        { kind: 'updateScheduledChangesExecutionDate', value },
        { kind: 'replaceScheduledChangesInstructions', value: [OFF] },
      ];
      const { json } = await expect(200, patch(_id, instructions));
      assert.deepEqual([json['executionDate'], json['instructions'], json['_version']], [value, [OFF], 2]);
      assert.equal((await setup.dueOf(_id))[0]!.due_at, value);
      assert.equal((await expect(200, patch(_id, instructions))).json['_version'], 2);
      await expect(200, patch(_id, [{ kind: 'deleteScheduledChange' }]));
      assert.equal((await read(_id)).status, 404);
    });

    test('F19 one bad instruction changes nothing', async () => {
      const made = await make();
      const date = { kind: 'updateScheduledChangesExecutionDate', value: soon() + MINUTE };
      const replace = { kind: 'replaceScheduledChangesInstructions' };
      const bad: [status: number, object, RegExp][] = [
        [422, { kind: 'turnFlagOn' }, /instructions\[1\] \(turnFlagOn\)/],
        [422, { kind: 'updateScheduledChangesExecutionDate', value: 'soon' }, /instructions\[1\]/],
        [400, { kind: 'updateScheduledChangesExecutionDate', value: 1000 }, /future/],
        [422, { kind: 'updateScheduledChangesExecutionDate' }, /value/],
        [400, { ...replace, value: [] }, /instructions\[1\]/],
        [422, { ...replace, value: [{ kind: 'flip' }] }, /flip/],
        [422, { ...replace, value: [{ kind: 'updateOffVariation' }] }, /variationId/],
        [400, { ...replace, value: [{ kind: 'updateOffVariation', variationId: 'none' }] }, /none/],
        [422, { kind: 'deleteScheduledChange', now: true }, /now/],
      ];
      for (const [status, instruction, message] of bad) {
        const answer = await expect(status, patch(made['_id'], [date, instruction]));
        assertError(answer, status === 400 ? 'invalid_request' : 'patch_failed');
        assert.match(answer.json['message'], message);
      }
      const elsewhere = { environmentKey: 'production', instructions: [date] };
      const at = `${path()}/${made['_id']}`;
      await expect(400, setup.call(at, { method: 'PATCH', headers: SEMANTIC, body: elsewhere }));
      assert.deepEqual((await read(made['_id'])).json, made);
    });

    test('whoever replaces the instructions answers for them', async () => {
      const { token, member } = await giveMember(server);
      const change = await make();
      const replace = [{ kind: 'replaceScheduledChangesInstructions', value: [OFF] }];
      const { json } = await expect(200, patch(change['_id'], replace, { token }));
      assert.equal(json['_maintainerId'], member.id);
    });

    test('F17 other patch kinds are refused', async () => {
      const { _id } = await make();
      const at = `${path()}/${_id}`;
      await expect(422, setup.call(at, { method: 'PATCH', body: [{ op: 'remove', path: '/comment' }] }));
      await expect(422, setup.instruct(at, []));
      await expect(200, read(_id));
    });
  });

  describe('conflicts', () => {
    test('a change that would spoil a pending one is refused, unless it is to be ignored', async () => {
      const ruleId = await setup.addRule();
      const { _id } = await make({
        instructions: [{ kind: 'updateRuleDescription', ruleId, description: 'x' }],
      });
      const remove = [{ kind: 'removeRule', ruleId }];
      const flag = await setup.readFlag();
      const refused = await expect(400, setup.patchFlag(remove));
      assert.match(refused.json['message'], new RegExp(_id as string));
      assert.deepEqual(await setup.readFlag(), flag);
      // Another pending change is refused, too, and not created.
      await expect(400, post({ instructions: remove }));
      await expect(201, post({ instructions: remove }, { query: '?ignoreConflicts=true' }));
      await expect(200, setup.patchFlag(remove, { query: '?ignoreConflicts=true' }));
      // Changes that already conflict do not block others.
      await expect(200, setup.patchFlag([ON]));
    });

    test('so is one that takes away in all environments what a pending one needs', async () => {
      await expect(200, setup.patchFlag([{ kind: 'addVariation', value: 'maybe' }]));
      const { variations } = await setup.readFlag();
      const variationId = variations[2]._id as string;
      await make({ instructions: [{ kind: 'updateOffVariation', variationId }] });
      const remove = [{ kind: 'removeVariation', variationId }];
      await expect(400, setup.patchFlag(remove));
      await expect(200, setup.patchFlag(remove, { query: '?ignoreConflicts=true' }));
    });

    test('a pending change does not conflict with what replaces it', async () => {
      const ruleId = await setup.addRule();
      const { _id } = await make({
        instructions: [{ kind: 'updateRuleDescription', ruleId, description: 'x' }],
      });
      const value = [{ kind: 'removeRule', ruleId }];
      await expect(
        200,
        setup.instruct(`${path()}/${_id}`, [{ kind: 'replaceScheduledChangesInstructions', value }]),
      );
    });
  });

  describe('bad input', () => {
    test('F33 nothing is scheduled', async () => {
      const bad: [number, unknown][] = [
        [400, {}],
        [400, { executionDate: soon() }],
        [400, { instructions: [ON] }],
        [400, { executionDate: soon(), instructions: [] }],
        [400, { executionDate: soon(), instructions: {} }],
        [400, { executionDate: soon(), instructions: ['turnFlagOn'] }],
        [400, { executionDate: soon(), instructions: [{}] }],
        [400, { executionDate: soon(), instructions: [{ kind: 'flip' }] }],
        [400, { executionDate: soon(), instructions: [{ kind: 'turnFlagOn', now: 1 }] }],
        [400, { executionDate: soon(), instructions: [{ kind: 'removeRule' }] }],
        [400, { executionDate: soon(), instructions: Array(1001).fill(ON) }],
        [400, { executionDate: server.clock.now() - 1, instructions: [ON] }],
        [400, { executionDate: -1, instructions: [ON] }],
        [400, { executionDate: 1e300, instructions: [ON] }],
        [400, { executionDate: String(soon()), instructions: [ON] }],
        [400, { executionDate: soon(), instructions: [ON], comment: 7 }],
        [400, { executionDate: soon(), instructions: [ON], comment: 'a\0b' }],
        [400, '{"executionDate":'],
        [400, []],
      ];
      for (const [status, body] of bad)
        assertError(await expect(status, setup.call(path(), { method: 'POST', body })), 'invalid_request');
      const text = { 'content-type': 'text/plain' };
      await expect(400, setup.call(path(), { method: 'POST', headers: text, body: 'on' }));
      assert.equal((await setup.call(path())).json['totalCount'], 0);
    });

    test('F33 unknown places and ids are 404', async () => {
      const { _id } = await make();
      const wrong = [
        path().replace(setup.project, 'nowhere'),
        path().replace('banner', 'nothing'),
        path().replace('/test/', '/staging/'),
      ];
      for (const at of wrong) await expect(404, setup.call(at));
      for (const id of ['0'.repeat(24), 'x', `${_id}0`]) await expect(404, read(id));
      // A scheduled change belongs to one environment.
      await expect(404, setup.call(`${path().replace('/test/', '/production/')}/${_id}`));
      await expect(405, setup.call(path(), { method: 'DELETE' }));
    });

    test('no more than a hundred wait for one flag in one environment', async () => {
      const { json: me } = await setup.call('members/me');
      const { db } = server.app.kernel;
      const { id: flagId, project_id: projectId } = await db
        .selectFrom('flags')
        .innerJoin('projects', 'projects.id', 'flags.project_id')
        .where('projects.key', '=', setup.project)
        .select(['flags.id', 'flags.project_id'])
        .executeTakeFirstOrThrow();
      const { id: environmentId } = await db
        .selectFrom('environments')
        .where('project_id', '=', projectId)
        .where('key', '=', 'test')
        .select('id')
        .executeTakeFirstOrThrow();
      for (let count = 0; count < 100; count += 1) {
        const maintainer = { memberId: me['_id'] as string };
        const change = {
          flagId,
          environmentId,
          maintainer,
          executionAt: soon() + MINUTE,
          instructions: [ON],
        };
        await insertScheduledChange(db, change, server.clock.now());
      }
      assert.match((await expect(400, post())).json['message'], /100/);
    });

    test('an environment that requires comments requires one here', async () => {
      const body = [{ op: 'replace', path: '/requireComments', value: true }];
      await expect(200, setup.call(`projects/${setup.project}/environments/test`, { method: 'PATCH', body }));
      assert.match((await expect(400, post())).json['message'], /comment/);
      await expect(201, post({ comment: 'because' }));
    });
  });

  describe('permissions', () => {
    test('F31 it takes updateScheduledChanges, and what the instructions take', async () => {
      const { _id } = await make();
      const at = `${path()}/${_id}`;
      const delete_ = [{ kind: 'deleteScheduledChange' }];
      const few = await giveMember(server, { inlinePolicy: allow(['updateScheduledChanges']) });
      const right = await giveMember(server, { inlinePolicy: allow(['updateScheduledChanges', 'updateOn']) });
      const wrong = await giveMember(server, { inlinePolicy: allow(['updateOn']) });
      const reader = await giveMember(server, { role: 'reader' });
      for (const { token } of [few, wrong, reader]) {
        const answer = await expect(401, post({}, { token }));
        assertError(answer, 'unauthorized');
        assert.ok(answer.json['access'].action);
      }
      for (const { token } of [wrong, reader]) {
        await expect(401, setup.call(at, { method: 'DELETE', token }));
        await expect(401, setup.instruct(at, delete_, { token }));
        await expect(200, setup.call(at, { token }));
      }
      await expect(201, post({}, { token: right.token }));
      await expect(200, setup.instruct(at, delete_, { token: few.token }));
      const stranger = await giveMember(server, {
        inlinePolicy: [
          { effect: 'allow', actions: ['updateScheduledChanges'], resources: ['proj/*:env/*:flag/*'] },
        ],
      });
      for (const [one, init] of [
        [path(), {}],
        [path(), { method: 'POST', body: { executionDate: soon(), instructions: [ON] } }],
      ] as const)
        await expect(403, setup.call(one, { ...init, token: stranger.token }));
      await expect(401, setup.call(path(), { token: null }));
    });

    test('where approval is required nothing is scheduled without it', async () => {
      await setup.setApprovals({ required: true });
      assertError(await expect(405, post()), 'method_not_allowed');
      const bypassing = allow(['updateScheduledChanges', 'updateOn', 'bypassRequiredApproval']);
      const { token } = await giveMember(server, { isService: true, inlinePolicy: bypassing });
      const change = await make({}, { token });
      assert.equal(change['status'], 'pending');
    });
  });
});
