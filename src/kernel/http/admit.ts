// The first stage of a call: selects the version, authenticates the caller, counts the call against its rate limits.
import type { ApiProtocol } from './protocol.ts';
import type { RequestContext } from './request-context.ts';
import { Failure } from '../failure.ts';
import { anonymousAt, type Caller, type Credential, type KnownCaller } from '../identity/caller.ts';
import { isCompleteSession, SESSION_HEADER } from '../identity/sessions/session-caller.ts';
import type { Kernel } from '../kernel.ts';
import type { Counter } from '../limits/window.ts';
import { checkOverride } from './method-override.ts';
import { isOpen } from './route.ts';
import type { EndingCall, SecondaryCost } from '../limits/secondary-limits.ts';

/** What secondary limits count: nothing where the route has no cost. */
export interface SecondaryEntry {
  cost: SecondaryCost | undefined;
  ending: EndingCall;
}

/** Why a call is not admitted; undefined where it is. A promise where the database is needed. */
type Admission = Error | undefined | Promise<Error | undefined>;

/** Fills in the context. A refusal is returned, because to throw it would cost more than all else here. */
export function admit(
  context: RequestContext,
  protocol: ApiProtocol,
  kernel: Kernel,
  secondary: SecondaryEntry,
): Admission {
  const nobody = anonymousAt(context.address);
  let credential: Credential | undefined;
  let refusal: Error | undefined;
  let isUnknown = false;
  // Errors are reported after the call is counted, so that wrong calls count against the limit, too.
  try {
    credential = protocol.credentialOf(context) ?? kernel.contentOrigin?.credentialOf(context, context.now);
  } catch (error) {
    refusal = error as Error;
  }
  try {
    context.version = protocol.versionOf(context);
    context.variant = protocol.variantOf?.(context);
  } catch (error) {
    refusal ??= error as Error;
    context.isVersionRefused = true;
  }
  try {
    protocol.checkHeaders?.(context);
  } catch (error) {
    refusal ??= error as Error;
  }
  if (context.overridden !== undefined) refusal ??= checkOverride(context.overridden, credential);
  const enter = (caller: Caller): Admission => {
    context.caller = caller;
    kernel.tokenUses.record(caller, context, protocol.name);
    const excess = enterSecondary(context, caller, protocol, kernel, secondary);
    if (excess !== undefined) return excess;
    const charged = charge(context, caller, protocol, kernel, isUnknown);
    return charged instanceof Promise
      ? charged.then((exceeded) => exceeded ?? check(caller))
      : (charged ?? check(caller));
  };
  const check = (caller: Caller): Error | undefined => {
    const refused =
      refusal ?? refuseProgram(caller, protocol) ?? refuseOrigin(context, caller, kernel.publicUrl);
    if (refused !== undefined) return refused;
    protocol.checkCaller?.(context);
    return refuseAnonymous(context, caller, protocol, kernel.publicUrl);
  };
  const enterKnown = (caller: KnownCaller): Admission => {
    const isComplete =
      caller.session === undefined ||
      credential?.kind === 'sessionHash' ||
      isCompleteSession(context, caller.session, kernel);
    const settle = (isTrusted: boolean) => {
      context.isSessionIncomplete = !isTrusted;
      return enter(isTrusted ? caller : nobody);
    };
    return typeof isComplete === 'boolean' ? settle(isComplete) : isComplete.then(settle);
  };
  if (credential === undefined) return enter(nobody);
  const { kind } = credential;
  const found = kernel.identity.identify(credential, context.now);
  if (!(found instanceof Promise)) return enterKnown(found);
  return found.then(enterKnown, (error: unknown) => {
    if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error;
    isUnknown = true;
    // An expired session cookie counts as no credential. A wrong token is an error, and guessing is rate limited.
    if (kind === 'token') refusal = error.details.code === undefined ? wrongToken(protocol) : error;
    return enter(nobody);
  });
}

/** The category of calls that a secondary limit refuses, in the usage of tokens. */
const SECONDARY = 'secondary';

/** A call that a secondary limit refuses counts against no budget; its reply says what is left of them. */
function enterSecondary(
  context: RequestContext,
  caller: Caller,
  protocol: ApiProtocol,
  { secondaryLimits, limits, tokenUses }: Kernel,
  { cost, ending }: SecondaryEntry,
): Failure | undefined {
  if (cost === undefined || !secondaryLimits.enabled) return undefined;
  const excess = secondaryLimits.enter(caller, cost, ending, context.now);
  if (excess === undefined) return undefined;
  for (const category of context.categories)
    context.counters.push({ category, counter: limits.peek(category, caller, context.now) });
  tokenUses.recordRefusal(caller, context, protocol.name, SECONDARY);
  return protocol.limits.secondary!.exceeded(excess, context);
}

