// Fetches /readyz of a server on this machine.
import { request as requestSecure } from 'node:https';
import { request as requestPlain } from '../kernel/http-client.ts';

/** A busy machine may hold up a healthy server for seconds. */
const TIMEOUT_MS = 10_000;

interface Readiness {
  isReady: boolean;
  version: string;
  checks: Record<string, boolean>;
}

/** Undefined when nothing answers, or something that is not this server. */
export async function fetchReadiness(url: string): Promise<Readiness | undefined> {
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
  request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error('no answer in time')));
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
