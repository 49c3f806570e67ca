// Every kind of instruction of a flag's semantic patch, over HTTP.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Instruction } from '../../../../src/flags/patch/patch.ts';
import {
  ENVIRONMENT,
  NEEDED,
  OTHER,
  VALUES,
  type CommonFlag,
} from '../../../../src/flags/feature-flags/change/instructions/case.ts';
import { casesFor, prepare, undone } from '../../../../src/flags/feature-flags/change/instructions/cases.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

const PROJECT = 'shop';
const SEMANTIC = 'application/json; domain-model=launchdarkly.semanticpatch';
const TEAM = 'painters';

let server: TestServer;
let memberId: string;
const others = new Map<string, CommonFlag>();

const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
const read = async (key: string) => (await call(`flags/${PROJECT}/${key}`)).json;

function patch(
  key: string,
  body: object,
  { query = '', token }: { query?: string; token?: string } = {},
): Promise<Answer> {
  return call(`flags/${PROJECT}/${key}${query}`, {
    method: 'PATCH',
    headers: { 'content-type': SEMANTIC },
    body,
    ...(token !== undefined && { token }),
  });
}

const instruct = (key: string, ...instructions: Instruction[]) =>
  patch(key, { environmentKey: ENVIRONMENT, instructions });

async function create(key: string): Promise<Json> {
  const { status, json, text } = await call(`flags/${PROJECT}`, {
    method: 'POST',
    body: { key, name: key, variations: VALUES.map((value) => ({ value })) },
  });
  assert.equal(status, 201, text);
  return json;
}

async function createPrepared(key: string): Promise<Json> {
  const made = await create(key);
  const { status, json, text } = await instruct(key, ...prepare(made as CommonFlag, others.get(NEEDED)!));
  assert.equal(status, 200, text);
  return json;
}

const entriesOf = async (key: string): Promise<Json[]> => {
  const spec = encodeURIComponent(`proj/${PROJECT}:env/*:flag/${key}`);
  return (await call(`auditlog?spec=${spec}`)).json['items'];
};

before(async () => {
  server = await startServer({ limits: 'off' });
  const { status, text } = await call('projects', { method: 'POST', body: { key: PROJECT, name: 'Shop' } });
  assert.equal(status, 201, text);
  for (const key of [NEEDED, OTHER]) others.set(key, (await create(key)) as CommonFlag);
  memberId = (await join(server, 'paula')).id;
  await call('teams', { method: 'POST', body: { key: TEAM, name: 'Painters' } });
});
after(() => server.stop());

suite('F18, F19: every kind', () => {
  for (const name of Object.keys(casesFor(new Map(), '', ''))) {
    test(`${name} works, a second time as well, and what is wrong with it is named`, async () => {
      const { good, sees, gives, again, bad, names, isMisfit } = casesFor(others, memberId, TEAM)[name]!;
      const key = `flag-${name}`;
      let flag = await createPrepared(key);
      if (undone[name]) flag = (await instruct(key, undone[name])).json;

      const wrong = await instruct(key, { kind: 'turnFlagOn' }, { kind: name, ...bad(flag as CommonFlag) });
      const error = isMisfit ? [422, 'patch_failed'] : [400, 'invalid_request'];
      assert.deepEqual([wrong.status, wrong.json['code']], error, wrong.text);
      const start = `instructions[1] (${name}): ${names}`;
      assert.ok(wrong.json['message'].startsWith(start), wrong.json['message']);
      assert.deepEqual(await read(key), flag, 'nothing may have changed');

      const instruction = { kind: name, ...good(flag as CommonFlag) };
      const done = await instruct(key, instruction);
      assert.equal(done.status, 200, done.text);
      assert.deepEqual(sees(done.json as CommonFlag), gives);
      if (name === 'deleteFlag') {
        assert.equal((await call(`flags/${PROJECT}/${key}`)).status, 404);
        assert.equal((await instruct(key, instruction)).status, 404);
        return;
      }
      assert.deepEqual(await read(key), done.json);
      assert.equal(done.json['version'], flag['version'] + 1);

      const entries = (await entriesOf(key)).length;
      const repeated = await instruct(key, instruction);
      assert.equal(repeated.status, again === 'fails' ? 400 : 200, repeated.text);
      if (again === 'more') assert.notDeepEqual(sees(repeated.json as CommonFlag), gives);
      else assert.deepEqual(await read(key), done.json);
      if (again !== 'more') assert.equal((await entriesOf(key)).length, entries, 'no entry for no change');
    });
  }
});

