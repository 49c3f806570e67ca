// A server for tests of the host's git database, and its calls: repositories, and commits in them.
import assert from 'node:assert/strict';
import { afterGitTests as after, beforeGitTests as before } from '../../../git-tests.ts';
import { joinHost } from '../../../host-people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

/** The id of no object. */
export const NO_OBJECT = '1234567890123456789012345678901234567890';

export interface GitRepository {
  path: string;
  /** The commit of `main`, if the repository has one. */
  head: string;
  folder: string;
}

/** Declares the server of the file. Its people are there when tests begin. */
export function onGitServer() {
  const people = {} as { server: TestServer; ada: string; bob: string };
  before(async () => {
    const server = await startServer();
    const { token: ada } = await joinHost(server, 'ada');
    const { token: bob } = await joinHost(server, 'bob');
    Object.assign(people, { server, ada, bob });
  });
  after(() => people.server.stop());

  const send = (method: string, path: string, body?: unknown, token: string | null = people.ada) =>
    people.server.call(path, { method, token, ...(body !== undefined && { body }) });

  async function create(name: string, fields: Json = { auto_init: true }): Promise<GitRepository> {
    const { id } = await expect(201, send('POST', '/user/repos', { name, ...fields }));
    const git = people.server.app.kernel.services.git.repository(id as number);
    const head = (await git.readRef('refs/heads/main')) ?? '';
    return { path: `/repos/ada/${name}`, head, folder: git.folder };
  }

  async function commit({ path, head }: GitRepository, message: string, parents = [head]): Promise<string> {
    const { tree } = await expect(200, send('GET', `${path}/git/commits/${head}`));
    const made = await expect(
      201,
      send('POST', `${path}/git/commits`, { message, tree: tree.sha as string, parents }),
    );
    return String(made['sha']);
  }

  return { people, send, create, commit };
}

export async function expect(status: number, answer: Promise<Answer>): Promise<Json> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  return got.text === '' ? {} : got.json;
}
