// Shared by the benches of request queues: a server without limits, and calls that must succeed.
import { Connection } from './raw-http.ts';
import { TOKEN } from './servers.ts';

/** Quotas that a bench never reaches. */
export const SIGNALBOX_LIMIT = ['actors.global', 'actors.queue', 'actors.queue_batch']
  .map((name) => `${name}=1000000000000/3600`)
  .join(',');
export const headers = { authorization: `Bearer ${TOKEN}` };

export async function call(
  connection: Connection,
  method: string,
  path: string,
  body?: string,
): Promise<string> {
  const { status, body: text } = await connection.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return text;
}

export async function makeQueue(url: string): Promise<string> {
  const connection = new Connection(url, headers);
  const { data } = JSON.parse(await call(connection, 'POST', '/v2/request-queues')) as {
    data: { id: string };
  };
  connection.close();
  return `/v2/request-queues/${data.id}`;
}
