// Users as the host shows them: public to everyone, private to themselves.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { Nullable, Type, type Static } from '../../kernel/schema.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser } from '../owners/model.ts';
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

/** The e-mail address stays private, and so does the name of a service token: only its owner reads it, through GET /user. */
export function toPublicUser(account: Account, base: string): Static<typeof PublicUser> {
  return {
    ...toSimpleUser(ownerOfAccount(account), base),
    name: publicNameOf(account),
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: isoSeconds(account.createdAt),
    updated_at: isoSeconds(account.updatedAt),
  };
}

export function toPrivateUser(account: Account, base: string): Static<typeof PrivateUser> {
  return {
    ...toPublicUser(account, base),
    name: fullNameOf(account),
    email: account.email,
    private_gists: 0,
    total_private_repos: 0,
    owned_private_repos: 0,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: false,
  };
}

export function fullNameOf({ firstName, lastName }: Account): string | null {
  return [firstName, lastName].filter(Boolean).join(' ') || null;
}

/** The name of a service token is shown only to callers who may see tokens; others see its username. */
export function publicNameOf(account: Account): string | null {
  return account.isService ? null : fullNameOf(account);
}

/** An SVG with the first letter, in a colour that depends on the number of the account. */
export function drawAvatar({ username, number }: Account): string {
  const hue = (number * 137) % 360;
  const letter = username.charAt(0).toUpperCase();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="hsl(${hue} 55% 45%)"/>` +
    `<text x="32" y="43" font-family="sans-serif" font-size="32" text-anchor="middle" fill="#fff">${letter}</text></svg>`
  );
}
