// The first stage of a call: which version, who is calling, is there budget left, is a caller needed.
import type { CallFacts, Counted, Dialect } from './dialect.ts';
import { Failure } from './failure.ts';
import { anonymousAt, type Caller, type Credential } from './identity/caller.ts';
import type { Kernel } from './kernel.ts';
import { checkOverride } from './method-override.ts';

/** Fills in the facts or throws. A promise only when the credential has to be looked up. */
export function admit(facts: CallFacts, dialect: Dialect, kernel: Kernel): Promise<void> | undefined {
  const nobody = anonymousAt(facts.address);
  let credential: Credential | undefined;
  let refusal: Error | undefined;
  try {
    credential = dialect.credentialOf(facts);
    facts.version = dialect.versionOf(facts);
    dialect.checkHeaders?.(facts);
  } catch (error) {
    // Told once the call is counted: no call is free because it is wrong.
    refusal = error as Error;
  }
  if (facts.overridden !== undefined) refusal ??= checkOverride(facts.overridden, credential);
  const enter = (caller: Caller) => {
    facts.caller = caller;
    charge(facts, caller, dialect, kernel);
    if (refusal !== undefined) throw refusal;
    if (caller.kind === 'session') checkOrigin(facts, kernel.publicUrl);
    requireCaller(facts, caller, dialect);
  };
  if (credential === undefined) {
    enter(nobody);
    return undefined;
  }
  const { kind } = credential;
  const found = kernel.identity.identify(credential, facts.now);
  if (!(found instanceof Promise)) {
    enter(found);
    return undefined;
  }
  return found.then(enter, (error: unknown) => {
    if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error;
    // A browser's old cookie is no credential at all; a wrong token is a mistake to tell, and guessing costs budget.
    if (kind === 'token') refusal = wrongToken(dialect);
    enter(nobody);
  });
}

function charge(facts: CallFacts, caller: Caller, { limits }: Dialect, kernel: Kernel): void {
  if (!kernel.limits.enabled) return;
  const { shape, now, counters, categories } = facts;
  let spent: Counted | undefined;
  for (const category of categories) {
    const taken = shape?.charge === undefined ? kernel.limits.take(category, caller, now) : undefined;
    const counted = { category, counter: taken ?? kernel.limits.peek(category, caller, now) };
    counters.push(counted);
    if (taken === undefined && shape?.charge === undefined) spent ??= counted;
  }
  if (spent !== undefined) throw limits.exceeded(spent, facts);
}

function wrongToken({ tokenHeader }: Dialect): Failure {
  return new Failure(
    'unauthenticated',
    `The access token is not valid, or no longer. Send a valid one in the header "${tokenHeader}".`,
  );
}

function requireCaller({ shape }: CallFacts, caller: Caller, { tokenHeader }: Dialect): void {
  if (shape === undefined || shape.access === 'anyone' || caller.kind !== 'anonymous') return;
  throw new Failure('unauthenticated', `This call needs an access token. Send the header "${tokenHeader}".`);
}

/** A browser sends cookies along with anybody's request: only pages of this server's own origin may use the session. */
function checkOrigin({ headers, method }: CallFacts, publicUrl: string): void {
  const { origin } = headers;
  const isSafe = method === 'GET' || method === 'HEAD';
  if (origin === undefined ? isSafe : origin === new URL(publicUrl).origin) return;
  throw new Failure(
    'forbidden',
    `Calls with a session cookie must come from ${new URL(publicUrl).origin}; use an access token elsewhere`,
  );
}
