// Writes and deletes tokens over many connections until the server is killed, and records the acknowledged writes.
import { TOKEN } from './child-server.ts';

/** The acknowledged writes. Writes in progress at the kill may have happened or not. */
export class Account {
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  /** Sent and not acknowledged. */
  readonly doubtful = new Set<string>();
}

const WRITERS = 16;
const DELETE_EVERY = 4;

export async function writeUntilDead(url: string, account: Account): Promise<void> {
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => writeAlone(url, account, index)));
}

async function writeAlone(url: string, account: Account, writer: number): Promise<void> {
  const headers = { authorization: TOKEN, 'content-type': 'application/json' };
  for (let count = 1; ; count += 1) {
    try {
      const body = JSON.stringify({ name: `writer ${writer} token ${count}`, role: 'reader' });
      const made = await fetch(`${url}/api/v2/tokens`, { method: 'POST', headers, body });
      if (made.status !== 201) throw new Error(`POST answered ${made.status}: ${await made.text()}`);
      const { _id: id } = (await made.json()) as { _id: string };
      account.created.add(id);
      if (count % DELETE_EVERY !== 0) continue;
      account.doubtful.add(id);
      const gone = await fetch(`${url}/api/v2/tokens/${id}`, { method: 'DELETE', headers });
      if (gone.status !== 204) throw new Error(`DELETE answered ${gone.status}: ${await gone.text()}`);
      account.doubtful.delete(id);
      account.deleted.add(id);
    } catch (error) {
      // A broken connection is the kill; any other error fails the test.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}
