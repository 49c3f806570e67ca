// Shared by the benches of request queues: calls that must succeed.
import { Connection } from './raw-http.ts';
import { TOKEN } from './servers.ts';

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
