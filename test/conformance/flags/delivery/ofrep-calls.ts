// Calls for tests of OFREP, in a project of their own on a running server.
import assert from 'node:assert/strict';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { openProject, type KeyProject } from './keys-calls.ts';

export const BULK = '/ofrep/v1/evaluate/flags';
export const USER = { targetingKey: 'u' };

export interface OfrepProject extends KeyProject {
  /** Evaluates with the SDK key unless given; the context is that of a user unless given. */
  evaluateOne(flag: string, context?: unknown, init?: OfrepInit): Promise<Answer>;
  evaluateAll(context?: unknown, init?: OfrepInit): Promise<Answer>;
  /** The flags of a bulk evaluation, by key. */
  flagsFor(context?: unknown, key?: string): Promise<Record<string, Json>>;
}

export interface OfrepInit extends CallInit {
  key?: string;
  query?: string;
}

export async function openOfrepProject(server: TestServer): Promise<OfrepProject> {
  const home = await openProject(server);
  const ask = (path: string, context: unknown, { key = home.keys.sdk, query = '', ...init }: OfrepInit) =>
    server.call(path + query, {
      method: 'POST',
      token: null,
      body: { context },
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
  const evaluateAll = (context: unknown = USER, init: OfrepInit = {}) => ask(BULK, context, init);
  return {
    ...home,
    evaluateOne: (flag, context = USER, init = {}) => ask(`${BULK}/${flag}`, context, init),
    evaluateAll,
    async flagsFor(context, key = home.keys.sdk) {
      const answer = await evaluateAll(context, { key });
      assert.equal(answer.status, 200, answer.text);
      return Object.fromEntries(
        (answer.json['flags'] as Json[]).map((flag) => [flag['key'] as string, flag]),
      );
    },
  };
}

/** Fails unless the call was refused with this status and an error of the protocol. */
export function assertOfrepError(
  answer: Answer,
  status: number,
  errorCode?: string,
  key?: string,
  details?: RegExp,
): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  const { errorDetails, ...rest } = answer.json;
  assert.equal(typeof errorDetails, 'string', answer.text);
  assert.deepEqual(
    rest,
    { ...(key !== undefined && { key }), ...(errorCode !== undefined && { errorCode }) },
    answer.text,
  );
  if (details !== undefined) assert.match(errorDetails as string, details);
}
