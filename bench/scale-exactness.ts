// What several nodes share, checked under load: a locked request is given once, a quota is granted once, and every stream ends at the same state.
import type { Row } from './report.ts';
import { TOKEN, type BenchServer } from './servers.ts';

const REQUESTS = 1000;
const BATCH = 25;
const CLIENTS = 8;
const QUOTA = 60;
const CHANGES = 20;
const STREAM_MS = 20_000;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

interface Reply {
  data: { id: string; items: { id: string }[] };
  apiKey: string;
}

async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
): Promise<Reply> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(type && { 'content-type': type }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Reply;
}

export async function checkLocks(urls: readonly string[]): Promise<Row> {
  const { data } = await send(urls[0]!, 'POST', `/v2/request-queues?name=locks-${urls.length}`);
  const queue = `/v2/request-queues/${data.id}`;
  for (let at = 0; at < REQUESTS; at += BATCH)
    await send(
      urls[0]!,
      'POST',
      `${queue}/requests/batch`,
      Array.from({ length: BATCH }, (_, index) => {
        const url = `https://example.com/${at + index}`;
        return { url, uniqueKey: url };
      }),
    );
  const given: string[] = [];
  await Promise.all(
    urls.flatMap((url) =>
      Array.from({ length: CLIENTS }, async () => {
        for (;;) {
          const { items } = (await send(url, 'POST', `${queue}/head/lock?lockSecs=600&limit=7`)).data;
          if (items.length === 0) return;
          given.push(...items.map(({ id }) => id));
        }
      }),
    ),
  );
  const twice = given.length - new Set(given).size;
  return rowOf(
    `${REQUESTS} requests locked by ${CLIENTS} clients on each of ${nodes(urls.length)}`,
    `${new Set(given).size} given, ${twice} twice`,
    'each once',
    twice === 0 && given.length === REQUESTS,
  );
}

/** On a flag that changes by calls to all nodes in turn. */
export async function checkStreams(urls: readonly string[]): Promise<Row> {
  const key = `streamed-${urls.length}`;
  await send(urls[0]!, 'POST', '/api/v2/flags/default', { key, name: key });
  const { apiKey } = await send(urls[0]!, 'GET', '/api/v2/projects/default/environments/production');
  const last = 1 + CHANGES;
  const stop = AbortSignal.timeout(STREAM_MS);
  let changedAt = 0;
  const late = urls.map(async (url) => {
    await untilVersion(url, apiKey, { key, version: last }, stop);
    return performance.now() - changedAt;
  });
  const all = Promise.allSettled(late);
  for (let change = 0; change < CHANGES; change += 1)
    await send(
      urls[change % urls.length]!,
      'PATCH',
      `/api/v2/flags/default/${key}`,
      {
        environmentKey: 'production',
        instructions: [{ kind: change % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }],
      },
      'application/json; domain-model=flagservice.semanticpatch',
    );
  changedAt = performance.now();
  const found = (await all).flatMap((end) => (end.status === 'fulfilled' ? [Math.max(0, end.value)] : []));
  const latest = found.length === 0 ? '' : `, the latest after ${Math.round(Math.max(...found))} ms`;
  return rowOf(
    `a flag changed ${CHANGES} times through ${nodes(urls.length)}, with a stream on each`,
    `${found.length} of ${urls.length} streams end at the last version${latest}`,
    'all of them',
    found.length === urls.length,
  );
}

async function untilVersion(
  url: string,
  sdkKey: string,
  { key, version }: { key: string; version: number },
  signal: AbortSignal,
): Promise<void> {
  const { body } = await fetch(`${url}/all`, { headers: { authorization: sdkKey }, signal });
  const sought = new RegExp(
    `"${key}"[^]*?"version":(\\d+)|"path":"/flags/${key}","data":{[^]*?"version":(\\d+)`,
    'g',
  );
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (const [, first, other] of text.matchAll(sought)) if (Number(first ?? other) >= version) return;
  }
  throw new Error('The stream ended before.');
}

/** The nodes have that quota alone. */
export async function checkLimits(
  startNode: (limit: string) => Promise<BenchServer>,
  size: number,
): Promise<Row> {
  const nodesHere: BenchServer[] = [];
  try {
    for (let index = 0; index < size; index += 1) nodesHere.push(await startNode(`host.core=${QUOTA}/3600`));
    const answers = await Promise.all(
      Array.from({ length: 4 * QUOTA }, async (_, index) => {
        const answer = await fetch(`${nodesHere[index % size]!.url}/user`, { headers });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    const granted = answers.filter((status) => status === 200).length;
    return rowOf(
      `${4 * QUOTA} calls at once to ${nodes(size)} that share a quota of ${QUOTA} an hour`,
      `${granted} granted`,
      `${QUOTA} to ${QUOTA + size}`,
      granted >= QUOTA && granted <= QUOTA + size,
    );
  } finally {
    for (const node of nodesHere) await node.stop();
  }
}

function nodes(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

function rowOf(what: string, value: string, target: string, isMet: boolean): Row {
  return { what, value, against: '', target, isMet };
}
