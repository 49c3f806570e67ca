// What the browser holds while somebody is at the identity provider, and the proof of who came back: sealed, so that nobody reads or makes it.
import type { IncomingHttpHeaders } from 'node:http';
import { readCookie, writeCookie } from '../../kernel/identity/sessions/own-cookies.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ExternalIdentity, ProviderChecks } from './provider.ts';

const COOKIE = 'signalbox_oidc';
const SECONDS = 10 * 60;

type Sealing = Pick<Kernel, 'secrets' | 'clock' | 'publicUrl'>;

/** Why somebody went to the provider: to log in, or to be connected with a member who is logged in. */
export type ExternalIntent = ProviderChecks & ({ back: string } | { memberId: string });

/** The value of `set-cookie`. The browser sends it back when the provider redirects to this server, hence no `Strict`. */
export async function intentCookie(kernel: Sealing, intent: ExternalIntent): Promise<string> {
  return writeCookie(kernel.publicUrl, COOKIE, await seal(kernel, 'intent', intent), SECONDS);
}

export function endedIntentCookie(kernel: Sealing): string {
  return writeCookie(kernel.publicUrl, COOKIE, '', 0);
}

/** Undefined where there is none, or one that is too old. */
export function readIntent(kernel: Sealing, { cookie }: IncomingHttpHeaders): ExternalIntent | undefined {
  const sealed = readCookie(cookie, kernel.publicUrl, COOKIE);
  return sealed === undefined ? undefined : (open(kernel, 'intent', sealed) as ExternalIntent | undefined);
}

export interface ConnectionProof extends ExternalIdentity {
  memberId: string;
}

export function sealProof(kernel: Sealing, proof: ConnectionProof): Promise<string> {
  return seal(kernel, 'proof', proof);
}

export function openProof(kernel: Sealing, sealed: string): ConnectionProof | undefined {
  return open(kernel, 'proof', sealed) as ConnectionProof | undefined;
}

/** The purpose is inside: what was sealed for one is nothing for the other. */
function seal({ secrets, clock }: Sealing, purpose: string, content: object): Promise<string> {
  return secrets.seal(JSON.stringify({ purpose, until: clock.now() + SECONDS * 1000, content }));
}

function open({ secrets, clock }: Sealing, purpose: string, sealed: string): unknown {
  try {
    const value = JSON.parse(secrets.open(sealed)) as { purpose: string; until: number; content: unknown };
    return value.purpose === purpose && value.until > clock.now() ? value.content : undefined;
  } catch {
    return undefined;
  }
}