/** Counts one against each budget, or against none: a call that one budget rejects must not use up the others. */
function charge(
  context: RequestContext,
  caller: Caller,
  protocol: ApiProtocol,
  kernel: Kernel,
  isUnknown: boolean,
): Failure | undefined | Promise<Failure | undefined> {
  const { limits, tokenUses } = kernel;
  if (!limits.enabled) return undefined;
  const { shape, now, counters } = context;
  const categories = budgetsOf(context, caller, protocol, kernel);
  // A credential that nobody has was looked up in the database: without a count, guessing would be free.
  if (shape?.charge === 'later' || (shape?.charge === 'never' && !isUnknown)) {
    for (const category of categories)
      counters.push({ category, counter: limits.peek(category, caller, now) });
    return undefined;
  }
  const consumed = categories.map((category) => limits.consume(category, caller, now));
  const [only] = consumed;
  // Nearly every call: one budget that has something left.
  if (consumed.length === 1 && only !== undefined && !(only instanceof Promise)) {
    counters.push({ category: categories[0]!, counter: only });
    return undefined;
  }
  const settle = (left: readonly (Counter | undefined)[]) => {
    const isSpent = left.includes(undefined);
    for (const [index, category] of categories.entries()) {
      const counter = left[index];
      if (counter === undefined) counters.push({ category, counter: limits.peek(category, caller, now) });
      else counters.push({ category, counter: isSpent ? limits.refund(category, caller, now) : counter });
    }
    if (!isSpent) return undefined;
    const exceeded = counters[left.indexOf(undefined)]!;
    tokenUses.recordRefusal(caller, context, protocol.name, exceeded.category);
    return protocol.limits.exceeded(exceeded, context);
  };
  if (consumed.some((consumption) => consumption instanceof Promise)) {
    return Promise.all(consumed.map(async (consumption) => consumption)).then(settle);
  }
  return settle(consumed as (Counter | undefined)[]);
}

/**
 * Where the limit for anonymous callers is 0, the error must be "send a token", not "limit exceeded": such a call is
 * counted against the budget of unknown paths instead.
 */
function budgetsOf(
  { shape, categories }: RequestContext,
  caller: Caller,
  { name, limits }: ApiProtocol,
  kernel: Kernel,
): readonly string[] {
  if (caller.kind !== 'anonymous' || shape === undefined || isOpen(shape)) return categories;
  if (categories.every((category) => kernel.limits.limitOf(category, caller) > 0)) return categories;
  return limits.categoriesOf(undefined).map((category) => `${name}.${category}`);
}

function wrongToken({ tokenHeader }: ApiProtocol): Failure {
  return new Failure(
    'unauthenticated',
    `The access token is not valid, or no longer. Send a valid one in the header "${tokenHeader}".`,
  );
}

/** A program's token is valid only for the API that runs it; and where only programs call, other tokens are not valid. */
function refuseProgram(caller: Caller, protocol: ApiProtocol): Failure | undefined {
  const program = caller.kind === 'token' ? caller.program : undefined;
  const isRefused = program === undefined ? protocol.forPrograms === true : program.api !== protocol.name;
  return isRefused && caller.kind !== 'anonymous' ? wrongToken(protocol) : undefined;
}

function refuseAnonymous(
  { shape, isSessionIncomplete }: RequestContext,
  caller: Caller,
  { tokenHeader }: ApiProtocol,
  publicUrl: string,
): Failure | undefined {
  if (shape === undefined || isOpen(shape) || caller.kind !== 'anonymous') return undefined;
  if (isSessionIncomplete)
    return new Failure(
      'unauthenticated',
      `A session cookie alone is not enough here: pages of this server send the header "${SESSION_HEADER}" with it. ` +
        `Log in again at ${publicUrl}/session. Programs send an access token in the header "${tokenHeader}".`,
    );
  return new Failure('unauthenticated', `This call needs an access token. Send the header "${tokenHeader}".`);
}

/** Against CSRF: browsers send cookies with requests of any site, so a session works only from this server's own origin. */
function refuseOrigin(
  { headers, method }: RequestContext,
  caller: Caller,
  publicUrl: string,
): Failure | undefined {
  if (caller.kind !== 'session') return undefined;
  const { origin } = headers;
  const isSafe = method === 'GET' || method === 'HEAD';
  if (origin === undefined ? isSafe : origin === new URL(publicUrl).origin) return undefined;
  return new Failure(
    'forbidden',
    `Calls with a session cookie must come from ${new URL(publicUrl).origin}; use an access token elsewhere`,
  );
}
