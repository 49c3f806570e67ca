// The member who is logged in with the browser that asks for a page.
import type { Kernel } from '../../kernel.ts';
import { Failure } from '../../failure.ts';
import type { KnownCaller } from '../caller.ts';
import { cookieOf } from './cookie.ts';
import { isCompleteSession } from './page-secret.ts';
import type { SessionRequest } from './session-link.ts';

export interface SessionCaller {
  caller: KnownCaller;
  /** Names the session without opening it. */
  session: string;
}

type PageCall = Omit<SessionRequest, 'now'>;

/** Undefined where there is no session, one that has ended, or one that lacks its second secret where it is needed. */
export async function findSessionCaller(call: PageCall, kernel: Kernel): Promise<SessionCaller | undefined> {
  const found = await readSession(call, kernel);
  return found?.isComplete === true ? found : undefined;
}

/** What a cookie alone says is not to be trusted with anything: see `isComplete`. */
export async function readSession(
  { method, url, headers }: PageCall,
  kernel: Kernel,
): Promise<(SessionCaller & { isComplete: boolean }) | undefined> {
  const credential = cookieOf(headers.cookie, kernel.publicUrl);
  if (credential === undefined) return undefined;
  const now = kernel.clock.now();
  try {
    const caller = await kernel.identity.identify(credential, now);
    const session = caller.session!;
    const isComplete = await isCompleteSession({ method, url, headers, now }, session, kernel);
    return { caller, session: session.hash, isComplete };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}
