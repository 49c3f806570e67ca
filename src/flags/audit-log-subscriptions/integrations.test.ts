// The integrations of audit-log subscriptions: the request that each makes of an audit entry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../kernel/change/change.ts';
import { toEntryDetail } from '../audit-log/model.ts';
import { publicConfig, readConfig, openConfig, maskConfig } from './model.ts';
import { INTEGRATIONS } from './integrations.ts';

const entry: AuditEntry = {
  id: '0123456789abcdef01234567',
  at: 1_800_000_000_000,
  accesses: [{ action: 'updateOn', resource: 'proj/shop:env/test:flag/banner' }],
  resource: 'proj/shop:env/test:flag/banner',
  kind: 'flag',
  name: 'Banner <!channel>',
  verb: 'turned on the flag',
  comment: 'because of tonight',
  who: { member: { _id: 'a', email: 'ada@example.com' } },
};

const SAMPLES: Record<string, Record<string, string | boolean>> = {
  datadog: { apiKey: 'secret-of-datadog' },
  dynatrace: { apiToken: 'secret-of-dynatrace', url: 'https://d.example/' },
  'dynatrace-v2': { apiToken: 'secret-of-dynatrace', url: 'https://d.example' },
  elastic: { url: 'https://e.example:9243', token: 'secret-of-elastic', index: 'audit' },
  grafana: { endpointUrl: 'https://g.example', apiKey: 'secret-of-grafana' },
  honeycomb: { datasetName: 'my data/set', apiKey: 'secret-of-honeycomb' },
  logdna: { ingestionKey: 'secret-of-logdna' },
  msteams: { url: 'https://t.example/secret-of-teams' },
  'new-relic-apm': { apiKey: 'secret-of-new-relic', applicationId: '12' },
  signalfx: { accessToken: 'secret-of-signalfx', realm: 'eu0' },
  slack: { url: 'https://s.example/secret-of-slack' },
  splunk: { 'base-url': 'https://p.example', token: 'secret-of-splunk', 'skip-ca-verification': true },
};

const URLS: Record<string, string> = {
  datadog: 'https://api.datadoghq.com/api/v1/events',
  dynatrace: 'https://d.example/api/v1/events',
  'dynatrace-v2': 'https://d.example/api/v2/events/ingest',
  elastic: 'https://e.example:9243/audit/_doc',
  grafana: 'https://g.example/api/annotations',
  honeycomb: 'https://api.honeycomb.io/1/markers/my%20data%2Fset',
  logdna: 'https://logs.logdna.com/logs/ingest?hostname=signalbox',
  msteams: 'https://t.example/secret-of-teams',
  'new-relic-apm': 'https://api.newrelic.com/v2/applications/12/deployments.json',
  signalfx: 'https://ingest.eu0.signalfx.com/v2/event',
  slack: 'https://s.example/secret-of-slack',
  splunk: 'https://p.example/services/collector/event',
};

const secrets = {
  seal: async (text: string) => `sealed ${Buffer.from(text).toString('hex')}`,
  open: (sealed: string) => Buffer.from(sealed.split(' ')[1]!, 'hex').toString(),
  sign: () => '',
  verify: () => false,
};

for (const [key, integration] of INTEGRATIONS) {
  test(`${key}: the comment is in the body, and the secret only in the address or a header`, async () => {
    const sample = SAMPLES[key] ?? assert.fail('no sample');
    const secret = Object.values(sample).find((value) => String(value).includes('secret-of'))!;
    const config = await readConfig(secrets, integration, sample);
    for (const shown of [config, maskConfig(config), publicConfig(config)])
      assert.ok(!JSON.stringify(shown).includes('secret-of'));
    const opened = openConfig(secrets, config);
    assert.equal(integration.url(opened), URLS[key]);
    const sent = JSON.stringify([integration.url(opened), integration.headers?.(opened)]);
    assert.ok(sent.includes(String(secret)), sent);
    const body = JSON.stringify(integration.body(toEntryDetail(entry), publicConfig(config)));
    assert.ok(body.includes('because of tonight'), body);
    assert.ok(!body.includes('secret-of'), body);
    if (key === 'slack' || key === 'msteams') assert.ok(!body.includes('<!channel>'), body);
  });
}

test('what is longer than a service takes is cut', () => {
  const long = 'x\u{1f600}'.repeat(20_000);
  const accesses = Array.from({ length: 500 }, (_, index) => ({
    action: 'updateOn',
    resource: `proj/shop:env/test:flag/flag-${index}`,
  }));
  const who = { member: { _id: 'a', email: `${'ada'.repeat(30)}@example.com` } };
  const large = toEntryDetail({ ...entry, comment: long, name: long, accesses, who });
  const bodyOf = (key: string) => INTEGRATIONS.get(key)!.body(large, {}) as Record<string, unknown>;
  assert.equal((bodyOf('datadog')['text'] as string).length, 4000);
  assert.ok(Buffer.byteLength(JSON.stringify(bodyOf('msteams'))) < 14_000);
  const { user } = bodyOf('new-relic-apm')['deployment'] as { user: string };
  assert.ok(user.length <= 31, user);
  const [event] = bodyOf('signalfx') as unknown as [
    { eventType: string; properties: Record<string, string> },
  ];
  for (const text of [event.eventType, ...Object.values(event.properties)]) {
    assert.ok(text.length <= 256 && text.isWellFormed(), text);
  }
  for (const text of Object.values(bodyOf('dynatrace-v2')['properties'] as Record<string, string>))
    assert.ok(text.length <= 4096);
});

test('an error about a setting names it', async () => {
  const read = (key: string, sent: Record<string, unknown>) =>
    readConfig(secrets, INTEGRATIONS.get(key)!, { ...SAMPLES[key], ...sent });
  for (const [key, sent, message] of [
    ['datadog', { apiKey: undefined }, /^config\.apiKey is required/],
    ['datadog', { apiKey: 'a\r\nX-Evil: 1' }, /^config\.apiKey must be/],
    ['datadog', { hostURL: 'ftp://a' }, /^config\.hostURL must be a URL/],
    ['datadog', { more: 1 }, /^config\.more is unknown here\. There are: apiKey, hostURL/],
    ['signalfx', { realm: 'evil.example/#' }, /^config\.realm must be of letters/],
    ['new-relic-apm', { domain: 'evil.example' }, /^config\.domain must be one of/],
    ['splunk', { 'skip-ca-verification': 'yes' }, /^config\.skip-ca-verification must be true or false/],
    ['elastic', { constructor: 'x' }, /^config\.constructor is unknown/],
  ] as const) {
    await assert.rejects(read(key, sent), { message }, `${key} ${JSON.stringify(sent)}`);
  }
});

test('a secret that is sent as its mask stays, unless the address changes', async () => {
  const splunk = INTEGRATIONS.get('splunk')!;
  const before = await readConfig(secrets, splunk, SAMPLES['splunk']!);
  const shown = maskConfig(before);
  assert.deepEqual(await readConfig(secrets, splunk, shown, before), before);
  const elsewhere = { ...shown, 'base-url': 'https://evil.example' };
  await assert.rejects(readConfig(secrets, splunk, elsewhere, before), /must be sent again/);
  const both = await readConfig(secrets, splunk, { ...elsewhere, token: 'new' }, before);
  assert.equal(openConfig(secrets, both)['token'], 'new');
});

test('of a short secret nothing is shown', async () => {
  const config = await readConfig(secrets, INTEGRATIONS.get('datadog')!, { apiKey: 'short' });
  assert.equal(maskConfig(config)['apiKey'], '********');
});
