// Calls of the host's tests: people with tokens, and organizations.
import assert from 'node:assert/strict';
import { findOwner } from '../../../src/host/owners/store.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../../../src/host/repositories/repository.ts';
import { insertRepository } from '../../../src/host/repositories/store.ts';
import type { BaseRole } from '../../../src/kernel/identity/policy.ts';
import type { Member } from '../../../src/kernel/identity/store-members.ts';
import { joinHost } from '../../host-people.ts';
import type { Answer, CallInit, TestServer } from '../../server.ts';

/** A member and their token. */
export interface Person extends Member {
  token: string;
}

export async function createPerson(
  server: TestServer,
  username: string,
  role: BaseRole = 'writer',
): Promise<Person> {
  const { member, token } = await joinHost(server, username, { role });
  return { ...member, token };
}

/** Fails unless the call has the status. */
export async function expectStatus(
  server: TestServer,
  status: number,
  method: string,
  path: string,
  init: CallInit = {},
): Promise<Answer> {
  const answer = await server.call(path, { method, ...init });
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer;
}

/** With this admin and these members. */
export async function createTestOrganization(
  server: TestServer,
  login: string,
  { admin = 'admin', members = [] as string[] }: { admin?: string; members?: string[] } = {},
): Promise<Answer['json']> {
  const body = { login, admin };
  const { json } = await expectStatus(server, 201, 'POST', '/admin/organizations', { body });
  for (const username of members)
    await expectStatus(server, 200, 'PUT', `/orgs/${login}/memberships/${username}`);
  return json;
}

/** Inserts a repository directly, without anything in git. */
export async function giveRepository(
  { app: { kernel } }: TestServer,
  ownerLogin: string,
  name: string,
  isPrivate = true,
): Promise<number> {
  const owner = (await findOwner(kernel.db, ownerLogin))!;
  const fields = {
    ownerId: owner.id,
    name,
    description: null,
    isPrivate,
    defaultBranch: 'main',
    license: null,
    settings: DEFAULT_REPOSITORY_SETTINGS,
  };
  const repository = await kernel.db
    .transaction()
    .execute((tx) => insertRepository(tx, owner, fields, kernel.clock.now()));
  return repository.number;
}

/** The page numbers that a Link header names, by relation. */
export function linkedPages({ headers }: Answer): Record<string, string> {
  const links = (headers.get('link') ?? '').split(', ').map((link) => /<([^>]*)>; rel="(\w+)"/.exec(link));
  return Object.fromEntries(
    links.flatMap((found) => {
      const [, url = '', rel = ''] = found ?? [];
      return rel === 'deprecation' || found === null
        ? []
        : [[rel, new URL(url).searchParams.get('page') ?? '']];
    }),
  );
}
