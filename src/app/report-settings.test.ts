// Settings as a running server reports them: their origin, and nothing that is secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './read-settings.ts';
import { settingsInForce } from './report-settings.ts';

const settings = readSettings({
  flags: { data: '/srv/box', limit: 'host.core=9/60' },
  env: {
    DATABASE_URL: 'postgres://box:hunter2@db/box',
    SIGNALBOX_ADMIN_PASSWORD: 'correct horse',
    SIGNALBOX_RETENTION_DAYS: '3',
  },
  file: { retentionDays: '9', trustProxy: '10.0.0.1, 10.0.0.2' },
});
const reported = settingsInForce(settings, '8081');
const find = (name: string) => reported.find((one) => one.name === name)!;

test('a setting says where it comes from, and the first of flag, environment, file and default holds', () => {
  assert.deepEqual(
    ['data', 'retentionDays', 'trustProxy', 'host'].map((name) => [find(name).value, find(name).source]),
    [
      ['/srv/box', 'flag'],
      ['3', 'environment'],
      ['10.0.0.1,10.0.0.2', 'file'],
      ['127.0.0.1', 'default'],
    ],
  );
  assert.equal(find('limit').value, 'host.core=9:9/60');
});

test('the port is the one that the server listens on', () => {
  assert.equal(find('port').value, '8081');
});

test('of secrets only whether they are set is said, and passwords in addresses are masked', () => {
  const { value, isSet, isSecret, source } = find('adminPassword');
  assert.deepEqual([value, isSet, isSecret, source], [undefined, true, true, 'environment']);
  assert.deepEqual([find('secretKey').isSet, find('publicUrl').isSet], [false, false]);
  assert.equal(find('database').value, 'postgres://box:***@db/box');
  assert.doesNotMatch(JSON.stringify(reported), /hunter2|correct horse/);
});
