// The calls that the examples of the code host are made of.
import type { DemoCall, DemoReply } from '../kernel/http/protocol.ts';
import { ADMIN } from '../kernel/identity/first-start.ts';

export const REPOSITORY = 'demo-shop';
export const SHOP = `/repos/${ADMIN}/${REPOSITORY}`;

export const get = (path: string): DemoCall => ({ method: 'GET', path });
export const post = (path: string, body: object): DemoCall => ({ method: 'POST', path, body });

export const demoRef = (ref: string, sha: string): DemoCall => ({
  ...post(`${SHOP}/git/refs`, { ref, sha }),
  existing: 422,
});

export const fileAt = (path: string, branch = 'main') => `${SHOP}/contents/${path}?ref=${branch}`;

export const writeFile = (
  path: string,
  content: string,
  message: string,
  sha?: string,
  branch = 'main',
): DemoCall => ({
  method: 'PUT',
  path: `${SHOP}/contents/${path}`,
  body: {
    message,
    content: Buffer.from(content).toString('base64'),
    branch,
    ...(sha !== undefined && { sha }),
  },
});

export async function* isThere(path: string): AsyncGenerator<DemoCall, boolean, DemoReply> {
  return (yield get(path)).status === 200;
}

/** The commit of the main branch. */
export async function* demoHead(): AsyncGenerator<DemoCall, string, DemoReply> {
  return ((yield get(`${SHOP}/git/ref/heads/main`)).body as { object: { sha: string } }).object.sha;
}
