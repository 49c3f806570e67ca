// Concurrent changes of projects, environments and their resources.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlagProject, SEMANTIC } from '../conformance/flags/control-calls.ts';
import type { TestServer } from '../server.ts';
import { runClients } from './concurrent-clients.ts';

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const defaults = {
  tags: [],
  temporary: true,
  booleanDefaults: {
    trueDisplayName: 'Yes',
    falseDisplayName: 'No',
    trueDescription: '',
    falseDescription: '',
    onVariation: 0,
    offVariation: 1,
  },
  defaultClientSideAvailability: { usingMobileKey: false, usingEnvironmentId: false },
};

/** A list that is read in several statements. */
const READS = [
  (project: string) => `flags/${project}?env=passing&summary=false`,
  (project: string) => `flags/${project}/banner`,
  (project: string) => `flags/${project}?env=test&env=passing`,
  (project: string) => `projects/${project}?expand=environments`,
  (project: string) => `flag-statuses/${project}/passing`,
];

export function declareProjects(server: () => TestServer): void {
  test('a project and its context kinds are changed', async () => {
    const { project, call } = await openFlagProject(server());
    const at = `projects/${project}`;
    const { answers, entries } = await runClients(server(), (client, round) => {
      const text = `${client}-${round}`;
      return client % 2 === 0
        ? call(at, { method: 'PATCH', body: replace('/name', text) })
        : call(`${at}/context-kinds/device`, { method: 'PUT', body: { name: text } });
    });
    assert.equal(entries.length, answers.length);
  });

  test('the flag defaults of a project are replaced and patched', async () => {
    const { project, call } = await openFlagProject(server());
    const at = `projects/${project}`;
    const { answers, entries } = await runClients(server(), (client, round) => {
      const text = `${client}-${round}`;
      if (client % 2 === 0)
        return call(`${at}/flag-defaults`, {
          method: 'PATCH',
          body: replace('/booleanDefaults/trueDisplayName', text),
        });
      const booleanDefaults = { ...defaults.booleanDefaults, trueDescription: text };
      return call(`${at}/flag-defaults`, { method: 'PUT', body: { ...defaults, booleanDefaults } });
    });
    assert.equal(entries.length, answers.length);
  });

  test('projects of the same key are created and deleted', async () => {
    const { call } = await openFlagProject(server());
    const { entries, count } = await runClients(
      server(),
      (client, round) =>
        (client + round) % 2 === 0
          ? call('projects', { method: 'POST', body: { key: 'same', name: 'Same' } })
          : call('projects/same', { method: 'DELETE' }),
      { allowed: [201, 204, 404, 409] },
    );
    assert.equal(entries.length, count(201, 204));
    await call('projects/same', { method: 'DELETE' });
  });

  test('an environment is renamed, its keys are reset and its approvals set', async () => {
    const { project, call } = await openFlagProject(server());
    const at = `projects/${project}/environments/test`;
    const { answers, entries } = await runClients(server(), (client, round) => {
      const text = `${client}-${round}`;
      if (client % 4 === 0) return call(at, { method: 'PATCH', body: replace('/name', text) });
      if (client % 4 === 1) return call(`${at}/apiKey`, { method: 'POST' });
      if (client % 4 === 2) return call(`${at}/mobileKey`, { method: 'POST' });
      return call(at, {
        method: 'PATCH',
        body: replace('/approvalSettings/minNumApprovals', 1 + ((client + round) % 5)),
      });
    });
    assert.ok(entries.length >= (answers.length * 3) / 4);
  });

  test('an environment comes and goes while its flags, segments and project change', async () => {
    const { project, call, patchFlag } = await openFlagProject(server());
    const environments = `projects/${project}/environments`;
    const at = `${environments}/passing`;
    await call(`segments/${project}/test`, { method: 'POST', body: { key: 'known', name: 'Known' } });
    await runClients(
      server(),
      (client, round) => {
        const text = `${client}-${round}`;
        if (client === 0)
          return round % 2 === 0
            ? call(environments, {
                method: 'POST',
                body: { key: 'passing', name: 'Passing', color: 'abcdef', source: { key: 'test' } },
              })
            : call(at, { method: 'DELETE' });
        if (client === 1)
          return call(`flags/${project}/banner`, {
            method: 'PATCH',
            headers: SEMANTIC,
            body: {
              environmentKey: 'passing',
              instructions: [{ kind: round % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }],
            },
          });
        if (client === 2)
          return call(`flags/${project}/banner`, {
            method: 'PATCH',
            body: replace('/environments/passing/on', round % 2 === 0),
          });
        if (client === 3) return patchFlag([{ kind: round % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }]);
        if (client === 4)
          return call(`flags/${project}/banner`, { method: 'PATCH', body: replace('/name', text) });
        if (client === 5)
          return round % 2 === 0
            ? call(`flags/${project}`, { method: 'POST', body: { key: 'other', name: 'Other' } })
            : call(`flags/${project}/other`, { method: 'DELETE' });
        if (client === 6)
          return call(`projects/${project}`, { method: 'PATCH', body: replace('/name', text) });
        if (round % 2 === 0)
          return call(`segments/${project}/passing`, { method: 'POST', body: { key: 'new', name: 'New' } });
        return call(READS[round % READS.length]!(project));
      },
      { allowed: [200, 201, 204, 400, 404, 409, 422], isChained: false },
    );
  });
}
