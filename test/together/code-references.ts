// Concurrent changes of repositories of code references and their branches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expect, openFlagProject } from '../conformance/flags/control-calls.ts';
import type { TestServer } from '../server.ts';
import { CLIENTS, runClients, ROUNDS } from './concurrent-clients.ts';

const REPOSITORIES = 'code-refs/repositories';
const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

export function declareCodeReferences(server: () => TestServer): void {
  const call: TestServer['call'] = (path, init) => server().call(`/api/v2/${path}`, init);
  const create = (name: string) => call(REPOSITORIES, { method: 'POST', body: { name } });
  const put = (repo: string, branch: string, body: object) =>
    call(`${REPOSITORIES}/${repo}/branches/${branch}`, {
      method: 'PUT',
      body: { name: branch, head: 'a', syncTime: 1, ...body },
    });
  const referencesTo = (project: string, line: number) => [
    { path: 'a.ts', hunks: [{ startingLineNumber: line, projKey: project, flagKey: 'banner' }] },
  ];

  test('a repository is changed, and others of the same name are created and deleted', async () => {
    await expect(200, create('changed'));
    const { entries, count } = await runClients(
      server(),
      (client, round) => {
        if (client < 4) {
          const body = replace('/sourceLink', `https://git.example/${client}-${round}`);
          return call(`${REPOSITORIES}/changed`, { method: 'PATCH', body });
        }
        return (client + round) % 2 === 0
          ? create('same')
          : call(`${REPOSITORIES}/same`, { method: 'DELETE' });
      },
      { allowed: [200, 204, 404, 409] },
    );
    assert.equal(entries.length, count(200, 204));
    // Each creation but the last one was followed by a deletion.
    const left = count(200) - 4 * ROUNDS - count(204);
    assert.ok(left === 0 || left === 1, `${left} are left`);
  });

  test('of scans of one branch the highest number stays', async () => {
    const { project } = await openFlagProject(server());
    await expect(200, create('scanned'));
    const { count, entries } = await runClients(
      server(),
      (client, round) => {
        const updateSequenceId = round * CLIENTS + client;
        const references = referencesTo(project, updateSequenceId);
        return put('scanned', 'main', { updateSequenceId, references });
      },
      { allowed: [200, 409], isConditional: true },
    );
    assert.equal(entries.length, count(200));
    const { json } = await call(`${REPOSITORIES}/scanned/branches/main`);
    const last = ROUNDS * CLIENTS - 1;
    assert.deepEqual(
      [json['updateSequenceId'], json['references'][0].hunks[0].startingLineNumber],
      [last, last],
    );
  });

  test('branches are scanned and deleted, and extinctions recorded', async () => {
    const { project } = await openFlagProject(server());
    await expect(200, create('branches'));
    await runClients(
      server(),
      (client, round) => {
        const branch = `b${(client + round) % 3}`;
        if (client % 4 === 0)
          return call(`${REPOSITORIES}/branches/branch-delete-tasks`, {
            method: 'POST',
            body: ['b2', 'b0', 'b1'],
          });
        if (client % 4 === 1)
          return call(`${REPOSITORIES}/branches/branches/${branch}/extinction-events`, {
            method: 'POST',
            body: [{ revision: `r${round}`, message: '', time: 1, projKey: project, flagKey: 'banner' }],
          });
        return put('branches', branch, { references: referencesTo(project, round) });
      },
      { allowed: [200, 204, 404], isChained: false },
    );
  });

  test('repositories and projects go while branches are scanned', async () => {
    const projects = await Promise.all([openFlagProject(server()), openFlagProject(server())]);
    const last = ROUNDS - 1;
    await expect(200, create('going'));
    await runClients(
      server(),
      (client, round) => {
        const { project } = projects[client % 2]!;
        if (client < 2 && round === last) return call(`projects/${project}`, { method: 'DELETE' });
        if (client === 2)
          return round % 2 === 0 ? call(`${REPOSITORIES}/going`, { method: 'DELETE' }) : create('going');
        return put('going', `b${client}`, { references: referencesTo(project, round) });
      },
      { allowed: [200, 204, 400, 404], isChained: false },
    );
    const { json } = await call(`${REPOSITORIES}?withReferencesForDefaultBranch=1`);
    for (const { project } of projects) assert.ok(!JSON.stringify(json).includes(project));
  });
}
