// The integrations that audit-log subscriptions can send to: their settings, and the request that each expects.
import type { Headers } from '../../kernel/http/protocol.ts';
import type { AuditEntryDetail } from '../audit-log/model.ts';
import type { Static } from '../../kernel/schema/schema.ts';

type Entry = Static<typeof AuditEntryDetail>;

/** `address` is a URL that the caller chooses; `word` goes into the URL; `secret` is never shown again. */
export type FieldKind = 'address' | 'secret address' | 'secret' | 'word' | 'text' | 'switch';

export interface ConfigField {
  kind: FieldKind;
  isOptional?: true;
  default?: string;
  /** The values that it may have. */
  among?: readonly string[];
}

/** Values by the names of the fields. */
export type OpenConfig = Readonly<Record<string, string | boolean>>;

export interface Integration {
  fields: Readonly<Record<string, ConfigField>>;
  url(config: OpenConfig): string;
  headers?(config: OpenConfig): Headers;
  /** Secrets are not among the settings that it gets. */
  body(entry: Entry, config: OpenConfig): unknown;
  /** Whether the receiver's certificate may be any. */
  trustsAnyCertificate?(config: OpenConfig): boolean;
}

const ADDRESS: ConfigField = { kind: 'address' };
const SECRET: ConfigField = { kind: 'secret' };
const WORD: ConfigField = { kind: 'word' };

