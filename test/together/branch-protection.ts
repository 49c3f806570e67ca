// Concurrent changes of the protection of one branch on the host.
import assert from 'node:assert/strict';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { test } from 'node:test';
import { expectAnswer, gatherCrew, NO_REQUIREMENTS, type Crew } from '../host-crew.ts';
import type { TestServer } from '../server.ts';
import { CLIENTS, ROUNDS, runClients } from './concurrent-clients.ts';

export function declareBranchProtection(server: () => TestServer): void {
  let gathered: Promise<Crew> | undefined;
  const gather = () => (gathered ??= gatherCrew(server()));

  async function protect(name: string): Promise<{ url: string; crew: Crew }> {
    const crew = await gather();
    const { path } = await crew.repository(name);
    const url = `${path}/branches/main/protection`;
    const rule = {
      ...NO_REQUIREMENTS,
      required_status_checks: { strict: false, contexts: [] },
      restrictions: { users: [], teams: [] },
    };
    await expectAnswer(200, crew.ada.put(url, rule));
    return { url, crew };
  }

  test('every part of one rule is changed at once, and no change is lost', needsGit, async () => {
    const { url, crew } = await protect('together');
    const { ada } = crew;
    const contexts = `${url}/required_status_checks/contexts`;
    const { entries } = await runClients(
      server(),
      (client, round) => {
        const isEven = round % 2 === 0;
        if (client < 4) return ada.post(contexts, [`${client}-${round}`]);
        if (client === 4)
          return isEven ? ada.post(`${url}/enforce_admins`) : ada.delete(`${url}/enforce_admins`);
        if (client === 5) return ada.patch(`${url}/required_status_checks`, { strict: isEven });
        if (client === 6)
          return ada.patch(`${url}/required_pull_request_reviews`, {
            required_approving_review_count: round,
          });
        const users = `${url}/restrictions/users`;
        return isEven ? ada.post(users, ['cleo']) : ada.delete(users, ['cleo']);
      },
      { allowed: [200, 204] },
    );
    assert.ok(entries.length >= 4 * ROUNDS);
    const listed = await expectAnswer(200, ada.get(contexts));
    assert.equal(listed['length'], 4 * ROUNDS);
  });

  test('a rule comes and goes while its parts are changed', needsGit, async () => {
    const { url, crew } = await protect('passing');
    const { ada } = crew;
    const { count, entries } = await runClients(
      server(),
      (client, round) => {
        if (client < 2) return ada.put(url, { ...NO_REQUIREMENTS, enforce_admins: client === 0 });
        if (client < 4) return ada.delete(url);
        if (client < 6) return ada.post(`${url}/required_signatures`);
        return ada.patch(`${url}/required_pull_request_reviews`, {
          dismiss_stale_reviews: (client + round) % 2 === 0,
        });
      },
      { allowed: [200, 204, 404] },
    );
    assert.ok(count(200, 204) >= entries.length && entries.length >= CLIENTS / 4);
  });
}
