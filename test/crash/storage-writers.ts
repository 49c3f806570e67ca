// Pushes items, puts records and adds requests until the server is killed, and records the acknowledged writes.
import { TOKEN } from './child-server.ts';

/** The acknowledged writes. */
export class StorageAccount {
  readonly items = new Set<string>();
  /** The last acknowledged text of each record, and those that were sent after it and never answered. */
  readonly records = new Map<string, string>();
  readonly doubtful = new Map<string, string[]>();
  readonly requests = new Set<string>();
  #puts = 0;

  put(key: string, text: string): void {
    this.#puts += 1;
    this.records.set(key, text);
    this.doubtful.delete(key);
  }

  /** The least number of acknowledged writes of the three kinds. */
  get least(): number {
    return Math.min(this.items.size, this.#puts, this.requests.size);
  }
}

export interface StorageNames {
  dataset: string;
  store: string;
  queue: string;
}

const WRITERS = 6;
/** Too large for a row, so that every other record is a blob. */
const LARGE = 100_000;

export async function writeStorages(
  url: string,
  names: StorageNames,
  account: StorageAccount,
  round: number,
): Promise<void> {
  await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => {
      const name = (count: number) => `${round}-${writer}-${count}`;
      return Promise.all([
        pushItems(`${url}/v2/datasets/${names.dataset}/items`, account, name),
        putRecords(`${url}/v2/key-value-stores/${names.store}/records`, account, writer, name),
        addRequests(`${url}/v2/request-queues/${names.queue}/requests`, account, name),
      ]);
    }),
  );
}

type Name = (count: number) => string;

const pushItems = (url: string, { items }: StorageAccount, name: Name) =>
  untilDead(async (count) => {
    const batch = Array.from({ length: 5 }, (_, index) => ({ name: `${name(count)}-${index}` }));
    await send('POST', url, JSON.stringify(batch));
    for (const item of batch) items.add(item.name);
  });

const putRecords = (url: string, account: StorageAccount, writer: number, name: Name) =>
  untilDead(async (count) => {
    const key = `record-${writer}-${count % 3}`;
    const text = name(count) + (count % 2 === 0 ? 'x'.repeat(LARGE) : '');
    account.doubtful.set(key, [...(account.doubtful.get(key) ?? []), text]);
    await send('PUT', `${url}/${key}`, text, 'text/plain');
    account.put(key, text);
  });

const addRequests = (url: string, { requests }: StorageAccount, name: Name) =>
  untilDead(async (count) => {
    const uniqueKey = name(count);
    const added = await send('POST', url, JSON.stringify({ url: 'http://127.0.0.1/', uniqueKey }));
    const { data } = (await added.json()) as { data: { requestId: string; wasAlreadyPresent: boolean } };
    if (data.wasAlreadyPresent) throw new Error(`${uniqueKey} was there before it was added`);
    requests.add(data.requestId);
  });

async function send(method: string, url: string, body: string, type = 'application/json'): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
  const response = await fetch(url, { method, headers, body });
  if (response.status !== 201)
    throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** A broken connection is the kill; any other error fails the test. */
async function untilDead(write: (count: number) => Promise<void>): Promise<void> {
  for (let count = 1; ; count += 1) {
    try {
      await write(count);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}