/** By the key in the path. */
export const INTEGRATIONS: ReadonlyMap<string, Integration> = new Map<string, Integration>([
  [
    'datadog',
    {
      fields: { apiKey: SECRET, hostURL: { ...ADDRESS, default: 'https://api.datadoghq.com' } },
      url: ({ hostURL }) => below(hostURL, 'api/v1/events'),
      headers: ({ apiKey }) => ({ 'DD-API-KEY': String(apiKey) }),
      body: (entry) => ({
        title: titleOf(entry),
        text: cut(detailsOf(entry), 4000),
        date_happened: secondsOf(entry),
        tags: tagsOf(entry),
      }),
    },
  ],
  [
    'dynatrace',
    {
      fields: {
        apiToken: SECRET,
        url: ADDRESS,
        entity: { kind: 'word', default: 'APPLICATION' },
        tag: { kind: 'text', isOptional: true },
      },
      url: ({ url }) => below(url, 'api/v1/events'),
      headers: ({ apiToken }) => ({ Authorization: `Api-Token ${apiToken}` }),
      body: (entry, { entity, tag }) => ({
        eventType: 'CUSTOM_CONFIGURATION',
        source: 'Signalbox',
        configuration: titleOf(entry),
        description: detailsOf(entry),
        attachRules: { tagRule: [{ meTypes: [entity], tags: tag === undefined ? [] : [tag] }] },
      }),
    },
  ],
  [
    'dynatrace-v2',
    {
      fields: { apiToken: SECRET, url: ADDRESS },
      url: ({ url }) => below(url, 'api/v2/events/ingest'),
      headers: ({ apiToken }) => ({ Authorization: `Api-Token ${apiToken}` }),
      body: (entry) => ({
        eventType: 'CUSTOM_CONFIGURATION',
        title: titleOf(entry),
        startTime: entry.date,
        properties: {
          details: cut(detailsOf(entry), 4000),
          resources: cut(entry.target.resources.join(' '), 4000),
        },
      }),
    },
  ],
  [
    'elastic',
    {
      fields: { url: ADDRESS, token: SECRET, index: WORD },
      url: ({ url, index }) => below(url, encodeURIComponent(String(index)), '_doc'),
      headers: ({ token }) => ({ Authorization: `ApiKey ${token}` }),
      body: (entry) => ({ '@timestamp': new Date(entry.date).toISOString(), ...entry }),
    },
  ],
  [
    'grafana',
    {
      fields: { endpointUrl: ADDRESS, apiKey: SECRET },
      url: ({ endpointUrl }) => below(endpointUrl, 'api/annotations'),
      headers: ({ apiKey }) => ({ Authorization: `Bearer ${apiKey}` }),
      body: (entry) => ({
        time: entry.date,
        tags: tagsOf(entry),
        text: escapeMarks(`${titleOf(entry)}\n${detailsOf(entry)}`),
      }),
    },
  ],
  [
    'honeycomb',
    {
      fields: { datasetName: { kind: 'text' }, apiKey: SECRET },
      url: ({ datasetName }) =>
        `https://api.honeycomb.io/1/markers/${encodeURIComponent(String(datasetName))}`,
      headers: ({ apiKey }) => ({ 'X-Honeycomb-Team': String(apiKey) }),
      body: (entry) => ({
        message: `${titleOf(entry)}\n${detailsOf(entry)}`,
        type: entry.kind,
        start_time: secondsOf(entry),
      }),
    },
  ],
  [
    'logdna',
    {
      fields: { ingestionKey: SECRET, level: { kind: 'word', default: 'INFO' } },
      url: () => 'https://logs.logdna.com/logs/ingest?hostname=signalbox',
      headers: ({ ingestionKey }) => ({ apikey: String(ingestionKey) }),
      body: (entry, { level }) => ({
        lines: [{ line: titleOf(entry), app: 'signalbox', level, timestamp: entry.date, meta: entry }],
      }),
    },
  ],
  [
    'msteams',
    {
      fields: { url: { kind: 'secret address' } },
      url: ({ url }) => String(url),
      // It refuses a request of more than some 14 KB.
      body: (entry) => ({ text: escapeMarks(cut(`${titleOf(entry)}\n\n${detailsOf(entry)}`, 4000)) }),
    },
  ],
  [
    'new-relic-apm',
    {
      fields: {
        apiKey: SECRET,
        applicationId: WORD,
        domain: {
          kind: 'word',
          default: 'api.newrelic.com',
          among: ['api.newrelic.com', 'api.eu.newrelic.com'],
        },
      },
      url: ({ domain, applicationId }) =>
        `https://${domain}/v2/applications/${applicationId}/deployments.json`,
      headers: ({ apiKey }) => ({ 'X-Api-Key': String(apiKey) }),
      body: (entry) => ({
        deployment: {
          revision: entry._id,
          changelog: titleOf(entry),
          description: detailsOf(entry),
          user: cut(actorOf(entry), 31),
          timestamp: new Date(entry.date).toISOString(),
        },
      }),
    },
  ],
  [
    'signalfx',
    {
      fields: { accessToken: SECRET, realm: WORD },
      url: ({ realm }) => `https://ingest.${realm}.signalfx.com/v2/event`,
      headers: ({ accessToken }) => ({ 'X-SF-Token': String(accessToken) }),
      body: (entry) => [
        {
          category: 'USER_DEFINED',
          eventType: cut(titleOf(entry), 256),
          dimensions: { kind: entry.kind },
          properties: {
            details: cut(detailsOf(entry), 256),
            resources: cut(entry.target.resources.join(' '), 256),
          },
          timestamp: entry.date,
        },
      ],
    },
  ],
  [
    'slack',
    {
      fields: { url: { kind: 'secret address' } },
      url: ({ url }) => String(url),
      body: (entry) => ({ text: escapeMarks(`${titleOf(entry)}\n${detailsOf(entry)}`) }),
    },
  ],
  [
    'splunk',
    {
      fields: {
        'base-url': ADDRESS,
        token: SECRET,
        'skip-ca-verification': { kind: 'switch', isOptional: true },
      },
      url: ({ 'base-url': base }) => below(base, 'services/collector/event'),
      headers: ({ token }) => ({ Authorization: `Splunk ${token}` }),
      body: (entry) => ({ time: entry.date / 1000, source: 'signalbox', event: entry }),
      trustsAnyCertificate: ({ 'skip-ca-verification': skips }) => skips === true,
    },
  ],
]);

function below(base: string | boolean | undefined, ...steps: string[]): string {
  let root = String(base);
  while (root.endsWith('/')) root = root.slice(0, -1);
  return [root, ...steps].join('/');
}

function actorOf({ subject }: Entry): string {
  return subject?.name ?? 'Signalbox';
}

function titleOf(entry: Entry): string {
  return `${actorOf(entry)} ${entry.titleVerb} ${entry.name}`;
}

/** The comment, and a line for each thing that changed. */
function detailsOf({ comment, description, target }: Entry): string {
  return [comment, description, target.resources.join('\n')].filter(Boolean).join('\n');
}

function tagsOf({ kind, target }: Entry): string[] {
  return ['signalbox', `kind:${kind}`, ...target.resources.slice(0, 20).map((one) => `resource:${one}`)];
}

function secondsOf({ date }: Entry): number {
  return Math.floor(date / 1000);
}

/** Services refuse what is longer than they take. */
function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** In chats and on dashboards, `<` begins links and mentions: names and comments are any text. */
function escapeMarks(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
