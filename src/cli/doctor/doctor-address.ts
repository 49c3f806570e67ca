// Whether the address that people use leads to the server that runs here, through whatever stands in front of it.
import type { Config } from '../../app/config.ts';
import { messageOf } from '../command-errors.ts';
import { findServer } from '../running-server.ts';
import type { DoctorFinding } from './doctor.ts';

/** Answered 401 without a token, by this server alone. */
const ASKED = '/signalbox/v1/me';
const TIMEOUT_MS = 10_000;

/** Nothing where no server runs, or nothing is in front of it. */
export async function checkAddress({ data }: Config): Promise<DoctorFinding[]> {
  const server = await findServer(data);
  if (server === undefined || server.publicUrl === server.url) return [];
  return [{ name: 'address', ...(await askThrough(server.publicUrl)) }];
}

async function askThrough(publicUrl: string): Promise<Pick<DoctorFinding, 'state' | 'detail'>> {
  const url = `${publicUrl}${ASKED}`;
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (answer.status === 401 && isJson(text))
      return { state: 'ok', detail: `${publicUrl} leads to this server` };
    const { pathname } = new URL(publicUrl);
    const path = pathname === '/' ? '' : pathname;
    return {
      state: 'fail',
      detail:
        `${url} answers ${answer.status} instead of 401: it leads to another program, or the proxy changes the path. ` +
        `It should pass on ${path === '' ? ASKED : `${path}${ASKED}, or ${ASKED} with ${path} taken off and nothing else`}`,
    };
  } catch (error) {
    return {
      state: 'warn',
      detail: `${publicUrl} cannot be reached from this machine (${messageOf(error)}): others may, or the name or the proxy is wrong`,
    };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
