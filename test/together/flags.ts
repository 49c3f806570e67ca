// Concurrent changes of flags and segments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFlagProject, SEMANTIC, type FlagProject } from '../conformance/flags/control-calls.ts';
import type { TestServer } from '../server.ts';
import { CLIENTS, runClients, ROUNDS, type RunOptions, type ClientCall } from './concurrent-clients.ts';

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

export function declareFlags(server: () => TestServer): void {
  /** Changes a flag repeatedly; every change raises its version. */
  const runFlagClients = async (
    callOf: (setup: FlagProject) => ClientCall | Promise<ClientCall>,
    options?: RunOptions,
  ) => {
    const setup = await openFlagProject(server());
    const outcome = await runClients(server(), await callOf(setup), options);
    const flag = await setup.readFlag();
    assert.equal(flag['_version'], 1 + outcome.entries.length, 'each version has its entry');
    return { ...outcome, flag, setup };
  };

  test('a flag is renamed by JSON patch and by merge patch', async () => {
    const { entries, answers } = await runFlagClients(({ project, call }) => (client, round) => {
      const name = `${client}-${round}`;
      const body = client % 2 === 0 ? replace('/name', name) : { merge: { name } };
      return call(`flags/${project}/banner`, { method: 'PATCH', body });
    });
    assert.equal(entries.length, answers.length);
  });

  test('a flag is turned on and off in one environment by semantic patch', async () => {
    await runFlagClients(
      ({ patchFlag }) =>
        (client, round) =>
          patchFlag([{ kind: (client + round) % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }]),
    );
  });

  test('a flag is turned on and off in two environments by JSON patch', async () => {
    await runFlagClients(
      ({ project, call }) =>
        (client, round) =>
          call(`flags/${project}/banner`, {
            method: 'PATCH',
            body: replace(
              `/environments/${client % 2 === 0 ? 'test' : 'production'}/on`,
              (client + round) % 4 < 2,
            ),
          }),
    );
  });

  test('targets are added to a flag', async () => {
    const { flag, answers, entries } = await runFlagClients(async ({ patchFlag, readFlag }) => {
      const { variations } = await readFlag();
      const target = { contextKind: 'user', variationId: variations[0]._id };
      return (client, round) =>
        patchFlag([{ kind: 'addTargets', ...target, values: [`c${client}-${round}`] }]);
    });
    assert.equal(flag['environments'].test.targets[0].values.length, answers.length);
    assert.equal(entries.length, answers.length);
  });

  test('tags are added to a flag and taken off', async () => {
    const { flag } = await runFlagClients(
      ({ patchFlag }) =>
        (client, round) =>
          patchFlag([{ kind: round % 2 === 0 ? 'addTags' : 'removeTags', values: [`c${client}`] }]),
    );
    assert.deepEqual(flag['tags'], []);
  });

  test('of those who test for the same version one wins, and the others are told', async () => {
    const { count, entries } = await runFlagClients(
      ({ project, call, readFlag }) =>
        async (client, round) => {
          const { _version } = await readFlag();
          const body = [
            { op: 'test', path: '/_version', value: _version },
            ...replace('/description', `${client}-${round}`),
          ];
          const answer = await call(`flags/${project}/banner`, { method: 'PATCH', body });
          if (answer.status === 200) assert.equal(answer.json['_version'], _version + 1);
          return answer;
        },
      { allowed: [200, 409], isConditional: true },
    );
    assert.equal(entries.length, count(200));
    assert.ok(count(200) >= ROUNDS, 'each round has a winner');
  });

  test('a flag is copied from one environment to the other and back', async () => {
    await runFlagClients(
      ({ project, call, patchFlag }) =>
        (client, round) => {
          if (client === 0) return patchFlag([{ kind: round % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }]);
          const [source, target] = client % 2 === 0 ? ['test', 'production'] : ['production', 'test'];
          const body = { source: { key: source }, target: { key: target } };
          return call(`flags/${project}/banner/copy`, { method: 'POST', body });
        },
      { allowed: [200, 201] },
    );
  });

  test('what a flag serves to one context is set', async () => {
    const { flag } = await runFlagClients(
      ({ project, call }) =>
        (client, round) =>
          call(`projects/${project}/environments/test/contexts/user/c${client}/flags/banner`, {
            method: 'PUT',
            body: { setting: round % 2 === 0 },
          }),
      { allowed: [204] },
    );
    const { targets } = flag['environments'].test;
    assert.equal(targets.flatMap(({ values }: { values: string[] }) => values).length, CLIENTS);
  });

  test('flags of the same key are created and deleted', async () => {
    const { project, call } = await openFlagProject(server());
    const { entries, count } = await runClients(
      server(),
      (client, round) =>
        (client + round) % 2 === 0
          ? call(`flags/${project}`, { method: 'POST', body: { key: 'same', name: 'Same' } })
          : call(`flags/${project}/same`, { method: 'DELETE' }),
      { allowed: [201, 204, 404, 409] },
    );
    assert.equal(entries.length, count(201, 204));
    const { status } = await call(`flags/${project}/same`);
    assert.equal(count(201) - count(204), status === 200 ? 1 : 0);
  });

  test('flags come to need each other, and are archived and deleted meanwhile', async () => {
    const { project, call } = await openFlagProject(server());
    const keys = ['a', 'b', 'c', 'd'];
    const post = (key: string) => call(`flags/${project}`, { method: 'POST', body: { key, name: key } });
    for (const key of keys) await post(key);
    await runClients(
      server(),
      async (client, round) => {
        const key = keys[client % 4]!;
        const other = keys[(client + 1 + (round % 3)) % 4]!;
        if (client === 6) return call(`flags/${project}/${key}`, { method: 'DELETE' });
        if (client === 7) return post(keys[2]!);
        const { json } = await call(`flags/${project}/${other}`);
        const instructions =
          round % 2 === 0
            ? [{ kind: 'addPrerequisite', key: other, variationId: json['variations']?.[0]._id ?? 'gone' }]
            : [{ kind: 'removePrerequisite', key: other }];
        return call(`flags/${project}/${key}`, {
          method: 'PATCH',
          headers: SEMANTIC,
          body: { environmentKey: 'test', instructions },
        });
      },
      { allowed: [200, 201, 204, 400, 404, 409] },
    );
  });

  test('segments of the same key are created and deleted, also while a flag begins to use them', async () => {
    const { project, call, patchFlag } = await openFlagProject(server());
    const { variations } = (await call(`flags/${project}/banner`)).json;
    const clause = { attribute: 'segmentMatch', op: 'segmentMatch', values: ['same'] };
    const { entries, count } = await runClients(
      server(),
      (client, round) => {
        if (client === 7)
          return patchFlag([
            {
              kind: 'replaceRules',
              rules: round % 2 === 0 ? [{ clauses: [clause], variationId: variations[0]._id }] : [],
            },
          ]);
        return (client + round) % 2 === 0
          ? call(`segments/${project}/test`, { method: 'POST', body: { key: 'same', name: 'Same' } })
          : call(`segments/${project}/test/same`, { method: 'DELETE' });
      },
      { allowed: [200, 201, 204, 404, 409] },
    );
    assert.equal(entries.filter(({ kind }) => kind === 'segment').length, count(201, 204));
  });

  test('a segment is changed by all kinds of patches', async () => {
    const { project, call } = await openFlagProject(server());
    await call(`segments/${project}/test`, { method: 'POST', body: { key: 'known', name: 'Known' } });
    const at = `segments/${project}/test/known`;
    const { answers, entries } = await runClients(server(), (client, round) => {
      const name = `${client}-${round}`;
      if (client % 3 === 0) return call(at, { method: 'PATCH', body: replace('/name', name) });
      if (client % 3 === 1) return call(at, { method: 'PATCH', body: { merge: { name } } });
      const instructions = [{ kind: 'addIncludedTargets', contextKind: 'user', values: [name] }];
      return call(at, { method: 'PATCH', headers: SEMANTIC, body: { instructions } });
    });
    assert.equal(entries.length, answers.length);
    const { json } = await call(at);
    assert.equal(json['version'], 1 + answers.length);
    assert.equal(json['included'].length, 2 * ROUNDS);
  });

  test('members come into a big segment and leave it', async () => {
    const { project, call } = await openFlagProject(server());
    const big = { key: 'big', name: 'Big', unbounded: true, unboundedContextKind: 'user' };
    await call(`segments/${project}/test`, { method: 'POST', body: big });
    const at = `segments/${project}/test/big`;
    await runClients(
      server(),
      (client, round) => {
        const keys = ['x', 'y', `c${client}`];
        const list = client % 2 === 0 ? keys : keys.toReversed();
        const body = { included: round % 2 === 0 ? { add: list } : { remove: list } };
        return call(`${at}/contexts`, { method: 'POST', body });
      },
      { allowed: [204] },
    );
    const { json } = await call(at);
    const left = await Promise.all(
      ['x', 'y', ...Array.from({ length: CLIENTS }, (_, client) => `c${client}`)].map(async (key) => {
        const answer = await call(`${at}/contexts/${key}`);
        return answer.json['included'] === true ? 1 : 0;
      }),
    );
    assert.equal(
      json['_unboundedMetadata'].includedCount,
      left.reduce<number>((sum, one) => sum + one, 0),
    );
  });
}
