// Creates, moves and deletes branches and tags. Of two concurrent changes none is lost: the second sees the first.
import { Failure } from '../../kernel/failure.ts';
import { isAncestor } from '../git/history/history.ts';
import type { ObjectInfo } from '../git/objects/object-reader.ts';
import type { GitRepository } from '../git/repository.ts';
import { isNamedLikeId, isBranchName, isValidRefName } from '../git/refs/revision.ts';
import { RefUpdateRefused, type RefUpdate } from '../git/refs/update-refs.ts';

/** How often a change is tried again after others have changed the same reference. */
const MAX_TRIES = 10;

interface ChangedRef {
  name: string;
  oid: string;
  type: string;
}

/** A repository, and how its references are moved. */
export interface ChangeableRefs {
  git: GitRepository;
  move(updates: RefUpdate[]): Promise<void>;
}

export async function createRef(
  { git, move }: ChangeableRefs,
  name: string,
  sha: string,
): Promise<ChangedRef> {
  checkChangeable(name);
  if (isNamedLikeId(name))
    throw new Failure('invalid', 'The name of a branch or tag must not consist of 40 hex digits.');
  const { oid, type } = await findTarget(git, name, sha);
  if ((await git.readRef(name)) !== undefined) throw alreadyExists();
  try {
    await move([{ name, from: undefined, to: oid }]);
  } catch (error) {
    if (error instanceof RefUpdateRefused && error.reason === 'changed') throw alreadyExists();
    throw asInvalid(error);
  }
  return { name, oid, type };
}

/** Without `isForced` the new commit must descend from the present one. */
export async function moveRef(
  refs: ChangeableRefs,
  name: string,
  sha: string,
  isForced: boolean,
): Promise<ChangedRef> {
  checkChangeable(name);
  const { git } = refs;
  const { oid, type } = await findTarget(git, name, sha);
  await changeUntilDone(refs, name, async (from) => {
    if (!isForced && from !== oid && !(await isFastForward(git, from, { oid, type })))
      throw new Failure('invalid', 'Update is not a fast forward');
    return { name, from, to: oid };
  });
  return { name, oid, type };
}

export async function deleteRef(refs: ChangeableRefs, name: string): Promise<void> {
  checkChangeable(name);
  await changeUntilDone(refs, name, (from) => Promise.resolve({ name, from, to: undefined }));
}

/** `plan` gets the value that the reference has, and is asked again where it has changed meanwhile. */
async function changeUntilDone(
  { git, move }: ChangeableRefs,
  name: string,
  plan: (from: string) => Promise<RefUpdate>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const from = await git.readRef(name);
    if (from === undefined) throw new Failure('invalid', 'Reference does not exist');
    const update = await plan(from);
    try {
      return await move([update]);
    } catch (error) {
      const isContested =
        error instanceof RefUpdateRefused && (error.reason === 'changed' || error.reason === 'locked');
      if (!isContested || tries === MAX_TRIES) throw asInvalid(error);
    }
  }
}

async function isFastForward(git: GitRepository, from: string, to: { oid: string; type: string }) {
  const before = await git.readInfo(from);
  return before?.type === 'commit' && to.type === 'commit' && (await isAncestor(git, from, to.oid));
}

/** A branch is a commit; a tag may be any object. */
async function findTarget(git: GitRepository, name: string, sha: string): Promise<ObjectInfo> {
  const info = await git.readInfo(sha.toLowerCase());
  if (info === undefined) throw new Failure('invalid', 'Object does not exist');
  if (name.startsWith('refs/heads/') && info.type !== 'commit')
    throw new Failure('invalid', 'A branch must refer to a commit');
  return info;
}

function alreadyExists(): Failure {
  return new Failure('invalid', 'Reference already exists');
}

/** A name such as `a/b` where `a` exists is the fault of the request, not of a concurrent one. */
function asInvalid(error: unknown): unknown {
  return error instanceof RefUpdateRefused && error.reason === 'name-conflict'
    ? new Failure('invalid', error.message)
    : error;
}

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
