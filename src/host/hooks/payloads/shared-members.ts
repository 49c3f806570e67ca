// What the payloads of most events nest: repositories, organizations, teams and users, in the one shape that payloads have.
import type { TeamInEvent } from '../../events/model.ts';
import type { Organization } from '../../organizations/model.ts';
import { toOrganizationSimple } from '../../organizations/replies.ts';
import { toSimpleUser, type RepositoryOwner } from '../../owners/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import { toMinimalRepository } from '../../repositories/model.ts';
import { toListedTeam } from '../../teams/model.ts';

/** A JSON object of a payload. */
export type PayloadObject = Record<string, unknown>;

/** Payloads have no version: they keep `has_downloads`, which receivers of any age expect. */
export function repositoryInPayload(found: FoundRepository, base: string): PayloadObject {
  return {
    ...toMinimalRepository({ ...found, role: undefined }, base),
    has_downloads: true,
    custom_properties: {},
  };
}

/** Pushes have times in seconds, and a few members more. */
export function pushedRepositoryInPayload(
  found: FoundRepository,
  organization: Organization | undefined,
  base: string,
): PayloadObject {
  const { repository } = found;
  return {
    ...repositoryInPayload(found, base),
    created_at: Math.floor(repository.createdAt / 1000),
    pushed_at: Math.floor(repository.pushedAt / 1000),
    stargazers: repository.starCount,
    master_branch: repository.defaultBranch,
    ...(organization && { organization: organization.login }),
  };
}

export function organizationInPayload(organization: Organization, base: string): PayloadObject {
  return toOrganizationSimple(organization, base);
}

export function userInPayload(user: RepositoryOwner, base: string): PayloadObject {
  return toSimpleUser(user, base);
}

/** Payloads do not say what kind of team it is. */
export function teamInPayload(team: TeamInEvent, organization: Organization, base: string): PayloadObject {
  const { parent, ...shown } = toListedTeam({ team, organization, parent: team.parent ?? undefined }, base);
  return { ...withoutKind(shown), parent: parent && withoutKind(parent) };
}

function withoutKind({ type: _type, organization_id: _organization, ...team }: PayloadObject): PayloadObject {
  return team;
}
