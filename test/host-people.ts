// Members with tokens who call the host, for tests.
import assert from 'node:assert/strict';
import type { Member } from '../src/kernel/identity/store-members.ts';
import { giveToken, join } from './people.ts';
import type { Answer, CallInit, Json, TestServer } from './server.ts';

export interface HostPerson {
  login: string;
  member: Member;
  token: string;
  /** With the person's token, unless told otherwise. */
  call(path: string, init?: CallInit): Promise<Answer>;
  get(path: string): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
  /** Creates a repository of the person. */
  repository(name: string, fields?: Json): Promise<Json>;
}

/** A new member with a token of the same role. */
export async function joinHost(
  server: TestServer,
  login: string,
  fields: Parameters<typeof join>[2] = {},
): Promise<HostPerson> {
  const role = fields.role ?? 'writer';
  const member = await join(server, login, { ...fields, role });
  const { value: token } = await giveToken(server, member, { role });
  const call = (path: string, init: CallInit = {}) => server.call(path, { token, ...init });
  const send =
    (method: string) =>
    (path: string, body?: unknown): Promise<Answer> =>
      call(path, { method, ...(body !== undefined && { body }) });
  const post = send('POST');
  return {
    login,
    member,
    token,
    call,
    get: (path) => call(path),
    put: send('PUT'),
    post,
    patch: send('PATCH'),
    delete: send('DELETE'),
    async repository(name, more = {}) {
      const { status, text, json } = await post('/user/repos', { name, ...more });
      assert.equal(status, 201, text);
      return json;
    },
  };
}