test('F19: a patch is atomic: what comes before and after a wrong instruction does not happen', async () => {
  const flag = await createPrepared('atomic');
  const entries = await entriesOf('atomic');
  const good = [{ kind: 'turnFlagOn' }, { kind: 'updateName', value: 'Changed' }, { kind: 'archiveFlag' }];
  for (let place = 0; place <= good.length; place += 1) {
    const answer = await instruct('atomic', ...good.toSpliced(place, 0, { kind: 'makeCoffee' }));
    assert.equal(answer.status, 422);
    assert.match(answer.json['message'], new RegExp(`^instructions\\[${place}\\] \\(makeCoffee\\): `));
    assert.equal(typeof answer.json['id'], 'string');
  }
  assert.deepEqual(await read('atomic'), flag);
  assert.deepEqual(await entriesOf('atomic'), entries);
});

test('F19: instructions that cannot hold together fail together', async () => {
  await create('circle-a');
  await create('circle-b');
  const need = async (key: string) => ({
    kind: 'addPrerequisite',
    key,
    variationId: (await read(key))['variations'][0]._id,
  });
  assert.equal((await instruct('circle-a', await need('circle-b'))).status, 200);
  const flag = await read('circle-b');
  const circle = await instruct('circle-b', { kind: 'turnFlagOn' }, await need('circle-a'));
  assert.equal(circle.status, 400, circle.text);
  assert.deepEqual(await read('circle-b'), flag);
  const archived = await instruct('circle-b', { kind: 'archiveFlag' });
  assert.equal(archived.status, 409, archived.text);
  const deleted = await instruct('circle-b', { kind: 'deleteFlag' });
  assert.equal(deleted.status, 409, deleted.text);
  const used = await instruct('circle-b', {
    kind: 'removeVariation',
    variationId: flag['variations'][0]._id,
  });
  assert.equal(used.status, 400, used.text);
  assert.deepEqual(await read('circle-b'), flag);
});

test('F16 a kind for one environment needs the environment, and an unknown one is an error for every kind', async () => {
  const flag = await createPrepared('nowhere');
  const missing = await patch('nowhere', { instructions: [{ kind: 'turnFlagOn' }] });
  assert.equal(missing.status, 422, missing.text);
  assert.match(missing.json['message'], /^instructions\[0\] \(turnFlagOn\): environmentKey is required/);
  for (const environmentKey of ['staging', '__proto__']) {
    for (const instruction of [{ kind: 'turnFlagOn' }, { kind: 'updateName', value: 'Lost' }]) {
      const answer = await patch('nowhere', { environmentKey, instructions: [instruction] });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json['message'], `environmentKey names no environment: ${environmentKey}.`);
    }
  }
  assert.deepEqual(await read('nowhere'), flag);
  const whole = await patch('nowhere', { instructions: [{ kind: 'updateName', value: 'Somewhere' }] });
  assert.equal(whole.status, 200, whole.text);
  assert.equal(whole.json['environments'][ENVIRONMENT].version, flag['environments'][ENVIRONMENT].version);
});

