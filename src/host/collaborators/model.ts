// Collaborators as replies show them: users with their role on a repository.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { permissionsOf, RepositoryPermissions } from '../repositories/model.ts';
import { includesRole, strongerRole, type RepositoryRole } from '../repositories/repository.ts';

export const Collaborator = Type.Object(
  {
    ...SimpleUser.properties,
    permissions: Type.Optional(RepositoryPermissions),
    role_name: Type.String(),
  },
  { $id: 'collaborator' },
);

export const CollaboratorPermission = Type.Object(
  {
    permission: OneOf(['admin', 'write', 'read', 'none']),
    role_name: Type.String(),
    user: Nullable(Collaborator),
  },
  { $id: 'repository-collaborator-permission' },
);

export const NewCollaborator = Type.Object({
  permission: Type.Optional(
    PlainText({
      maxLength: 100,
      description: 'pull, triage, push, maintain, admin, or the name of a custom role; push if absent',
    }),
  ),
});

/** One of the ways in which an account has got a role on a repository. */
export interface CollaboratorGrant {
  role: RepositoryRole;
  /** The role's own name, where it is a custom one. */
  name: string;
}

/** The strongest of them; of equal ones a custom role. */
export function strongestGrant(grants: readonly CollaboratorGrant[]): CollaboratorGrant | undefined {
  return grants.reduce<CollaboratorGrant | undefined>((strongest, grant) => {
    if (strongest === undefined) return grant;
    if (strongest.role === grant.role) return grant.name === grant.role ? strongest : grant;
    return strongerRole(strongest.role, grant.role) === strongest.role ? strongest : grant;
  }, undefined);
}

export function toCollaborator(
  owner: RepositoryOwner,
  grant: CollaboratorGrant | undefined,
  base: string,
): Static<typeof Collaborator> {
  return {
    ...toSimpleUser(owner, base),
    permissions:
      grant === undefined
        ? { admin: false, maintain: false, push: false, triage: false, pull: false }
        : permissionsOf(grant.role),
    role_name: grant?.name ?? 'none',
  };
}

/** In the four words that were there before other roles. */
export function toCollaboratorPermission(
  owner: RepositoryOwner,
  grant: CollaboratorGrant | undefined,
  base: string,
): Static<typeof CollaboratorPermission> {
  const role = grant?.role;
  const word = role === 'admin' ? role : includesRole(role, 'write') ? 'write' : role && 'read';
  return {
    permission: word ?? 'none',
    role_name: grant?.name ?? 'none',
    user: toCollaborator(owner, grant, base),
  };
}
