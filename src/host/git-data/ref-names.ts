// Which references callers may change: branches and tags.
import { Failure } from '../../kernel/failure.ts';
import { isBranchName } from '../git/revision.ts';
import { isValidRefName } from '../git/ref-name.ts';

/** The full name of a reference in a path, where `refs/` may be left out. */
export function fullRefName(path: string): string {
  return path.startsWith('refs/') ? path : `refs/${path}`;
}

/** Throws for a name that no branch or tag can have. */
export function checkChangeable(name: string): void {
  const [, space, rest = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(name) ?? [];
  if (space === undefined)
    throw new Failure('invalid', 'Only references below refs/heads/ and refs/tags/ can be changed.');
  const isName = space === 'heads' ? isBranchName(rest) : !rest.startsWith('-') && isValidRefName(name);
  if (!isName)
    throw new Failure('invalid', `${JSON.stringify(shorten(name))} is not a valid reference name.`);
}

const MAX_SHOWN = 200;

function shorten(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
}
