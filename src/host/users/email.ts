// The e-mail addresses of a user: that of the member, which is the primary one, and those that were added.
import type { Failure } from '../../kernel/failure.ts';
import { isEmail } from '../../kernel/text/email.ts';
import { Nullable, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { PRIMARY, type UserProfile } from './model.ts';

export const Email = Type.Object(
  {
    email: Type.String(),
    primary: Type.Boolean(),
    verified: Type.Boolean(),
    visibility: Nullable(Type.String()),
  },
  { $id: 'email' },
);

/** How many addresses a user may add. */
export const MAX_EMAILS = 50;

const Addresses = Type.Array(Type.String(), { minItems: 1, maxItems: MAX_EMAILS });

/** An object, or just the list, or just one address. */
export const EmailList = Type.Union([Type.Object({ emails: Addresses }), Addresses, Type.String()]);

export const EmailVisibility = Type.Object({
  visibility: Type.Unsafe<'public' | 'private'>({ type: 'string', enum: ['public', 'private'] }),
});

const MAX_LENGTH = 254;

/** Throws for what cannot be an address, and for one that is there twice. */
export function parseEmails(body: Static<typeof EmailList>): string[] {
  const emails = typeof body === 'string' ? [body] : Array.isArray(body) ? body : body.emails;
  const seen = new Set<string>();
  for (const email of emails) {
    if (email.length > MAX_LENGTH || !isEmail(email))
      throw problem('email', `is invalid: ${JSON.stringify(email.slice(0, MAX_LENGTH))}`);
    const folded = email.toLowerCase();
    if (seen.has(folded)) throw problem('email', `is there twice: ${email}`);
    seen.add(folded);
  }
  return emails;
}

/** The primary address first. Nothing proves that an added address is the user's, so it is not verified. */
export function toEmails(
  primary: string,
  added: readonly string[],
  { publicEmail }: UserProfile,
): Static<typeof Email>[] {
  const isPublic = (email: string) => publicEmail?.toLowerCase() === email.toLowerCase();
  return [
    {
      email: primary,
      primary: true,
      verified: true,
      visibility: publicEmail === PRIMARY ? 'public' : 'private',
    },
    ...added.map((email) => ({
      email,
      primary: false,
      verified: false,
      visibility: isPublic(email) ? 'public' : null,
    })),
  ];
}

export function tooManyEmails(): Failure {
  return problem('email', `cannot be added: a user has at most ${MAX_EMAILS} addresses`);
}
