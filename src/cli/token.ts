// Shared by the token commands: how a token is printed, and how its changes are recorded.
import type { Change } from '../kernel/change/change.ts';
import type { Member } from '../kernel/identity/store-members.ts';
import type { Token } from '../kernel/identity/store-tokens.ts';

/** Without the secret: only its hash is stored. */
export function reportToken(
  token: Token,
  member: Pick<Member, 'username'> | undefined,
  serviceUsername?: string,
) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: token.id,
    name: token.name,
    member: member?.username ?? null,
    /** The username that owns its resources. */
    account: (token.isService ? serviceUsername : member?.username) ?? null,
    kind: token.isService ? 'service' : 'personal',
    role: token.role ?? (token.inlinePolicy === undefined ? token.customRoles.join(',') : 'policy'),
    ending: token.ending,
    createdAt: time(token.createdAt),
    lastUsedAt: time(token.lastUsedAt),
    expiresAt: time(token.expiresAt),
  };
}

export function tokenChange({ id, memberId, isService, name }: Token, action: string): Omit<Change, 'verb'> {
  const resource = isService ? `service-token/${id}` : `member/${memberId}:token/${id}`;
  return { accesses: [{ action, resource }], kind: 'token', name };
}
