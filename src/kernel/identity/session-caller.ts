// The member who is logged in with the browser that asks for a page.
import type { Kernel } from '../kernel.ts';
import { Failure } from '../failure.ts';
import type { KnownCaller } from './caller.ts';
import { cookieOf } from './cookie.ts';
import { hashSecret } from './secret.ts';

export interface SessionCaller {
  caller: KnownCaller;
  /** Names the session without opening it. */
  session: string;
}

/** Undefined where there is no session, or one that has ended. */
export async function findSessionCaller(
  cookies: string | undefined,
  { identity, clock }: Pick<Kernel, 'identity' | 'clock'>,
): Promise<SessionCaller | undefined> {
  const credential = cookieOf(cookies);
  if (credential === undefined) return undefined;
  try {
    const caller = await identity.identify(credential, clock.now());
    return { caller, session: hashSecret(credential.secret) };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}
