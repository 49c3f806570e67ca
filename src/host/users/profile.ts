// What users say about themselves, and how a request changes it.
import { Nullable, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';

export interface UserProfile {
  /** Shown instead of the first and last name of the member. */
  name: string | null;
  company: string | null;
  blog: string | null;
  location: string | null;
  bio: string | null;
  twitterUsername: string | null;
  isHireable: boolean | null;
  /** The address that others see; `primary` is that of the member, whatever it is at the time. */
  publicEmail: string | null;
}

export const EMPTY_USER_PROFILE: UserProfile = {
  name: null,
  company: null,
  blog: null,
  location: null,
  bio: null,
  twitterUsername: null,
  isHireable: null,
  publicEmail: null,
};

export const PRIMARY = 'primary';

const Line = (maxLength: number) => Type.Optional(Nullable(PlainText({ maxLength })));

export const UserUpdate = Type.Object({
  name: Line(255),
  email: Line(254),
  blog: Line(2000),
  twitter_username: Type.Optional(Nullable(Type.String({ pattern: '^\\w{0,15}$' }))),
  company: Line(255),
  location: Line(255),
  hireable: Type.Optional(Nullable(Type.Boolean())),
  bio: Line(2000),
});

/** An empty text clears a field. `ownEmails` are the caller's addresses in lower case, the primary one first. */
export function changeProfile(
  profile: UserProfile,
  update: Static<typeof UserUpdate>,
  ownEmails: readonly string[],
): UserProfile {
  const pick = (given: string | null | undefined, current: string | null) =>
    given === undefined ? current : given?.trim() || null;
  return {
    name: pick(update.name, profile.name),
    company: pick(update.company, profile.company),
    blog: pick(update.blog, profile.blog),
    location: pick(update.location, profile.location),
    bio: pick(update.bio, profile.bio),
    twitterUsername: pick(update.twitter_username, profile.twitterUsername),
    isHireable: update.hireable === undefined ? profile.isHireable : update.hireable,
    publicEmail:
      update.email === undefined ? profile.publicEmail : choosePublicEmail(update.email ?? '', ownEmails),
  };
}

function choosePublicEmail(wanted: string, ownEmails: readonly string[]): string | null {
  if (wanted === '') return null;
  const index = ownEmails.indexOf(wanted.toLowerCase());
  if (index < 0) throw problem('email', 'is none of your addresses: add it first');
  return index === 0 ? PRIMARY : wanted;
}
