// Events of SDKs: CPU time per payload against bare node:http that reads the same bytes, and the largest payload's delay of others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compareWithBare, type Effort } from './compare.ts';
import type { FreezeCase, Send } from './freeze-cases.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, TOKEN } from './servers.ts';

const FLAGS = 20;
const CONTEXTS = 5;
const ENVIRONMENTS = 16;

export async function benchEvents(effort: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const ours = await startOurs({ SIGNALBOX_DATA: folder, SIGNALBOX_EVENTS_PER_SECOND: '1000000000' });
  try {
    const clientIds = await createEnvironments(ours.url);
    const headers = {
      'x-launchdarkly-user-agent': 'NodeJSClient/9.13.7',
      'x-launchdarkly-event-schema': '4',
    };
    const payload = JSON.stringify([...contexts(CONTEXTS), summary(FLAGS)]);
    const small = JSON.stringify([summary(1)]);
    const row = async (what: string, body: string, most: number) => {
      let sent = 0;
      const path = () => `/events/bulk/${clientIds[(sent += 1) % clientIds.length]}`;
      const work = { method: 'POST', path, headers, body: () => body };
      return cpuRow(what, await compareWithBare(ours, work, effort), { most });
    };
    return [
      await row(
        `receive a payload of ${FLAGS} flags and ${CONTEXTS} contexts, ${payload.length} bytes`,
        payload,
        4,
      ),
      await row(`receive a payload of one flag, ${small.length} bytes`, small, 4),
    ];
  } finally {
    await ours.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Several, because each has a limit of events that wait to be saved. Returns their client-side IDs. */
async function createEnvironments(url: string): Promise<string[]> {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/api/v2/${path}`, {
      method,
      headers: { authorization: TOKEN, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    return (await answer.json()) as Record<string, string>;
  };
  await call('POST', 'projects', { key: 'events', name: 'Events' });
  for (let index = 0; index < FLAGS; index += 1)
    await call('POST', 'flags/events', { key: `flag-${index}`, name: `Flag ${index}` });
  const clientIds: string[] = [];
  for (let index = 0; index < ENVIRONMENTS; index += 1) {
    const environment = { key: `environment-${index}`, name: `Environment ${index}`, color: '417505' };
    const { _id: clientId } = await call('POST', 'projects/events/environments', environment);
    clientIds.push(clientId!);
  }
  return clientIds;
}

function summary(count: number, first = 0) {
  const features = Array.from({ length: count }, (_, index) => [
    `flag-${first + index}`,
    {
      default: false,
      contextKinds: ['user'],
      counters: [
        { value: true, variation: 0, version: 7, count: 12 },
        { value: false, variation: 1, version: 7, count: 3 },
      ],
    },
  ]);
  const startDate = 1_800_000_000_000;
  return { kind: 'summary', startDate, endDate: startDate + 5000, features: Object.fromEntries(features) };
}

function contexts(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'index',
    creationDate: 1_800_000_000_000,
    context: {
      kind: 'user',
      key: `user-${index}`,
      name: 'Ada Lovelace',
      country: 'GB',
      plan: 'enterprise',
      _meta: { redactedAttributes: ['email'] },
    },
  }));
}

const MB = 1024 * 1024;

/** Lists of events as large as a body may be. */
function largePayloads(): Record<string, string> {
  const fill = (event: (index: number) => unknown) => {
    const texts: string[] = [];
    let length = 2;
    for (let index = 0; ; index += 1) {
      const text = JSON.stringify(event(index));
      length += text.length + 1;
      if (length > 10 * MB) return `[${texts.join(',')}]`;
      texts.push(text);
    }
  };
  const versions = Array.from({ length: 1000 }, (_, index) => ({ variation: 0, version: index, count: 1 }));
  return {
    'summaries of 20 flags': fill(() => summary(FLAGS)),
    'summaries of 9,000 flags each': fill((index) => summary(9000, index * 9000)),
    'summaries of one flag in 1,000 versions': fill(() => ({
      ...summary(0),
      features: { flag: { counters: versions } },
    })),
    'contexts with many attributes': fill((index) => ({
      kind: 'index',
      creationDate: index,
      context: {
        key: 'k',
        ...Object.fromEntries(versions.map(({ version }) => [`attribute-${version}`, version])),
      },
    })),
    'many broken events': fill(() => ({}))
      .slice(0, 250_000 * 3)
      .replace(/,?\{?$/, ']'),
  };
}

/** Events as large as they are taken, and one save after them. */
export async function eventFreezeCases(send: Send): Promise<FreezeCase[]> {
  await send('POST', '/api/v2/projects', JSON.stringify({ key: 'events', name: 'Events' }));
  const { text } = await send('GET', '/api/v2/projects/events/environments/test');
  const { apiKey: authorization } = JSON.parse(text.toString()) as { apiKey: string };
  const warm = (asked: Send) => asked('POST', '/bulk', JSON.stringify([summary(1)]), { authorization });
  return Object.entries(largePayloads()).flatMap(([name, payload]) => [
    {
      name: `receive events: ${name}`,
      warm,
      run: async (asked: Send) => (await asked('POST', '/bulk', payload, { authorization })).status,
    },
    {
      name: `receive events, compressed: ${name}`,
      warm,
      async run(asked: Send) {
        const headers = { authorization, 'content-encoding': 'gzip' };
        const { status } = await asked('POST', '/bulk', gzipSync(payload), headers);
        // Until they are saved.
        await new Promise((resolve) => setTimeout(resolve, 2500));
        return status;
      },
    },
  ]);
}
