// The second step of a login, where the member has a second factor: a code of the authenticator app, or a recovery code. ADR 0182.
import { Failure } from '../../failure.ts';
import {
  findSecondFactor,
  spendRecoveryCode,
  spendTotpStep,
  type SecondFactor,
} from '../../identity/second-factor/store.ts';
import { recoveryCodeOf } from '../../identity/second-factor/recovery-codes.ts';
import { findTotpStep } from '../../identity/second-factor/totp.ts';
import type { LinkPurpose } from '../../identity/sessions/store-login-links.ts';
import { findMember, type Member } from '../../identity/store-members.ts';
import { findPasswordHash } from '../../identity/store-profile.ts';
import type { Kernel } from '../../kernel.ts';
import { charge, refundBudget } from './charge.ts';
import { CODE_CATEGORY } from './login-quotas.ts';

const PURPOSE = 'login challenges';
const LIFETIME_MS = 5 * 60 * 1000;

export const WRONG_CODE = 'The code is wrong, or was used before. Wait for the next one.';

/** A member who has shown a password or a link. */
export interface ArrivingMember extends Member {
  /** What the link is for that lets them in; absent where it is a password. */
  link?: LinkPurpose;
}

/**
 * What the browser has to send back with a code; undefined where no code is needed. A link of the operator needs none: who can make one
 * on the server's machine could remove the factor as well.
 */
export async function challengeFor(
  { db, secrets, clock }: Kernel,
  { id, link }: ArrivingMember,
): Promise<string | undefined> {
  if (link === 'login') return undefined;
  const factor = await findSecondFactor(db, id);
  if (factor === undefined || factor.confirmedAt === null) return undefined;
  const content = Buffer.from(JSON.stringify([id, link ?? null, clock.now() + LIFETIME_MS])).toString(
    'base64url',
  );
  const signature = secrets.sign(PURPOSE, signedText(content, factor, await findPasswordHash(db, id)));
  return `${content}.${signature}`;
}

/** Who the challenge was for. Undefined where the code is wrong. Throws where the challenge is over. */
export async function memberByCode(
  kernel: Kernel,
  challenge: string,
  code: string,
): Promise<ArrivingMember | undefined> {
  const { db, secrets, clock } = kernel;
  const now = clock.now();
  const [content = '', signature = ''] = challenge.split('.', 2);
  const asked = readContent(content);
  const member = asked && (await findMember(db, { id: asked.id }));
  const factor = member && (await findSecondFactor(db, member.id));
  if (
    asked === undefined ||
    factor === undefined ||
    !secrets.verify(PURPOSE, signedText(content, factor, await findPasswordHash(db, asked.id)), signature) ||
    asked.expiresAt <= now
  )
    throw new Failure('unauthenticated', 'The time for the code is over. Begin the login again.', {
      code: 'login-expired',
    });
  const budget = `${CODE_CATEGORY}:${asked.id}`;
  await charge(kernel, budget, 'everyone', 'Too many wrong codes for this account.');
  if (!(await spendCode(kernel, asked.id, factor, code))) return undefined;
  refundBudget(kernel, budget, 'everyone');
  return { ...member!, ...(asked.link !== null && { link: asked.link }) };
}

/** False where it is wrong, or was used before. */
export async function spendCode(
  { db, secrets, clock }: Pick<Kernel, 'db' | 'secrets' | 'clock'>,
  memberId: string,
  { sealed, lastStep }: SecondFactor,
  code: string,
): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, '');
  const step = findTotpStep(secrets.open(sealed), digits, clock.now(), lastStep);
  if (step !== undefined) return await spendTotpStep(db, memberId, step);
  const recovery = recoveryCodeOf(code);
  return recovery !== undefined && (await spendRecoveryCode(db, memberId, recovery));
}

/** Another password, or another second factor, ends it. */
function signedText(content: string, { confirmedAt }: SecondFactor, passwordHash: string | null): string {
  return JSON.stringify([content, confirmedAt, passwordHash]);
}

interface ChallengeContent {
  id: string;
  link: LinkPurpose | null;
  expiresAt: number;
}

/** As the browser sent it: what it says counts once its signature is verified. */
function readContent(content: string): ChallengeContent | undefined {
  try {
    const [id, link, expiresAt] = JSON.parse(Buffer.from(content, 'base64url').toString()) as unknown[];
    return typeof id === 'string'
      ? { id, link: link as LinkPurpose | null, expiresAt: expiresAt as number }
      : undefined;
  } catch {
    return undefined;
  }
}
