// Calls for tests of feature flags: create flags, patch them in each of the three ways, read them.
import assert from 'node:assert/strict';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';

export const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };

export function flagCalls({ call }: TestServer, project = 'default') {
  const at = (key: string) => `/api/v2/flags/${project}/${key}`;
  return {
    at,
    /** Creates a flag; its name is its key unless given. */
    async make(key: string, fields: Json = {}, query = ''): Promise<Json> {
      const answer = await call(`/api/v2/flags/${project}${query}`, {
        method: 'POST',
        body: { key, name: key, ...fields },
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.json;
    },
    async get(key: string, query = ''): Promise<Json> {
      const answer = await call(at(key) + query);
      assert.equal(answer.status, 200, answer.text);
      return answer.json;
    },
    async list(query = ''): Promise<Json> {
      const answer = await call(`/api/v2/flags/${project}?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json;
    },
    /** A JSON patch, a merge patch, or an envelope with either. */
    patch: (key: string, body: unknown, init: CallInit = {}): Promise<Answer> =>
      call(at(key) + (init.headers?.['x-query'] ?? ''), { method: 'PATCH', body, ...init }),
    instruct: (
      key: string,
      environmentKey: string | undefined,
      instructions: Json[],
      rest: Json = {},
      init: CallInit = {},
    ): Promise<Answer> =>
      call(at(key), {
        method: 'PATCH',
        ...init,
        headers: { ...SEMANTIC, ...init.headers },
        body: { ...(environmentKey !== undefined && { environmentKey }), instructions, ...rest },
      }),
  };
}

/** The keys of a list, in its order. */
export function keysOf(list: Json): string[] {
  return (list.items as Json[]).map(({ key }) => key as string);
}

/** Fails unless the call was refused with this status and an error object. */
export function assertRefused(answer: Answer, status: number, code: string, message?: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.code, code, answer.text);
  assert.match(answer.json.id, /^[0-9a-f-]{36}$/);
  if (message !== undefined) assert.match(answer.json.message, message);
}
