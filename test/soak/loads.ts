// What goes on while faults happen: each load keeps a book of what was acknowledged, and compares it with what is there.
import { randomUUID } from 'node:crypto';
import { eventually } from '../eventually.ts';
import { openReceiver, type WebhookReceiver } from '../webhook-receiver.ts';
import type { Json } from '../server.ts';
import type { Caller, Outcome } from './caller.ts';

export interface Load {
  name: string;
  /** One step; many run at once. */
  step(): Promise<void>;
  /** Nothing else happens meanwhile. Sentences about what is not as it was acknowledged. */
  check(): Promise<string[]>;
  close?(): Promise<void>;
  /** How much was acknowledged. */
  count(): number;
}

/** How long webhooks may take to arrive once nothing is wrong: the longest pause between two attempts, and some. */
const DELIVERED_MS = 15 * 60_000;
const JSON_PATCH = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };

async function made(outcome: Promise<Outcome>, what: string): Promise<Json> {
  const { status, text, json } = await outcome;
  if (status >= 300 && status !== 409) throw new Error(`${what}: ${status} ${text}`);
  return json;
}

/** Access tokens: created and deleted, each with its entry in the audit log. */
export function tokens({ send, insist }: Caller): Load {
  const created = new Set<string>();
  const deleted = new Set<string>();
  const doubtful = new Set<string>();
  return {
    name: 'tokens',
    count: () => created.size,
    async step() {
      const answer = await send('POST', '/api/v2/tokens', { name: randomUUID(), role: 'reader' });
      if (answer?.status !== 201) return;
      const id = answer.json['_id'] as string;
      created.add(id);
      if (Math.random() < 0.5) return;
      doubtful.add(id);
      const gone = await send('DELETE', `/api/v2/tokens/${id}`);
      if (gone?.status === 204) {
        doubtful.delete(id);
        deleted.add(id);
      }
    },
    async check() {
      const there = new Set<string>();
      for (let path: string | undefined = '/api/v2/tokens?showAll=true&limit=100'; path !== undefined;) {
        const { json } = await insist('GET', path);
        for (const { _id: id } of json['items'] as Json[]) there.add(id as string);
        path = (json['_links'] as Json)['next']?.href as string | undefined;
      }
      return [
        ...[...created]
          .filter((id) => !there.has(id) && !deleted.has(id) && !doubtful.has(id))
          .map((id) => `The token ${id} is lost.`),
        ...[...deleted].filter((id) => there.has(id)).map((id) => `The token ${id} is there again.`),
      ];
    },
  };
}

/** Items, records and requests; each request is locked once. */
export async function storages({ send, insist }: Caller): Promise<Load> {
  const open = async (kind: string) =>
    (await made(insist('POST', `/v2/${kind}?name=soak`), kind))['data'].id as string;
  const [dataset, store, queue] = [
    await open('datasets'),
    await open('key-value-stores'),
    await open('request-queues'),
  ];
  const items = new Set<string>();
  const records = new Map<string, string>();
  const requests = new Set<string>();
  const locked = new Map<string, number>();
  let large = 0;
  return {
    name: 'storages',
    count: () => items.size + records.size + requests.size + locked.size,
    async step() {
      const name = randomUUID();
      if ((await send('POST', `/v2/datasets/${dataset}/items`, [{ name }]))?.status === 201) items.add(name);
      const text = (large += 1) % 20 === 0 ? name.padEnd(80_000, 'x') : name;
      const put = await send('PUT', `/v2/key-value-stores/${store}/records/${name}`, text, {
        'content-type': 'text/plain',
      });
      if (put?.status === 201) records.set(name, text);
      const added = await send('POST', `/v2/request-queues/${queue}/requests`, {
        url: 'http://127.0.0.1/',
        uniqueKey: name,
      });
      if (added?.status === 201) requests.add(added.json['data'].requestId as string);
      const head = await send(
        'POST',
        `/v2/request-queues/${queue}/head/lock?lockSecs=86400&limit=1&clientKey=${name.slice(0, 30)}`,
      );
      for (const { id } of (head?.json['data'].items ?? []) as { id: string }[])
        locked.set(id, (locked.get(id) ?? 0) + 1);
    },
    async check() {
      const found = new Set<string>();
      for (let offset = 0; ; offset += 5000) {
        const page = (await insist('GET', `/v2/datasets/${dataset}/items?offset=${offset}&limit=5000`))
          .json as unknown as Json[];
        for (const { name } of page) found.add(name as string);
        if (page.length < 5000) break;
      }
      const problems = [...items]
        .filter((name) => !found.has(name))
        .map((name) => `The item ${name} is lost.`);
      const some = [...records].filter(() => Math.random() < 300 / records.size);
      for (const [key, text] of some) {
        const { text: now } = await insist('GET', `/v2/key-value-stores/${store}/records/${key}`);
        if (now !== text) problems.push(`The record ${key} is not what was put.`);
      }
      for (const id of [...requests].filter(() => Math.random() < 300 / requests.size)) {
        const { status } = await insist('GET', `/v2/request-queues/${queue}/requests/${id}`);
        if (status !== 200) problems.push(`The request ${id} is lost.`);
      }
      for (const [id, times] of locked)
        if (times > 1) problems.push(`The request ${id} was given to ${times} clients.`);
      return problems;
    },
  };
}

