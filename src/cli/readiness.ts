// Fetches /readyz of a server on this machine.
import { text } from 'node:stream/consumers';
import { openHttpRequest } from '../kernel/network/open-request.ts';

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
  const options = { rejectUnauthorized: false, agent: false };
  return new Promise((resolve, reject) => {
    const request = openHttpRequest(new URL(url), options, {
      response: (response) =>
        void text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
      error: reject,
    });
    request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error('no answer in time')));
    request.end();
  });
}
