// How settings and what there was before decide whether Actors may run.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEndOfFile } from '../../test/cleanup.ts';
import { needsNetwork } from '../../test/network-tests.ts';
import { readIsolationRecord, writeIsolationRecord } from '../actors/runner/isolation/isolation-record.ts';
import { explainRefusal, type Isolation } from '../actors/runner/isolation/isolation.ts';
import { executionSettingsOf, isLoopbackOnly, recordIsolation } from './execution-settings.ts';
import { readSettings, type SettingTexts } from './read-settings.ts';

const none: Isolation = { kind: 'none', tools: {}, shortfall: 'bubblewrap does not work here (EAGAIN)' };
const silent = { warn: () => {} };

function configOf(flags: SettingTexts) {
  return readSettings({ flags, env: {}, file: {} }).config;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'execution-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('only this machine can reach a server', () => {
  const cases: [SettingTexts, boolean][] = [
    [{}, true],
    [{ host: '::1' }, true],
    [{ host: '127.0.0.2' }, true],
    [{ publicUrl: 'http://localhost:8080' }, true],
    [{ publicUrl: 'https://signalbox.localhost' }, true],
    [{ publicUrl: 'http://[::1]:8080' }, true],
    [{ host: '0.0.0.0' }, false],
    [{ host: '127.0.0.1.example.com' }, false],
    [{ publicUrl: 'https://signalbox.example.com' }, false],
    [{ publicUrl: 'https://127.0.0.1.example.com' }, false],
    [{ publicUrl: 'https://localhost.example.com' }, false],
    [{ publicUrl: 'http://192.168.0.2:8080' }, false],
    [{ trustProxy: '127.0.0.1' }, false],
    [{ nodeUrl: 'http://10.0.0.2:8080' }, false],
    [{ role: 'all' }, true],
    [{ role: 'worker' }, false],
    [{ role: 'api' }, false],
  ];
  for (const [flags, isOnly] of cases) {
    test(`${isOnly ? 'with' : 'not with'} ${JSON.stringify(flags)}`, () => {
      assert.equal(isLoopbackOnly(configOf(flags)), isOnly);
    });
  }
});

test('behind a reverse proxy or another node Actors without isolation are refused, until the operator accepts that', async () => {
  const data = makeFolder();
  const refusalWith = async (flags: SettingTexts) =>
    explainRefusal(none, await executionSettingsOf(configOf({ data, ...flags }), none), 'linux');
  assert.equal(await refusalWith({}), undefined);
  for (const flags of [
    { publicUrl: 'https://signalbox.example.com' },
    { trustProxy: '127.0.0.1' },
    { role: 'worker' },
  ]) {
    assert.match(
      (await refusalWith(flags))!,
      /others can reach it; bubblewrap does not work here \(EAGAIN\)/,
    );
    assert.equal(await refusalWith({ ...flags, actorsUnsandboxed: '1' }), undefined);
  }
});

test('a data folder keeps its isolation until a setting accepts less', async () => {
  const data = makeFolder();
  const config = configOf({ data });
  await recordIsolation(config, await executionSettingsOf(config), silent);
  assert.ok(readIsolationRecord(data) !== undefined);
  const stronger = { kind: 'bubblewrap', hasUsers: true, disablesNamespaces: true } as const;
  writeIsolationRecord(data, stronger);
  const weaker = await executionSettingsOf(config, none);
  assert.match(weaker.isolationLoss!, /had bubblewrap before.*EAGAIN.*--actor-isolation none\.$/);
  assert.equal(weaker.work, `${data}-work`, 'what a crashed server left is found where it was');
  await recordIsolation(config, weaker, silent);
  assert.deepEqual(readIsolationRecord(data), stronger);
  for (const flags of [{ actorIsolation: 'none' }, { actorsUnsandboxed: '1' }]) {
    assert.equal((await executionSettingsOf(configOf({ data, ...flags }), none)).isolationLoss, undefined);
  }
});

describe('the network of runs', () => {
  test('is that of the machine where they cannot have their own, with the reason', async () => {
    const { network, networkShortfall, isolationLoss } = await executionSettingsOf(
      configOf({ data: makeFolder() }),
      none,
    );
    assert.deepEqual(
      [network, networkShortfall, isolationLoss],
      ['host', 'that needs bubblewrap', undefined],
    );
  });

  test('is refused where their own was asked for', async () => {
    const { network, isolationLoss } = await executionSettingsOf(
      configOf({ data: makeFolder(), actorNetwork: 'private' }),
      none,
    );
    assert.equal(network, 'private');
    assert.match(
      isolationLoss!,
      /--actor-network private\), which cannot be had here: that needs bubblewrap\. /,
    );
  });

  test('is refused where they had their own before, until the operator accepts another', async () => {
    const data = makeFolder();
    writeIsolationRecord(data, {
      kind: 'none',
      hasUsers: false,
      disablesNamespaces: false,
      hasOwnNetwork: true,
    });
    const { network, isolationLoss } = await executionSettingsOf(configOf({ data }), none);
    assert.equal(network, 'private');
    assert.match(isolationLoss!, /had a network of their own before.*--actor-network host\.$/);
    const accepted = await executionSettingsOf(configOf({ data, actorNetwork: 'host' }), none);
    assert.deepEqual([accepted.network, accepted.isolationLoss], ['host', undefined]);
  });

  test(
    'is their own where it can be had, also for the packages of Actors without one',
    { skip: needsNetwork },
    async () => {
      const { network, networkShortfall } = await executionSettingsOf(configOf({ data: makeFolder() }));
      assert.deepEqual([network, networkShortfall], ['private', undefined]);
      const without = await executionSettingsOf(configOf({ data: makeFolder(), actorNetwork: 'none' }));
      assert.deepEqual([without.network, without.packageNetwork], ['none', 'private']);
    },
  );
});

test('a server that runs no Actors records nothing', async () => {
  const data = makeFolder();
  const config = configOf({ data, role: 'api' });
  await recordIsolation(config, await executionSettingsOf(config), silent);
  assert.ok(!existsSync(join(data, 'isolation.json')));
});
