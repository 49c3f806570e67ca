// Writes and deletes tokens over many connections until the server is gone, and keeps account of what was acknowledged.
import { TOKEN } from './child-server.ts';

/** What the server has promised. What was under way when it died may have happened or not. */
export class Account {
  readonly created = new Set<string>();
  readonly deleted = new Set<string>();
  /** Asked for and not answered. */
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
      // A connection that breaks is the kill; anything else is a finding.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}
