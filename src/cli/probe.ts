// Asks a server on this machine whether it is ready.
import { request as requestSecure } from 'node:https';
import { request as requestPlain } from '../kernel/http-client.ts';

const PATIENCE_MS = 2000;

interface Readiness {
  isReady: boolean;
  version: string;
  checks: Record<string, boolean>;
}

/** Undefined when nobody answers, or somebody else. */
export async function askReadiness(url: string): Promise<Readiness | undefined> {
  try {
    const { status, body } = await get(`${url}/readyz`);
    const { version, checks } = JSON.parse(body) as Partial<Readiness>;
    return version === undefined || checks === undefined
      ? undefined
      : { isReady: status === 200, version, checks };
  } catch {
    return undefined;
  }
}

function get(url: string): Promise<{ status: number | undefined; body: string }> {
  // Its certificate is made for the public name, not for the address asked here, and nothing secret is sent.
  const request = url.startsWith('https:')
    ? requestSecure(url, { rejectUnauthorized: false, agent: false })
    : requestPlain(url, { agent: false });
  request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer in time')));
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    request.end();
  });
}
