// Calls for tests of scheduled changes, approvals and triggers, each in a project of its own.
import assert from 'node:assert/strict';
import type { PolicyStatement } from '../../../src/kernel/identity/policy.ts';
import type { NewToken } from '../../../src/kernel/identity/store-tokens.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { Answer, CallInit, TestServer } from '../../server.ts';

export const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
/** Beta routes need this header. */
const BETA = { 'ld-api-version': 'beta' };
export const MINUTE = 60_000;
export const ON = { kind: 'turnFlagOn' };
export const OFF = { kind: 'turnFlagOff' };

let number = 0;

/** A project with the flag `banner` in `test` and `production`. The server may be started later. */
export async function openFlagProject(server: TestServer) {
  number += 1;
  const project = `p${number}-${Math.random().toString(36).slice(2, 8)}`;
  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(`/api/v2/${path}`, init);
  await expect(201, call('projects', { method: 'POST', body: { key: project, name: 'Project' } }));
  await expect(201, call(`flags/${project}`, { method: 'POST', body: { key: 'banner', name: 'Banner' } }));
  const place = `projects/${project}/flags/banner/environments/test`;
  const resource = `proj/${project}:env/test:flag/banner`;
  const { db, engine } = server.app.kernel;
  const read = async () => (await expect(200, call(`flags/${project}/banner`))).json;
  return {
    project,
    place,
    resource,
    call,
    readFlag: read,
    isOn: async (environment = 'test') => (await read())['environments'][environment].on as boolean,
    patchFlag: (instructions: object[], { query = '', ...init }: CallInit & { query?: string } = {}) =>
      call(`flags/${project}/banner${query}`, {
        method: 'PATCH',
        headers: SEMANTIC,
        body: { environmentKey: 'test', comment: 'because', instructions },
        ...init,
      }),
    instruct: (
      path: string,
      instructions: object[],
      { query = '', ...init }: CallInit & { query?: string } = {},
    ) =>
      call(path + query, {
        method: 'PATCH',
        headers: { ...SEMANTIC, ...BETA },
        body: { instructions },
        ...init,
      }),
    /** Settings of the environment `test`. */
    setApprovals: async (settings: object) => {
      const body = Object.entries(settings).map(([name, value]) => ({
        op: 'replace',
        path: `/approvalSettings/${name}`,
        value,
      }));
      await expect(200, call(`projects/${project}/environments/test`, { method: 'PATCH', body }));
    },
    /** Adds a rule that instructions can name. */
    addRule: async () => {
      const clauses = [{ attribute: 'country', op: 'in', values: ['de'] }];
      const { variations } = await read();
      const body = { kind: 'addRule', clauses, variationId: variations[0]._id };
      const { json } = await expect(
        200,
        call(`flags/${project}/banner`, {
          method: 'PATCH',
          headers: SEMANTIC,
          body: { environmentKey: 'test', instructions: [body] },
        }),
      );
      return json['environments'].test.rules[0]._id as string;
    },
    /** The audit entries of the flag in `test`. */
    events: () =>
      db.selectFrom('events').selectAll().where('resource', '=', resource).orderBy('seq').execute(),
    /** Wakes the workers, and waits for the expected result. */
    settle: async (isSo: () => boolean | Promise<boolean>) => {
      await engine.notify('due');
      await eventually(isSo);
    },
    dueOf: (id: string) =>
      db.selectFrom('due').selectAll().where('payload', '=', id).where('kind', 'like', 'flags.%').execute(),
  };
}

export type FlagProject = Awaited<ReturnType<typeof openFlagProject>>;

export async function expect(status: number, answer: Promise<Answer>): Promise<Answer> {
  const given = await answer;
  assert.equal(given.status, status, given.text);
  return given;
}

let people = 0;

/** A member with a token of its own. */
export async function giveMember(
  server: TestServer,
  power: Partial<Pick<NewToken, 'role' | 'inlinePolicy' | 'isService'>> = { role: 'writer' },
  role: 'reader' | 'writer' | 'admin' = 'writer',
) {
  people += 1;
  const member = await join(server, `p${people}-${Math.random().toString(36).slice(2, 8)}`, { role });
  const { value } = await giveToken(server, member, power);
  return { member, token: value };
}

export const allow = (actions: string[], resources = ['proj/*:env/*:flag/*']): PolicyStatement[] => [
  { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
  { effect: 'allow', actions, resources },
];

/** Asserts that the body is an error object with this code. */
export function assertError({ json }: Answer, code: string): void {
  const { code: found, message, id } = json;
  assert.equal(found, code);
  assert.ok(typeof message === 'string' && message !== '');
  assert.match(id as string, /^[0-9a-f-]{36}$/);
}
