// What authors are to a repository, in the words of `author_association`.
import type { Author } from '../issue.ts';

export const ASSOCIATIONS = [
  'COLLABORATOR',
  'CONTRIBUTOR',
  'FIRST_TIMER',
  'FIRST_TIME_CONTRIBUTOR',
  'MANNEQUIN',
  'MEMBER',
  'NONE',
  'OWNER',
] as const;

export type Association = (typeof ASSOCIATIONS)[number];

/** An author without an account, of what was imported, is a mannequin. */
export function associationOf(
  associations: ReadonlyMap<string, Association>,
  { id, name }: Author,
): Association {
  if (id === null) return name === null ? 'NONE' : 'MANNEQUIN';
  return associations.get(id) ?? 'NONE';
}
