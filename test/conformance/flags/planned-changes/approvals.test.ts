// Approval requests on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
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
  /** The requestor, and two reviewers. */
  let asker: string;
  let askerId: string;
  let reviewer: string;
  let reviewerId: string;
  let second: string;
  before(async () => {
    nodes = await startNodes(engine);
    server = nodes.server;
    const people = [await giveMember(server), await giveMember(server), await giveMember(server)];
    [asker, reviewer, second] = people.map(({ token }) => token) as [string, string, string];
    [askerId, reviewerId] = people.map(({ member }) => member.id) as [string, string];
  });
  after(() => nodes.stop());
  beforeEach(async () => {
    setup = await openFlagProject(server);
  });

  const path = () => `${setup.place}/approval-requests`;
  const soon = () => server.clock.now() + MINUTE;
  const usual = { description: 'switch it on', instructions: [ON] };
  const post = (body: object = {}, init: CallInit = {}) =>
    setup.call(path(), { method: 'POST', token: asker, body: { ...usual, ...body }, ...init });
  const read = async (id: string) => (await expect(200, setup.call(`${path()}/${id}`))).json;
  const review = (id: string, kind: string, { comment, ...init }: CallInit & { comment?: string } = {}) =>
    setup.call(`${path()}/${id}/reviews`, {
      method: 'POST',
      token: reviewer,
      body: { kind, ...(comment !== undefined && { comment }) },
      ...init,
    });
  const apply = (id: string, init: CallInit = {}) =>
    setup.call(`${path()}/${id}/apply`, { method: 'POST', token: asker, body: { comment: 'now' }, ...init });

  async function make(body: object = {}): Promise<Json> {
    return (await expect(201, post(body))).json;
  }

  /** Approved already. */
  async function makeApproved(body: object = {}): Promise<Json> {
    const { _id } = await make(body);
    return (await expect(200, review(_id, 'approve'))).json;
  }

  async function pass(at: number, isSo: () => Promise<boolean>): Promise<void> {
    server.clock.goTo(at + 1);
    nodes.other?.clock.goTo(at + 1);
    await setup.settle(isSo);
  }

  describe('as they are shown', () => {
    test('F5 one is made, listed and read in both families', async () => {
      const answer = await expect(
        201,
        post({ comment: 'please', notifyMemberIds: [reviewerId, reviewerId] }),
      );
      const { _id, creationDate, _links, approvalSettings, ...rest } = answer.json;
      assert.ok(Math.abs(creationDate - server.clock.now()) < MINUTE);
      assert.equal(approvalSettings.minNumApprovals, 1);
      assert.deepEqual(rest, {
        _version: 1,
        serviceKind: 'launchdarkly',
        requestorId: askerId,
        description: 'switch it on',
        comment: 'please',
        reviewStatus: 'pending',
        allReviews: [],
        notifyMemberIds: [reviewerId],
        notifyTeamKeys: [],
        status: 'pending',
        instructions: [ON],
        conflicts: [],
        resourceId: setup.resource,
      });
      assert.equal(_links.self.href, `/api/v2/${path()}/${_id}`);
      assert.deepEqual(await read(_id), answer.json);
      assert.deepEqual((await expect(200, setup.call(path()))).json['items'], [answer.json]);
      const { json: same } = await expect(200, setup.call(`approval-requests/${_id}`));
      assert.equal(same['_links'].self.href, `/api/v2/approval-requests/${_id}`);
      assert.deepEqual({ ...same, _links: 0 }, { ...answer.json, _links: 0 });
      const body = { ...usual, resourceId: setup.resource };
      const general = await expect(201, setup.call('approval-requests', { method: 'POST', body }));
      assert.equal(general.json['resourceId'], setup.resource);
      assert.equal((await setup.call(path())).json['totalCount'], 2);
    });

    test('F11 flag, project, environments and resource are shown where asked for', async () => {
      const { _id } = await make();
      const at = `approval-requests/${_id}?expand=flag,project,environments,resource`;
      const { json } = await expect(200, setup.call(at));
      assert.equal(json['flag'].key, 'banner');
      assert.equal(json['project'].key, setup.project);
      assert.deepEqual(
        json['environments'].map(({ key }: Json) => key as string),
        ['test'],
      );
      assert.deepEqual([json['resource'].kind, json['resource'].flag.key], ['flag', 'banner']);
      const list = `approval-requests?expand=flag&filter=projectKey equals ${setup.project}`;
      assert.equal((await expect(200, setup.call(list))).json['items'][0].flag.key, 'banner');
      await expect(400, setup.call(`approval-requests/${_id}?expand=moon`));
      await expect(400, setup.call('approval-requests?expand=moon'));
    });

    test('the list is filtered, newest first, and paged', async () => {
      const first = await make({ notifyMemberIds: [reviewerId] });
      const declined = await make();
      await expect(200, review(declined['_id'], 'decline'));
      const done = await makeApproved();
      await expect(200, apply(done['_id']));
      const list = async (filter: string, rest = '') => {
        const all = `projectKey equals ${setup.project}${filter === '' ? '' : `,${filter}`}`;
        const at = `approval-requests?filter=${encodeURIComponent(all)}${rest}`;
        const { json } = await expect(200, setup.call(at));
        return { ids: json['items'].map(({ _id }: Json) => _id as string) as string[], ...json };
      };
      const ids = [done['_id'], declined['_id'], first['_id']];
      const cases: [string, string[]][] = [
        ['', ids],
        ['status anyOf ["pending"]', ids.slice(1)],
        ['status anyOf ["completed","failed"]', [ids[0]]],
        ['reviewStatus anyOf ["declined"]', [ids[1]]],
        ['reviewStatus anyOf ["pending"],status anyOf ["pending"]', [ids[2]]],
        [`notifyMemberIds anyOf ["${reviewerId}"]`, [ids[2]]],
        ['notifyMemberIds anyOf []', []],
        [`requestorId equals ${askerId}`, ids],
        [`requestorId equals ${reviewerId}`, []],
        [`resourceId equals ${setup.resource}`, ids],
        [`resourceId equals ${setup.resource.replace('test', 'production')}`, []],
        ['resourceKind equals flag', ids],
        ['resourceKind equals segment', []],
        ['(reviewStatus anyOf ["declined"]|status anyOf ["completed"])', ids.slice(0, 2)],
      ];
      for (const [filter, expected] of cases)
        assert.deepEqual(new Set((await list(filter)).ids), new Set(expected), filter);
      const paged = (await list('', '&limit=2')) as Json;
      assert.deepEqual([paged['items'].length, paged['totalCount']], [2, 3]);
      assert.ok(paged['_links'].next);
      for (const filter of [
        'moon equals 1',
        'status equals pending',
        'status anyOf ["odd"]',
        'resourceId equals x',
      ])
        await expect(400, setup.call(`approval-requests?filter=${encodeURIComponent(filter)}`));
    });

    test('F10 a list tells of conflicts that were recorded; one alone, of what stands in its way now', async () => {
      const ruleId = await setup.addRule();
      const instruction = { kind: 'updateRuleDescription', ruleId, description: 'x' };
      const executionDate = soon();
      const { _id } = await makeApproved({ executionDate, instructions: [instruction] });
      await expect(200, apply(_id));
      await expect(
        200,
        setup.patchFlag([{ kind: 'removeRule', ruleId }], { query: '?ignoreConflicts=true' }),
      );
      const listed = async () => {
        const all = `approval-requests?filter=projectKey equals ${setup.project}`;
        const lists = [await setup.call(path()), await setup.call(all)];
        return lists.map(({ json }) => json['items'][0].conflicts.map((one: Json) => one['instruction']));
      };
      assert.deepEqual((await read(_id))['conflicts'][0].instruction, instruction);
      assert.deepEqual(await listed(), [[], []]);
      await pass(executionDate, async () => (await read(_id))['status'] === 'failed');
      assert.deepEqual(await listed(), [[instruction], [instruction]]);
    });

    test('F35 the list holds what the caller may see, and no more', async () => {
      const { _id } = await make();
      const { token } = await giveMember(server, {
        inlinePolicy: [
          { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
          { effect: 'deny', actions: ['viewProject'], resources: [`proj/${setup.project}`] },
        ],
      });
      const { json } = await expect(200, setup.call('approval-requests?limit=200', { token }));
      assert.ok(!json['items'].some((one: Json) => one['_id'] === _id));
      await expect(403, setup.call(`approval-requests/${_id}`, { token }));
      await expect(403, setup.call(`${path()}/${_id}`, { token }));
    });
  });

  describe('where approval is required', () => {
    test('a direct change is 405, and the approved one is made', async () => {
      await setup.setApprovals({ required: true });
      const refused = await expect(405, setup.patchFlag([ON]));
      assertError(refused, 'method_not_allowed');
      const { _id } = await make();
      assertError(await expect(400, apply(_id)), 'invalid_request');
      const approved = await expect(200, review(_id, 'approve', { comment: 'fine' }));
      assert.equal(approved.json['reviewStatus'], 'approved');
      const [{ kind, comment, memberId }] = approved.json['allReviews'];
      assert.deepEqual([kind, comment, memberId], ['approve', 'fine', reviewerId]);
      assert.equal(await setup.isOn(), false);
      const { json } = await expect(200, apply(_id));
      assert.deepEqual([json['status'], json['appliedByMemberId']], ['completed', askerId]);
      assert.ok(Math.abs(json['appliedDate'] - server.clock.now()) < MINUTE);
      assert.equal(await setup.isOn(), true);
      await expect(400, apply(_id));
    });

    test('only flags with such a tag need it where tags are required', async () => {
      await setup.setApprovals({ requiredApprovalTags: ['careful'] });
      await expect(200, setup.patchFlag([ON]));
      await expect(200, setup.patchFlag([{ kind: 'addTags', values: ['careful'] }]));
      await expect(405, setup.patchFlag([OFF]));
      const { _id } = await makeApproved({ instructions: [OFF] });
      await expect(200, apply(_id));
      assert.equal(await setup.isOn(), false);
    });

    test('a tag that asks for it is not taken off without it', async () => {
      await expect(200, setup.patchFlag([{ kind: 'addTags', values: ['careful', 'blue'] }]));
      await setup.setApprovals({ requiredApprovalTags: ['careful'] });
      const off = (tag: string) => setup.patchFlag([{ kind: 'removeTags', values: [tag] }]);
      await expect(405, off('careful'));
      await expect(200, off('blue'));
      assert.deepEqual((await setup.readFlag())['tags'], ['careful']);
    });

    test('what is served otherwise everywhere is served otherwise here: archiving, other values', async () => {
      await setup.setApprovals({ required: true });
      await expect(405, setup.patchFlag([{ kind: 'archiveFlag' }]));
      const flag = `flags/${setup.project}/banner`;
      const swap = [
        { op: 'replace', path: '/variations/0/value', value: false },
        { op: 'replace', path: '/variations/1/value', value: true },
      ];
      await expect(405, setup.call(flag, { method: 'PATCH', body: swap }));
      const name = [{ op: 'replace', path: '/variations/0/name', value: 'Yes' }];
      await expect(200, setup.call(flag, { method: 'PATCH', body: name }));
      const { _id } = await makeApproved({ instructions: [{ kind: 'archiveFlag' }] });
      await expect(200, apply(_id));
      assert.equal((await setup.readFlag())['archived'], true);
    });

    test('a token that may not make the change has it made neither now nor later', async () => {
      await setup.setApprovals({ required: true });
      const { token } = await giveMember(server, {
        inlinePolicy: [
          { effect: 'allow', actions: ['viewProject', 'applyApprovalRequest'], resources: ['*'] },
        ],
      });
      const archiving = { instructions: [{ kind: 'archiveFlag' }] };
      for (const more of [{}, { executionDate: soon() }]) {
        const { _id } = await makeApproved({ ...archiving, ...more });
        await expect(401, apply(_id, { token }));
        assert.equal((await read(_id))['status'], 'pending');
      }
    });

    test('a service token whose own statements say so goes past it', async () => {
      await setup.setApprovals({ required: true });
      const inlinePolicy = allow(['updateOn', 'bypassRequiredApproval']);
      const { token } = await giveMember(server, { isService: true, inlinePolicy });
      await expect(200, setup.patchFlag([ON], { token }));
    });

    test('F35: nobody goes past it by a token that they have made for themselves', async () => {
      await setup.setApprovals({ required: true });
      const writer = await giveMember(server);
      const inlineRole = [{ effect: 'allow', actions: ['*'], resources: ['*'] }];
      const made = setup.call('tokens', { method: 'POST', token: writer.token, body: { inlineRole } });
      const { token } = (await expect(201, made)).json as { token: string };
      await expect(405, setup.patchFlag([ON], { token }));
    });

    test('F35 a writer cannot switch it off, and who has a custom role that says so can', async () => {
      await setup.setApprovals({ required: true });
      const environment = `projects/${setup.project}/environments/test`;
      const change = (token: string, pointer: string, value: unknown) =>
        setup.call(environment, { method: 'PATCH', token, body: [{ op: 'add', path: pointer, value }] });
      const writer = await giveMember(server);
      for (const [pointer, value] of [
        ['/approvalSettings/required', false],
        ['/approvalSettings/canReviewOwnRequest', true],
        ['/resourceApprovalSettings', { segment: { required: false, minNumApprovals: 2 } }],
      ] as const) {
        const refused = await expect(401, change(writer.token, pointer, value));
        assert.equal(refused.json['access'].action, 'updateApprovalSettings', pointer);
      }
      await expect(200, change(writer.token, '/name', 'Tests'));
      await expect(405, setup.patchFlag([ON], { token: writer.token }));
      const policy = allow(['updateApprovalSettings'], ['proj/*:env/test']);
      const key = `keeper-${setup.project}`;
      await expect(201, setup.call('roles', { method: 'POST', body: { key, name: key, policy } }));
      const keeper = await giveMember(server, { role: 'owner' });
      const roles = [{ op: 'add', path: '/customRoles', value: [key] }];
      await expect(200, setup.call(`members/${keeper.member.id}`, { method: 'PATCH', body: roles }));
      await expect(200, change(keeper.token, '/approvalSettings/required', false));
      await expect(200, setup.patchFlag([ON], { token: writer.token }));
    });

    test('a flag is not deleted past it, neither by its own call nor by a patch', async () => {
      await setup.setApprovals({ required: true });
      const flag = await setup.readFlag();
      const remove = [{ kind: 'deleteFlag' }];
      const drop = (token?: string) =>
        setup.call(`flags/${setup.project}/banner`, { method: 'DELETE', ...(token && { token }) });
      for (const answer of [
        drop(),
        drop(asker),
        setup.patchFlag(remove),
        setup.patchFlag(remove, { query: '?dryRun=true' }),
        setup.patchFlag(remove, { body: { environmentKey: 'production', instructions: remove } }),
      ]) {
        const refused = await expect(405, answer);
        assertError(refused, 'method_not_allowed');
        const access = { action: 'bypassRequiredApproval', resource: setup.resource };
        assert.deepEqual(refused.json['access'], access);
      }
      assert.deepEqual(await setup.readFlag(), flag);
      const reader = await giveMember(server, { role: 'reader' });
      await expect(401, drop(reader.token));
      const { _id } = await makeApproved({ instructions: remove });
      await expect(200, apply(_id));
      await expect(404, setup.call(`flags/${setup.project}/banner`));
    });

    test('an environment is not deleted past it, neither alone nor with its project', async () => {
      const paths = [`projects/${setup.project}/environments/test`, `projects/${setup.project}`];
      const drop = (at: string, token: string) => setup.call(at, { method: 'DELETE', token });
      for (const settings of [{ required: true }, { required: false, requiredApprovalTags: ['careful'] }]) {
        await setup.setApprovals(settings);
        for (const at of paths) {
          const refused = await expect(401, drop(at, asker));
          assertError(refused, 'unauthorized');
          const resource = `proj/${setup.project}:env/test`;
          assert.deepEqual(refused.json['access'], { action: 'updateApprovalSettings', resource });
          assert.match(String(refused.json['message']), /Approval is required in Test/);
        }
      }
      await expect(204, drop(`projects/${setup.project}/environments/production`, asker));
      const bypassing = await giveMember(server, {
        isService: true,
        inlinePolicy: [...allow(['bypassRequiredApproval']), ...allow(['deleteProject'], ['proj/*'])],
      });
      await expect(204, drop(paths[1]!, bypassing.token));
    });

    test('who may switch it off deletes the environment past it', async () => {
      await setup.setApprovals({ required: true });
      const { token } = await giveMember(server, { role: 'admin' }, 'admin');
      const at = `projects/${setup.project}/environments/test`;
      await expect(204, setup.call(at, { method: 'DELETE', token }));
    });

    test('whose own statements say so deletes a flag past it', async () => {
      await setup.setApprovals({ required: true });
      const inlinePolicy = allow(['deleteFlag', 'bypassRequiredApproval']);
      const { token } = await giveMember(server, { isService: true, inlinePolicy });
      await expect(204, setup.call(`flags/${setup.project}/banner`, { method: 'DELETE', token }));
    });

    test('a flag whose deletion was approved in one environment is not deleted past another', async () => {
      const { _id } = await makeApproved({ instructions: [{ kind: 'deleteFlag' }] });
      const production = `projects/${setup.project}/environments/production`;
      const settings = [{ op: 'replace', path: '/approvalSettings/required', value: true }];
      await expect(200, setup.call(production, { method: 'PATCH', body: settings }));
      assert.match((await expect(405, apply(_id))).json['message'], /Production/);
      assert.equal((await read(_id))['status'], 'pending');
      await setup.readFlag();
    });

    test('what was approved in one environment is not approved in another', async () => {
      const body = { key: 'colour', name: 'Colour', variations: [{ value: 1 }, { value: 2 }, { value: 3 }] };
      const { json } = await expect(201, setup.call(`flags/${setup.project}`, { method: 'POST', body }));
      const settings = [{ op: 'replace', path: '/approvalSettings/required', value: true }];
      const production = `projects/${setup.project}/environments/production`;
      await expect(200, setup.call(production, { method: 'PATCH', body: settings }));
      // Those behind it move up, in all environments.
      const instructions = [{ kind: 'removeVariation', variationId: json['variations'][1]._id }];
      const at = `${setup.place.replace('banner', 'colour')}/approval-requests`;
      const made = await expect(201, setup.call(at, { method: 'POST', body: { ...usual, instructions } }));
      const one = `${at}/${made.json['_id']}`;
      await expect(
        200,
        setup.call(`${one}/reviews`, { method: 'POST', token: reviewer, body: { kind: 'approve' } }),
      );
      const refused = await expect(405, setup.call(`${one}/apply`, { method: 'POST', body: {} }));
      assert.match(refused.json['message'], /Production/);
      assert.equal((await setup.call(one)).json['status'], 'pending');
      const flag = (await setup.call(`flags/${setup.project}/colour`)).json;
      assert.equal(flag['variations'].length, 3);
    });
  });

  describe('reviews', () => {
    test('as many approvals as the environment says, each of another person', async () => {
      await setup.setApprovals({ minNumApprovals: 2 });
      const { _id } = await make();
      for (const token of [reviewer, reviewer])
        assert.equal((await expect(200, review(_id, 'approve', { token }))).json['reviewStatus'], 'pending');
      await expect(400, apply(_id));
      const { json } = await expect(200, review(_id, 'approve', { token: second }));
      assert.equal(json['reviewStatus'], 'approved');
      await expect(200, apply(_id));
    });

    test('nobody approves a request of their own, unless the environment allows it', async () => {
      const { _id } = await make();
      assertError(await expect(403, review(_id, 'approve', { token: asker })), 'forbidden');
      await expect(403, review(_id, 'decline', { token: asker }));
      await expect(200, review(_id, 'comment', { token: asker, comment: 'hurry' }));
      assert.equal((await read(_id))['reviewStatus'], 'pending');
      await setup.setApprovals({ canReviewOwnRequest: true });
      const { json } = await expect(200, review(_id, 'approve', { token: asker }));
      assert.equal(json['reviewStatus'], 'approved');
    });

    test('a declined one is applied only if the environment allows it; the last word counts', async () => {
      await setup.setApprovals({ canApplyDeclinedChanges: false });
      const { _id } = await makeApproved();
      const { json } = await expect(200, review(_id, 'decline', { token: second }));
      assert.equal(json['reviewStatus'], 'declined');
      assert.match((await expect(400, apply(_id))).json['message'], /declined/);
      await setup.setApprovals({ canApplyDeclinedChanges: true });
      await expect(200, apply(_id));
      const { _id: next } = await make({ instructions: [OFF] });
      await expect(200, review(next, 'decline'));
      await expect(400, apply(next));
      assert.equal((await expect(200, review(next, 'approve'))).json['reviewStatus'], 'approved');
    });

    test('of many who apply it at once, one does', async () => {
      const { _id } = await makeApproved({ instructions: [ON, { kind: 'addTags', values: ['once'] }] });
      const { _version } = await setup.readFlag();
      const answers = await Promise.all(Array.from({ length: 5 }, () => apply(_id)));
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
      assert.ok(
        statuses.every((status) => [200, 400, 409].includes(status)),
        String(statuses),
      );
      assert.equal((await setup.readFlag())['_version'], _version + 1);
    });

    test('reviews at the same time are all counted', async () => {
      await setup.setApprovals({ minNumApprovals: 2 });
      const { _id } = await make();
      const answers = await Promise.all([reviewer, second].map((token) => review(_id, 'approve', { token })));
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { reviewStatus, allReviews } = await read(_id);
      assert.deepEqual([reviewStatus, allReviews.length], ['approved', 2]);
    });

    test('what is completed is no longer judged', async () => {
      const { _id } = await makeApproved();
      await expect(200, apply(_id));
      await expect(400, review(_id, 'decline'));
      await expect(200, review(_id, 'comment', { comment: 'well done' }));
    });

    test('the other family takes reviews, patches and applies, too', async () => {
      const { _id } = await make();
      const at = `approval-requests/${_id}`;
      await expect(
        200,
        setup.call(`${at}/reviews`, { method: 'POST', token: reviewer, body: { kind: 'approve' } }),
      );
      const update = { kind: 'updateDescription', value: 'on it goes' };
      assert.equal((await expect(200, setup.instruct(at, [update]))).json['description'], 'on it goes');
      await expect(200, setup.call(`${at}/apply`, { method: 'POST', token: asker }));
      assert.equal(await setup.isOn(), true);
      await expect(204, setup.call(at, { method: 'DELETE' }));
      await expect(404, setup.call(at));
    });
  });

  describe('later', () => {
    test('what is approved is applied by itself where the environment says so', async () => {
      await setup.setApprovals({ required: true, autoApplyApprovedChanges: true });
      const { _id } = await make();
      const { _version } = await setup.readFlag();
      await expect(200, review(_id, 'approve'));
      await setup.settle(async () => (await read(_id))['status'] === 'completed');
      assert.equal((await read(_id))['appliedByMemberId'], reviewerId);
      assert.equal(await setup.isOn(), true);
      assert.equal((await setup.readFlag())['_version'], _version + 1);
      assert.deepEqual(await setup.dueOf(_id), []);
    });

    test('one with a date is applied then', async () => {
      const executionDate = soon();
      const { _id } = await makeApproved({ executionDate });
      const { json } = await expect(200, apply(_id));
      assert.deepEqual(
        [json['status'], json['executionDate'], json['appliedDate']],
        ['scheduled', executionDate, undefined],
      );
      await expect(400, apply(_id));
      assert.equal(await setup.isOn(), false);
      await pass(executionDate, async () => (await read(_id))['status'] === 'completed');
      assert.equal(await setup.isOn(), true);
      const made = (await setup.events()).filter(({ action }) => action === 'updateOn');
      assert.deepEqual(
        made.map((event) => [event.member_id, event.comment]),
        [[askerId, 'now']],
      );
    });

    test('one that was declined meanwhile, or cannot be applied, fails and says why', async () => {
      await setup.setApprovals({ canApplyDeclinedChanges: false });
      const ruleId = await setup.addRule();
      const executionDate = soon();
      const declined = await makeApproved({ executionDate });
      const instruction = { kind: 'updateRuleDescription', ruleId, description: 'x' };
      const spoilt = await makeApproved({ executionDate, instructions: [ON, instruction] });
      for (const { _id } of [declined, spoilt]) await expect(200, apply(_id));
      await expect(200, review(declined['_id'], 'decline', { token: second }));
      await expect(400, setup.patchFlag([{ kind: 'removeRule', ruleId }]));
      await expect(
        200,
        setup.patchFlag([{ kind: 'removeRule', ruleId }], { query: '?ignoreConflicts=true' }),
      );
      assert.deepEqual((await read(spoilt['_id']))['conflicts'][0].instruction, instruction);
      const hasFailed = async ({ _id }: Json) => (await read(_id))['status'] === 'failed';
      await pass(executionDate, async () => (await hasFailed(declined)) && (await hasFailed(spoilt)));
      assert.match((await read(declined['_id']))['conflicts'][0].reason, /declined/);
      assert.deepEqual((await read(spoilt['_id']))['conflicts'][0].instruction, instruction);
      assert.equal(await setup.isOn(), false);
      assert.match((await setup.events()).at(-1)!.detail!, /failed to apply an approval request/);
      assert.deepEqual(await setup.dueOf(spoilt['_id']), []);
    });

    test('one that was deleted is not applied', async () => {
      const executionDate = soon();
      const { _id } = await makeApproved({ executionDate });
      await expect(200, apply(_id));
      await expect(204, setup.call(`${path()}/${_id}`, { method: 'DELETE' }));
      await pass(executionDate, async () => (await setup.dueOf(_id)).length === 0);
      assert.equal(await setup.isOn(), false);
    });
  });

  describe('copies', () => {
    const copy = (body: object = {}) =>
      setup.call(`${setup.place}/approval-requests-flag-copy`, {
        method: 'POST',
        token: asker,
        body: { description: 'as in production', source: { key: 'production' }, ...body },
      });

    test('the configuration of another environment is copied when it is applied', async () => {
      const on = { environmentKey: 'production', instructions: [ON] };
      await expect(200, setup.patchFlag([], { body: on }));
      const { version } = (await setup.readFlag())['environments'].production;
      const { json } = await expect(201, copy({ source: { key: 'production', version } }));
      assert.deepEqual([json['source'], json['instructions']], [{ key: 'production', version }, []]);
      await expect(200, review(json['_id'], 'approve'));
      await expect(200, apply(json['_id']));
      assert.equal(await setup.isOn(), true);
    });

    test('what was changed at the source since the request was made has been seen by no reviewer', async () => {
      const { json } = await expect(201, copy());
      const { version } = (await setup.readFlag())['environments'].production;
      assert.deepEqual(json['source'], { key: 'production', version });
      await expect(200, review(json['_id'], 'approve'));
      const on = { environmentKey: 'production', instructions: [ON] };
      await expect(200, setup.patchFlag([], { body: on, query: '?ignoreConflicts=true' }));
      assert.match((await read(json['_id']))['conflicts'][0].reason, /source has been changed/);
      await expect(409, apply(json['_id']));
      assert.equal(await setup.isOn(), false);
    });

    test('a copy freezes its source where the caller named its version, and only there', async () => {
      const change = (kind: string) =>
        setup.patchFlag([], { body: { environmentKey: 'production', instructions: [{ kind }] } });
      await expect(201, copy());
      await expect(200, change('turnFlagOn'));
      const off = { op: 'replace', path: '/environments/production/on', value: false };
      await expect(200, setup.call(`flags/${setup.project}/banner`, { method: 'PATCH', body: [off] }));
      const { version } = (await setup.readFlag())['environments'].production;
      await expect(201, copy({ source: { key: 'production', version } }));
      await expect(400, change('turnFlagOn'));
    });

    test('from nowhere, from itself and of another version it is refused', async () => {
      await expect(400, copy({ source: { key: 'moon' } }));
      await expect(400, copy({ source: { key: 'test' } }));
      await expect(409, copy({ source: { key: 'production', version: 99 } }));
      await expect(400, copy({ includedActions: ['updateMoon'] }));
      await expect(400, copy({ source: undefined }));
      assert.equal((await setup.call(path())).json['totalCount'], 0);
    });
  });

  describe('settings', () => {
    const at = (query = '') => `approval-requests/projects/${setup.project}/settings${query}`;
    const change = (body: unknown, init: CallInit = {}) =>
      setup.call(at(), { method: 'PATCH', body, ...init });
    const flagInTest = { environmentKey: 'test', resourceKind: 'flag' };

    test('are read of all environments, by the kind of resource', async () => {
      await setup.setApprovals({ minNumApprovals: 3, canReviewOwnRequest: true });
      const { json } = await expect(200, setup.call(at()));
      assert.deepEqual(Object.keys(json), ['flag', 'segment', '_links']);
      assert.deepEqual(Object.keys(json['flag'].environments).toSorted(), ['production', 'test']);
      const { approvalSettings } = (await setup.call(`projects/${setup.project}/environments/test`)).json;
      assert.deepEqual(json['flag'].environments.test, approvalSettings);
      assert.equal(json['segment'].environments.test.minNumApprovals, 1);
      assert.deepEqual(Object.keys(json['flag']), ['environments']);
      const some = await expect(
        200,
        setup.call(at('?environmentKey=test&resourceKind=flag&expand=default,strict')),
      );
      assert.deepEqual(Object.keys(some.json), ['flag', '_links']);
      assert.deepEqual(Object.keys(some.json['flag'].environments), ['test']);
      assert.equal(some.json['flag']._default.minNumApprovals, 1);
      const strict = (await setup.call(at('?expand=strict'))).json['flag']._strict;
      assert.deepEqual([strict.minNumApprovals, strict.canReviewOwnRequest], [3, false]);
    });

    test('are changed for one environment and kind, and hold at once', async () => {
      const body = { environmentKey: 'test', resourceKind: 'segment', required: true, minNumApprovals: 2 };
      const { json } = await expect(200, change(body));
      assert.deepEqual(Object.keys(json), ['segment', '_links']);
      const { required, minNumApprovals, canApplyDeclinedChanges } = json['segment'].environments.test;
      assert.deepEqual([required, minNumApprovals, canApplyDeclinedChanges], [true, 2, true]);
      await expect(
        201,
        setup.call(`segments/${setup.project}/test`, { method: 'POST', body: { key: 's', name: 'S' } }),
      );
      const rename = { op: 'replace', path: '/name', value: 'T' };
      await expect(403, setup.call(`segments/${setup.project}/test/s`, { method: 'PATCH', body: [rename] }));
      await expect(200, change({ ...body, required: null, autoApplyApprovedChanges: null }));
      await expect(200, setup.call(`segments/${setup.project}/test/s`, { method: 'PATCH', body: [rename] }));
      await expect(200, change({ comment: 'four eyes', merge: { ...flagInTest, required: true } }));
      await expect(405, setup.patchFlag([ON]));
      const { json: log } = await setup.call(`auditlog?spec=proj/${setup.project}:env/test&limit=1`);
      assert.deepEqual([log['items'][0].comment, log['items'][0].kind], ['four eyes', 'environment']);
    });

    test('F17 F33 what cannot be is refused, and nothing changes', async () => {
      const before_ = (await setup.call(at())).json;
      for (const [status, body] of [
        [422, { required: true }],
        [422, { environmentKey: 'test', required: true }],
        [422, { ...flagInTest, environmentKey: 5 }],
        [400, { ...flagInTest, resourceKind: 'moon' }],
        [404, { ...flagInTest, environmentKey: 'moon' }],
        [400, { ...flagInTest, minNumApprovals: 6 }],
        [400, { ...flagInTest, minNumApprovals: 'two' }],
        [400, { ...flagInTest, required: true, requiredApprovalTags: ['a'] }],
        [400, { ...flagInTest, moon: true }],
        [422, { ...flagInTest, serviceKindConfigurationId: 'x' }],
        [422, [{ op: 'replace', path: '/required', value: true }]],
      ] as const)
        await expect(status, change(body));
      await expect(404, setup.call(at('?environmentKey=moon')));
      await expect(400, setup.call(at('?resourceKind=moon')));
      await expect(400, setup.call(at('?expand=moon')));
      const { token } = await giveMember(server, { inlinePolicy: allow(['updateOn']) });
      const refused = await expect(401, change({ ...flagInTest, required: true }, { token }));
      assert.equal(refused.json['access'].action, 'updateApprovalSettings');
      assert.deepEqual((await setup.call(at())).json, before_);
    });
  });

  describe('patched', () => {
    test('reviewers are added, the description changed; nothing else is', async () => {
      const before_ = await make();
      const at = `${path()}/${before_['_id']}`;
      const add = { kind: 'addReviewers', notifyMemberIds: [reviewerId] };
      const { json } = await expect(
        200,
        setup.instruct(at, [add, { kind: 'updateDescription', value: 'new' }]),
      );
      assert.deepEqual(
        [json['notifyMemberIds'], json['description'], json['_version']],
        [[reviewerId], 'new', 2],
      );
      assert.equal((await expect(200, setup.instruct(at, [add]))).json['_version'], 2);
      for (const bad of [
        { kind: 'addReviewers', notifyMemberIds: ['x'] },
        { kind: 'addReviewers', notifyTeamKeys: ['nobody'] },
      ])
        assertError(await expect(400, setup.instruct(at, [bad])), 'invalid_request');
      for (const unread of [
        { kind: 'addReviewers' },
        { kind: 'addReviewers', notifyMemberIds: 7 },
        { kind: 'updateDescription', value: 7 },
        { kind: 'updateInstructions', value: [OFF] },
      ])
        assertError(await expect(422, setup.instruct(at, [unread])), 'patch_failed');
      const beta = { 'ld-api-version': 'beta' };
      await expect(422, setup.call(at, { method: 'PATCH', headers: beta, body: [] }));
      const plain = await expect(403, setup.instruct(at, [add], { headers: SEMANTIC }));
      assertError(plain, 'forbidden');
      assert.deepEqual(await read(before_['_id']), json);
    });
  });

  describe('bad input', () => {
    test('F33 nothing is requested', async () => {
      const bad: unknown[] = [
        {},
        { description: 'x' },
        { instructions: [ON] },
        { description: 7, instructions: [ON] },
        { ...usual, instructions: [] },
        { ...usual, instructions: [{ kind: 'flip' }] },
        { ...usual, instructions: [{ kind: 'removeRule' }] },
        { ...usual, instructions: [{ kind: 'deleteScheduledChange' }] },
        { ...usual, executionDate: 1 },
        { ...usual, executionDate: 'soon' },
        { ...usual, notifyMemberIds: ['0'.repeat(24)] },
        { ...usual, notifyMemberIds: Array(11).fill(reviewerId) },
        { ...usual, notifyTeamKeys: ['nobody'] },
        { ...usual, comment: 'a\0b' },
        '{',
        [],
      ];
      for (const body of bad)
        assertError(await expect(400, setup.call(path(), { method: 'POST', body })), 'invalid_request');
      for (const resourceId of [
        '',
        'flag/banner',
        `${setup.resource}:x/y`,
        `proj/${setup.project}:env/*:flag/banner`,
      ])
        await expect(
          400,
          setup.call('approval-requests', { method: 'POST', body: { ...usual, resourceId } }),
        );
      const unknown = { ...usual, resourceId: setup.resource.replace('banner', 'moon') };
      await expect(404, setup.call('approval-requests', { method: 'POST', body: unknown }));
      assert.equal((await setup.call(path())).json['totalCount'], 0);
    });

    test('F33 reviews and ids that are wrong', async () => {
      const { _id } = await make();
      for (const body of [{}, { kind: 'maybe' }, { kind: 'comment' }, { kind: 'approve', comment: 7 }, []])
        await expect(400, setup.call(`${path()}/${_id}/reviews`, { method: 'POST', body }));
      await expect(400, setup.call(`${path()}/${_id}/apply`, { method: 'POST', body: { comment: 7 } }));
      for (const id of ['0'.repeat(24), 'x']) {
        await expect(404, setup.call(`${path()}/${id}`));
        await expect(404, setup.call(`approval-requests/${id}`));
        await expect(404, review(id, 'approve'));
        await expect(404, apply(id));
      }
      const elsewhere = path().replace('/test/', '/production/');
      await expect(404, setup.call(`${elsewhere}/${_id}`));
      assert.deepEqual((await read(_id))['allReviews'], []);
    });
  });

  describe('permissions', () => {
    const only = async (...actions: string[]) => {
      const { token } = await giveMember(server, { inlinePolicy: allow(actions) });
      return token;
    };

    test('one that is applied later is applied with no more than the token that asked for it had', async () => {
      const executionDate = soon();
      await expect(200, setup.patchFlag([{ kind: 'addTags', values: ['beta'] }]));
      const { _id } = await makeApproved({ executionDate });
      const inlinePolicy = allow(['applyApprovalRequest'], ['proj/*:env/*:flag/*;beta']);
      const { token } = await giveMember(server, { inlinePolicy });
      assert.equal((await expect(200, apply(_id, { token }))).json['status'], 'scheduled');
      await expect(200, setup.patchFlag([{ kind: 'removeTags', values: ['beta'] }]));
      await pass(executionDate, async () => (await read(_id))['status'] === 'failed');
      assert.equal(await setup.isOn(), false);
    });

    test('F31 each call takes its own', async () => {
      const { _id } = await make();
      const at = `${path()}/${_id}`;
      const update = [{ kind: 'updateDescription', value: 'x' }];
      const all = [
        'createApprovalRequest',
        'reviewApprovalRequest',
        'updateApprovalRequest',
        'applyApprovalRequest',
        'deleteApprovalRequest',
      ];
      const calls: Record<string, (token: string) => ReturnType<typeof post>> = {
        createApprovalRequest: (token) => post({}, { token }),
        reviewApprovalRequest: (token) => review(_id, 'approve', { token }),
        updateApprovalRequest: (token) => setup.instruct(at, update, { token }),
        applyApprovalRequest: (token) => apply(_id, { token }),
        deleteApprovalRequest: (token) => setup.call(at, { method: 'DELETE', token }),
      };
      for (const action of all) {
        const lacking = await only(...all.filter((one) => one !== action), 'updateOn');
        const refused = await expect(401, calls[action]!(lacking));
        assertError(refused, 'unauthorized');
        assert.equal(refused.json['access'].action, action);
      }
      const { status } = await calls['createApprovalRequest']!(await only('createApprovalRequest'));
      assert.equal(status, 201);
      for (const action of all.slice(1)) {
        const answer = await calls[action]!(await only(action));
        assert.ok(answer.status < 300, `${action}: ${answer.text}`);
      }
      await expect(401, setup.call(path(), { token: null }));
    });

    test('what works in all environments takes its permission, approved or not', async () => {
      const { _id } = await makeApproved({ instructions: [{ kind: 'archiveFlag' }] });
      const refused = await expect(401, apply(_id, { token: await only('applyApprovalRequest') }));
      assert.notEqual(refused.json['access'].action, 'applyApprovalRequest');
      assert.equal((await setup.readFlag())['archived'], false);
      await expect(200, apply(_id));
      assert.equal((await setup.readFlag())['archived'], true);
    });

    test('F36 each step is recorded', async () => {
      const { _id } = await makeApproved();
      await expect(200, apply(_id));
      await expect(204, setup.call(`${path()}/${_id}`, { method: 'DELETE' }));
      const actions = (await setup.events()).map(({ action }) => action);
      assert.deepEqual(actions.slice(-5), [
        'createApprovalRequest',
        'reviewApprovalRequest',
        'updateOn',
        'applyApprovalRequest',
        'deleteApprovalRequest',
      ]);
    });
  });
});
