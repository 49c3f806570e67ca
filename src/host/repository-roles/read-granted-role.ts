// Reads the role that a request wants to grant on a repository: one that every repository has, or a custom one.
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { parseRole } from '../repositories/repository.ts';
import { findRepositoryRoleByName } from './store.ts';

/** The role to store, which for a custom one is its exact name. Throws for words that name no role. */
export async function readGrantedRole(db: Db, ownerId: string, word: string): Promise<string> {
  const builtIn = parseRole(word);
  if (builtIn !== undefined) return builtIn;
  const custom = word.includes('\0') ? undefined : await findRepositoryRoleByName(db, ownerId, word);
  if (custom !== undefined) return custom.name;
  throw problem(
    'permission',
    'must be pull, triage, push, maintain, admin or the name of a custom repository role',
  );
}
