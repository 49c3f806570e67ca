// Which passwords are refused: too short ones, names of their own member, and those that everybody tries first.
import { problem } from '../schema/schema.ts';
import { COMMON_PASSWORDS } from './common-passwords.ts';

declare module '../kernel.ts' {
  interface Settings {
    /** The fewest characters that a password may have. */
    passwordLength: number;
  }
}

interface PasswordOwner {
  username?: string;
  email?: string;
}

/** Nothing is demanded of its characters: length counts for more. `field` names it in the error. */
export function checkPasswordRules(
  password: string,
  owner: PasswordOwner,
  { passwordLength, field = '/password' }: { passwordLength: number; field?: string },
): void {
  const reason = objectionTo(password, owner, passwordLength);
  if (reason !== undefined) throw problem(field, reason);
}

function objectionTo(
  password: string,
  { username = '', email = '' }: PasswordOwner,
  passwordLength: number,
): string | undefined {
  // Characters as people count them.
  if ([...password].length < passwordLength) return `must have at least ${passwordLength} characters`;
  const folded = password.normalize('NFKC').toLowerCase();
  const own = [username, email, email.split('@')[0]!].map((name) => name.toLowerCase());
  if (own.includes(folded)) return 'must not be your own name or address';
  if (COMMON_PASSWORDS.has(folded) || isOneThing(folded))
    return 'is one of those that are tried first: choose another';
  return undefined;
}

/** One character or a few in a row, again and again. */
function isOneThing(password: string): boolean {
  return /^(.{1,4}?)\1+.{0,3}$/u.test(password) && new Set(password).size <= 4;
}
