// Finds what is wrong with a CODEOWNERS file: lines that cannot be read, and owners that nobody is or who may not write.
import type { Db } from '../../kernel/storage/tables.ts';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findOwners, ownerKey } from './find-owners.ts';
import {
  describeError,
  MAX_CODEOWNERS_ERRORS,
  parseCodeowners,
  type CodeOwner,
  type CodeownersError,
  type OwnerRule,
} from './parse.ts';

const RULES_AT_ONCE = 500;

/** The first hundred, in the order of the lines. */
export async function findCodeownersErrors(
  db: Db,
  found: FoundRepository,
  text: string,
): Promise<CodeownersError[]> {
  const { rules, errors } = await parseCodeowners(text);
  const all = [...errors, ...(await findUnknownOwners(db, found, rules))];
  return all
    .sort((one, other) => one.line - other.line || one.column - other.column)
    .slice(0, MAX_CODEOWNERS_ERRORS);
}

/** No more are looked for when there are enough errors, so that the file of a stranger asks for few accounts in vain. */
async function findUnknownOwners(
  db: Db,
  found: FoundRepository,
  rules: readonly OwnerRule[],
): Promise<CodeownersError[]> {
  const known = new Set<string>();
  const errors: CodeownersError[] = [];
  for (const some of chunk(rules, RULES_AT_ONCE)) {
    const unseen = some.flatMap(({ owners }) => owners.filter((owner) => !known.has(ownerKey(owner))));
    const { accounts, teams } = await findOwners(db, found, unseen);
    for (const key of [...accounts.keys(), ...teams.keys()]) known.add(key);
    for (const rule of some)
      for (const owner of rule.owners)
        if (!known.has(ownerKey(owner))) errors.push(unknownOwner(rule, owner));
    if (errors.length >= MAX_CODEOWNERS_ERRORS) break;
  }
  return errors;
}

function unknownOwner({ line, source }: OwnerRule, owner: CodeOwner): CodeownersError {
  const { column } = owner;
  return describeError({ line, column, kind: 'Unknown owner', source, suggestion: adviceAbout(owner) });
}

function adviceAbout({ kind, name }: CodeOwner): string {
  if (kind === 'email')
    return `make sure that ${name} is the address of somebody who has write access to the repository.`;
  const what = kind === 'team' ? `the team @${name}` : `@${name}`;
  return `make sure that ${what} exists and has write access to the repository.`;
}
