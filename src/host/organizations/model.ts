// Organizations: owners of repositories whose members and teams share them.
import type { RepositoryOwner } from '../owners/model.ts';

/** Above the numbers of members and service tokens, and within the range of a GraphQL Int. */
export const FIRST_ORGANIZATION_NUMBER = 1_500_000_000;

/** The repository role that every member has; `none` leaves it to teams and collaborators. */
export type DefaultPermission = 'none' | 'read' | 'write' | 'admin';

export interface OrganizationProfile {
  name: string | null;
  description: string | null;
  company: string | null;
  blog: string | null;
  location: string | null;
  email: string | null;
  twitterUsername: string | null;
  billingEmail: string | null;
}

export interface Organization {
  id: string;
  /** As clients see it. */
  number: number;
  login: string;
  profile: OrganizationProfile;
  settings: OrganizationSettings;
  defaultPermission: DefaultPermission;
  createdAt: number;
  updatedAt: number;
}

export interface OrganizationSettings {
  membersCanCreateRepositories: boolean;
  membersCanCreatePublicRepositories: boolean;
  membersCanCreatePrivateRepositories: boolean;
  membersCanForkPrivateRepositories: boolean;
}

export const DEFAULT_SETTINGS: OrganizationSettings = {
  membersCanCreateRepositories: true,
  membersCanCreatePublicRepositories: true,
  membersCanCreatePrivateRepositories: true,
  membersCanForkPrivateRepositories: false,
};

export function ownerOfOrganization({ id, number, login }: Organization): RepositoryOwner {
  return { id, number, login, type: 'Organization', isSiteAdmin: false };
}
