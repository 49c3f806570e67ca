// Calls for tests of an environment's keys, in a project of their own on a running server.
import assert from 'node:assert/strict';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { flagCalls } from '../feature-flags/feature-flag-calls.ts';

export const HOUR = 3_600_000;
export const USER = { kind: 'user', key: 'u' };

export interface Keys {
  sdk: string;
  mobile: string;
  client: string;
}

export function inBase64(context: unknown): string {
  return Buffer.from(JSON.stringify(context)).toString('base64url');
}

export function seenBy(usingMobileKey: boolean, usingEnvironmentId: boolean) {
  return { clientSideAvailability: { usingMobileKey, usingEnvironmentId } };
}

export const forBrowsers = seenBy(false, true);

let number = 0;

/** In the environment `test` unless given. Calls with keys have no rate limits. */
export async function openProject(server: TestServer) {
  number += 1;
  const project = `p${number}`;
  const flags = flagCalls(server, project);

  async function rest(path: string, init?: CallInit): Promise<Json> {
    const answer = await server.call(`/api/v2/${path}`, init);
    assert.ok(answer.status < 300, answer.text);
    return answer.text === '' ? {} : answer.json;
  }

  async function readKeys(environment: string): Promise<Keys> {
    const { apiKey, mobileKey, _id } = await rest(`projects/${project}/environments/${environment}`);
    return { sdk: apiKey as string, mobile: mobileKey as string, client: _id as string };
  }

  /** A call of an SDK: no token, and optionally a key. */
  const ask = (
    path: string,
    key?: string,
    headers: Record<string, string> = {},
    init: CallInit = {},
  ): Promise<Answer> =>
    server.call(path, {
      ...init,
      token: null,
      headers: { ...(key !== undefined && { authorization: key }), ...headers },
    });

  async function read(path: string, key?: string): Promise<Json> {
    const answer = await ask(path, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  await rest('projects', { method: 'POST', body: { key: project, name: project } });
  const keys = await readKeys('test');
  return {
    project,
    flags,
    keys,
    rest,
    readKeys,
    ask,
    async instruct(key: string, instructions: Json[], environment = 'test'): Promise<Json> {
      const answer = await flags.instruct(key, environment, instructions);
      assert.equal(answer.status, 200, answer.text);
      return answer.json;
    },
    patchEnvironment: (path: string, value: unknown) =>
      rest(`projects/${project}/environments/test`, {
        method: 'PATCH',
        body: [{ op: 'replace', path, value }],
      }),
    makeSegment: (key: string, fields: Json = {}) =>
      rest(`segments/${project}/test`, { method: 'POST', body: { key, name: key, ...fields } }),
    latest: (key = keys.sdk) => read('/sdk/latest-all', key),
    evaluate: (context: unknown = USER, query = '', client = keys.client) =>
      read(`/sdk/evalx/${client}/contexts/${inBase64(context)}${query}`),
    evaluateMobile: (context: unknown = USER, query = '', key = keys.mobile) =>
      read(`/msdk/evalx/contexts/${inBase64(context)}${query}`, key),
  };
}

export type KeyProject = Awaited<ReturnType<typeof openProject>>;
