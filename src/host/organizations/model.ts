// Organizations: owners of repositories whose members and teams share them.
import type { RepositoryOwner } from '../owners/model.ts';
import type { OrganizationSettings } from './settings.ts';

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

export const EMPTY_PROFILE: OrganizationProfile = {
  name: null,
  description: null,
  company: null,
  blog: null,
  location: null,
  email: null,
  twitterUsername: null,
  billingEmail: null,
};

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

/** Admins may change everything in the organization. */
export type OrganizationRole = 'admin' | 'member';

export interface OrganizationMembership {
  accountId: string;
  role: OrganizationRole;
  /** Whether everybody may know of it. */
  isPublic: boolean;
}

/** Of the repositories that it owns. */
export interface OrganizationCounts {
  publicRepositories: number;
  privateRepositories: number;
  sizeKb: number;
}

const LOGIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38}$/;

/** As for members: 1 to 39 letters, digits and single hyphens inside. */
export function isOrganizationLogin(login: string): boolean {
  return LOGIN.test(login);
}

export function ownerOfOrganization({ id, number, login }: Organization): RepositoryOwner {
  return { id, number, login, type: 'Organization', isSiteAdmin: false };
}

/** As policies name it. */
export function organizationResource({ login }: Pick<Organization, 'login'>): string {
  return `org/${login}`;
}