test('a body that is no semantic patch is not understood', async () => {
  const flag = await createPrepared('muddle');
  const bodies: unknown[] = [
    [],
    'text',
    {},
    { instructions: [] },
    { instructions: 'turnFlagOn' },
    { instructions: [{}] },
    { instructions: [null] },
    { instructions: [{ kind: 1 }] },
    { environmentKey: 1, instructions: [{ kind: 'turnFlagOn' }] },
  ];
  for (const body of bodies) {
    const answer = await call(`flags/${PROJECT}/muddle`, {
      method: 'PATCH',
      headers: { 'content-type': SEMANTIC },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`);
    assert.equal(answer.json['code'], 'patch_failed');
  }
  const plain = await call(`flags/${PROJECT}/muddle`, {
    method: 'PATCH',
    body: { environmentKey: ENVIRONMENT, instructions: [{ kind: 'turnFlagOn' }] },
  });
  assert.equal(plain.status, 400);
  const many = Array.from({ length: 1001 }, () => ({ kind: 'turnFlagOn' }));
  assert.equal((await instruct('muddle', ...many)).status, 400);
  assert.deepEqual(await read('muddle'), flag);
});

test('F22: the comment and the permissions are in the audit entry', async () => {
  await createPrepared('told');
  const instructions = [{ kind: 'turnFlagOn' }, { kind: 'addTags', values: ['urgent'] }];
  const { status } = await patch('told', {
    comment: 'For the sale',
    environmentKey: ENVIRONMENT,
    instructions,
  });
  assert.equal(status, 200);
  const [entry] = await entriesOf('told');
  assert.equal(entry!['comment'], 'For the sale');
  const actions = entry!['accesses'].map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.toSorted(), ['updateOn', 'updateTags']);
});

test('a dry run answers as if, and keeps nothing', async () => {
  const flag = await createPrepared('dry');
  const entries = await entriesOf('dry');
  const body = { environmentKey: ENVIRONMENT, instructions: [{ kind: 'turnFlagOn' }] };
  const answer = await patch('dry', body, { query: '?dryRun=true' });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json['environments'][ENVIRONMENT].on, true);
  assert.deepEqual(await read('dry'), flag);
  assert.deepEqual(await entriesOf('dry'), entries);
  const wrong = await patch('dry', { instructions: [{ kind: 'turnFlagOn' }] }, { query: '?dryRun=true' });
  assert.equal(wrong.status, 422);
});

test('F31: every instruction takes its own permission, and all of them', async () => {
  const flag = await createPrepared('guarded');
  const { value: token } = await giveToken(server, await join(server, 'tim', { role: 'admin' }), {
    inlinePolicy: [
      { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
      { effect: 'allow', actions: ['updateOn'], resources: ['proj/*:env/*:flag/*'] },
    ],
  });
  const on = { environmentKey: ENVIRONMENT, instructions: [{ kind: 'turnFlagOn' }] };
  const more = { ...on, instructions: [...on.instructions, { kind: 'updateName', value: 'Mine' }] };
  const refused = await patch('guarded', more, { token });
  assert.equal(refused.status, 401, refused.text);
  assert.equal(refused.json['access'].action, 'updateName');
  assert.deepEqual(await read('guarded'), flag);
  assert.equal((await patch('guarded', on, { token })).status, 200);
});

test('F18: the description of the API has every kind with its parameters', async () => {
  const { paths, components } = (await call('openapi.json')).json;
  const operation = paths['/flags/{projectKey}/{featureFlagKey}'].patch;
  const type = 'application/json; domain-model=flagservice.semanticpatch';
  assert.deepEqual(operation.requestBody.content[type].schema, {
    $ref: '#/components/schemas/FlagSemanticPatch',
  });
  const kinds = components.schemas['FlagInstruction'].oneOf as { $ref: string }[];
  assert.equal(kinds.length, 53);
  for (const { $ref } of kinds) {
    const { properties, description } = components.schemas[$ref.split('/').at(-1)!];
    assert.ok(operation.description.includes(`\`${properties.kind.const}\``), $ref);
    assert.ok(description.length > 0);
  }
});
