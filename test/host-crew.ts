// An organization with a repository, its admin, a team, a collaborator and a service token, for tests of protected branches.
import assert from 'node:assert/strict';
import { createTestOrganization } from './conformance/host/organization-calls.ts';
import { joinHost, type HostPerson } from './host-people.ts';
import { giveToken } from './people.ts';
import type { Answer, CallInit, Json, TestServer } from './server.ts';

export interface Crew {
  /** Admin of the organization `crew`. */
  ada: HostPerson;
  /** May push as a member of the team `pushers`. */
  bob: HostPerson;
  /** May push as a collaborator. */
  cleo: HostPerson;
  /** Knows what is public. */
  eve: HostPerson;
  /** Calls with the service token `deploy.bot`. */
  deploy: (path: string, init?: CallInit) => Promise<Answer>;
  /** Creates a repository of the organization with one commit. Returns its path and the commit. */
  repository(name: string, fields?: Json): Promise<{ path: string; head: string }>;
}

export async function expectAnswer(status: number, answer: Promise<Answer>): Promise<Json> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  return got.text === '' ? {} : got.json;
}

export async function gatherCrew(server: TestServer): Promise<Crew> {
  const [ada, bob, cleo, eve] = [
    await joinHost(server, 'ada'),
    await joinHost(server, 'bob'),
    await joinHost(server, 'cleo'),
    await joinHost(server, 'eve'),
  ];
  await createTestOrganization(server, 'crew', { admin: 'ada', members: ['bob'] });
  await expectAnswer(201, ada.post('/orgs/crew/teams', { name: 'pushers', privacy: 'closed' }));
  await expectAnswer(200, ada.put('/orgs/crew/teams/pushers/memberships/bob'));
  const { value: token } = await giveToken(server, ada.member, {
    role: 'writer',
    name: 'Deploy',
    isService: true,
  });
  const deploy = (path: string, init: CallInit = {}) => server.call(path, { token, ...init });
  // A service token is an account from its first call on.
  await expectAnswer(200, deploy('/user'));
  return {
    ada,
    bob,
    cleo,
    eve,
    deploy,
    async repository(name, fields = {}) {
      await expectAnswer(201, ada.post('/orgs/crew/repos', { name, auto_init: true, ...fields }));
      const path = `/repos/crew/${name}`;
      await expectAnswer(204, ada.put(`/orgs/crew/teams/pushers${path}`, { permission: 'push' }));
      for (const login of ['cleo', 'deploy.bot'])
        await expectAnswer(204, ada.put(`${path}/collaborators/${login}`, { permission: 'push' }));
      const { object } = await expectAnswer(200, ada.get(`${path}/git/ref/heads/main`));
      return { path, head: object.sha as string };
    },
  };
}

/** A rule without any requirement. */
export const NO_REQUIREMENTS = {
  required_status_checks: null,
  enforce_admins: null,
  required_pull_request_reviews: null,
  restrictions: null,
};