/** A flag of each client, whose versions count the changes; every version goes to a webhook, whose receiver may be slow. */
export async function flags({ send, insist }: Caller): Promise<Load & { setSlow(isSlow: boolean): void }> {
  let isSlow = false;
  const receiver: WebhookReceiver = await openReceiver((response) => {
    if (!isSlow) response.end('thanks');
    else setTimeout(() => response.writeHead(503).end(), 2000);
  });
  await made(
    insist('POST', '/api/v2/webhooks', {
      url: `${receiver.url}/flags`,
      name: 'soak',
      on: true,
      sign: false,
      statements: [{ effect: 'allow', actions: ['*'], resources: ['proj/*:env/*:flag/*'] }],
    }),
    'a webhook',
  );
  const comments = new Set<string>();
  const changes = new Map<string, number>();
  for (let index = 0; index < 5; index += 1) {
    await made(insist('POST', '/api/v2/flags/default', { key: `soak-${index}`, name: 'Soak' }), 'a flag');
    changes.set(`soak-${index}`, 0);
  }
  const keys = [...changes.keys()];
  return {
    name: 'flags',
    count: () => comments.size,
    setSlow: (slow) => (isSlow = slow),
    async step() {
      const key = keys[Math.floor(Math.random() * keys.length)]!;
      const comment = randomUUID();
      const answer = await send(
        'PATCH',
        `/api/v2/flags/default/${key}`,
        JSON.stringify({ comment, instructions: [{ kind: 'addTags', values: [comment] }] }),
        JSON_PATCH,
      );
      if (answer?.status !== 200) return;
      comments.add(comment);
      changes.set(key, changes.get(key)! + 1);
      // A flag has so many tags at most.
      await send(
        'PATCH',
        `/api/v2/flags/default/${key}`,
        JSON.stringify({ instructions: [{ kind: 'removeTags', values: [comment] }] }),
        JSON_PATCH,
      );
    },
    async check() {
      isSlow = false;
      const problems: string[] = [];
      for (const [key, count] of changes) {
        const { json } = await insist('GET', `/api/v2/flags/default/${key}`);
        if ((json['_version'] as number) < count)
          problems.push(`${key} has the version ${json['_version']} after ${count} changes.`);
      }
      const missing = () => {
        const got = new Set(receiver.at('/flags').map(({ json }) => json['comment'] as string));
        return [...comments].filter((comment) => !got.has(comment));
      };
      await eventually(() => missing().length === 0, 'every webhook', DELIVERED_MS).catch(() =>
        problems.push(`${missing().length} of ${comments.size} changes never came to the webhook.`),
      );
      return problems;
    },
    close: () => receiver.close(),
  };
}

/** Files that are committed over the API, and are there afterwards with their content. */
export async function repositories({ send, insist }: Caller): Promise<Load> {
  await made(insist('POST', '/user/repos', { name: 'soak', auto_init: true }), 'a repository');
  const committed = new Map<string, string>();
  return {
    name: 'repositories',
    count: () => committed.size,
    async step() {
      const path = `${randomUUID()}.txt`;
      const content = Buffer.from(path.repeat(10)).toString('base64');
      const answer = await send('PUT', `/repos/admin/soak/contents/${path}`, {
        message: `Add ${path}`,
        content,
      });
      if (answer?.status === 201) committed.set(path, answer.json['content'].sha as string);
    },
    async check() {
      const { json } = await insist('GET', '/repos/admin/soak/git/trees/HEAD?recursive=1');
      const there = new Map((json['tree'] as Json[]).map(({ path, sha }) => [path as string, sha as string]));
      if (json['truncated'] === true) return [];
      return [...committed]
        .filter(([path, sha]) => there.get(path) !== sha)
        .map(([path]) => `The file ${path} is not what was committed.`);
    },
  };
}
