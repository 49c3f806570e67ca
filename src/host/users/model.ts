// Users as the host shows them: public to everyone, private to themselves; and how a request changes what they say about themselves.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { Nullable, Type, PlainText, problem, type Static } from '../../kernel/schema/schema.ts';
import { ownerOfOrganization, type Organization } from '../organizations/model.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';

const PUBLIC = {
  ...SimpleUser.properties,
  name: Nullable(Type.String()),
  company: Nullable(Type.String()),
  blog: Nullable(Type.String()),
  location: Nullable(Type.String()),
  email: Nullable(Type.String()),
  hireable: Nullable(Type.Boolean()),
  bio: Nullable(Type.String()),
  twitter_username: Type.Optional(Nullable(Type.String())),
  public_repos: Type.Integer(),
  public_gists: Type.Integer(),
  followers: Type.Integer(),
  following: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
};

export const PublicUser = Type.Object(PUBLIC, { $id: 'public-user' });
export const PrivateUser = Type.Object(
  {
    ...PUBLIC,
    private_gists: Type.Integer(),
    total_private_repos: Type.Integer(),
    owned_private_repos: Type.Integer(),
    disk_usage: Type.Integer(),
    collaborators: Type.Integer(),
    two_factor_authentication: Type.Boolean(),
  },
  { $id: 'private-user' },
);

/** An account with what it says about itself and what it owns. */
export interface ShownUser {
  account: Account;
  profile: UserProfile;
  /** When the account or its profile last changed. */
  updatedAt: number;
  publicRepositories: number;
  publicGists: number;
}

export interface ShownPrivately extends ShownUser {
  secretGists: number;
  privateRepositories: number;
  sizeKb: number;
  collaborators: number;
}

/** The public e-mail address is for callers with a credential, so that nobody collects addresses. */
export function toPublicUser(
  shown: ShownUser,
  base: string,
  isCallerKnown: boolean,
): Static<typeof PublicUser> {
  const { account, profile } = shown;
  return {
    ...toSimpleUser(ownerOfAccount(account), base),
    name: publicNameOf(account, profile),
    company: profile.company,
    blog: profile.blog,
    location: profile.location,
    email: isCallerKnown ? publicEmailOf(account, profile) : null,
    hireable: profile.isHireable,
    bio: profile.bio,
    twitter_username: profile.twitterUsername,
    public_repos: shown.publicRepositories,
    public_gists: shown.publicGists,
    followers: 0,
    following: 0,
    created_at: isoSeconds(account.createdAt),
    updated_at: isoSeconds(shown.updatedAt),
  };
}

/** With the primary address only for callers who may view it. */
export function toPrivateUser(
  shown: ShownPrivately,
  base: string,
  mayViewEmails: boolean,
): Static<typeof PrivateUser> {
  const { account, profile } = shown;
  return {
    ...toPublicUser(shown, base, true),
    name: profile.name ?? fullNameOf(account),
    email: publicEmailOf(account, profile) ?? (mayViewEmails ? account.email : null),
    private_gists: shown.secretGists,
    total_private_repos: shown.privateRepositories,
    owned_private_repos: shown.privateRepositories,
    disk_usage: shown.sizeKb,
    collaborators: shown.collaborators,
    two_factor_authentication: false,
  };
}

export function toPublicOrganization(
  organization: Organization,
  publicRepositories: number,
  base: string,
): Static<typeof PublicUser> {
  const { profile } = organization;
  return {
    ...toSimpleUser(ownerOfOrganization(organization), base),
    name: profile.name,
    company: profile.company,
    blog: profile.blog,
    location: profile.location,
    email: profile.email,
    hireable: null,
    bio: null,
    twitter_username: profile.twitterUsername,
    public_repos: publicRepositories,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoSeconds(organization.createdAt),
    updated_at: isoSeconds(organization.updatedAt),
  };
}

function publicEmailOf({ email }: Account, { publicEmail }: UserProfile): string | null {
  return publicEmail === PRIMARY ? email : publicEmail;
}

export function fullNameOf({ firstName, lastName }: Account): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null;
}

/** The name of a service token is shown only to callers who may see tokens; others see what its profile says. */
export function publicNameOf(account: Account, profile: Pick<UserProfile, 'name'>): string | null {
  return profile.name ?? (account.isService ? null : fullNameOf(account));
}

/** An SVG with the first letter, in a colour that depends on the number of the account. */
export function drawAvatar({ login, number }: Pick<RepositoryOwner, 'login' | 'number'>): string {
  const hue = (number * 137) % 360;
  const letter = login.charAt(0).toUpperCase();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl(${hue} 55% 45%)"/>` +
    `<text x="32" y="43" font-family="sans-serif" font-size="32" text-anchor="middle" fill="#fff">${letter}</text></svg>`
  );
}

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
