// The limits on guessing at logins. None of them lets a stranger keep somebody else out.
import type { Quota } from '../../limits/window.ts';

/** Attempts from one address: against guessing, and because each attempt costs much time. */
export const LOGIN_CATEGORY = 'login';
/** Wrong passwords for one account, from all browsers together that it does not know. */
export const ACCOUNT_CATEGORY = 'login-account';
/** Wrong passwords from one browser that an account knows. */
export const BROWSER_CATEGORY = 'login-browser';
/** Wrong codes for one account. Only who has its password gets that far. */
export const CODE_CATEGORY = 'login-code';

const limit = (count: number, seconds: number): Quota => ({ anonymous: count, known: count, seconds });

export const LOGIN_QUOTAS: Readonly<Record<string, Quota>> = {
  [LOGIN_CATEGORY]: limit(10, 60),
  [ACCOUNT_CATEGORY]: limit(30, 3600),
  [BROWSER_CATEGORY]: limit(30, 3600),
  [CODE_CATEGORY]: limit(10, 600),
};
