// Copies commits with all that they lead to from one repository to another, as a push of them would: within the same limits.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';
import { runGit, streamGit, type GitTarget } from '../git-target.ts';
import { checkedObjectId } from '../objects/object-id.ts';
import { GitError } from '../process/git-process.ts';
import { checkReceivedPack, type InflationLimits } from '../received-pack.ts';
import type { GitRepository } from '../repository.ts';
import { inQuarantine, publishObjects, type QuarantinedTarget } from './quarantine.ts';

export interface CopyOptions {
  /** Commits of the target: what they lead to is not copied again. */
  without: readonly string[];
  /** The largest pack that is taken, as for a push. */
  maxBytes: number;
  limits: InflationLimits;
  /** Throws where the objects must not come, with this many bytes when they are inflated: then nothing is left behind. */
  check?: (inflatedBytes: number, git: QuarantinedTarget) => Promise<void>;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;
const MISSING = /bad object|not a valid object|unable to read|missing blob|bad tree|could not parse/i;
/** A head and a checksum. */
const EMPTY_PACK_BYTES = 32;

/**
 * In the target and durable once resolved, where no reference leads to them yet. Resolves with the inflated bytes. The
 * pack goes from one process to the other in chunks, however large it is.
 * @throws {Failure} for what is too large, or where the source lacks a commit.
 */
export async function copyObjects(
  source: Pick<GitTarget, 'folder'>,
  target: GitRepository,
  commits: readonly string[],
  { without, maxBytes, limits, check }: CopyOptions,
): Promise<number> {
  return await inQuarantine(target, async (quarantined) => {
    const pack = limitBytes(packCommits(source, target, commits, without), maxBytes);
    await runGit(quarantined, ['index-pack', '--stdin', '--fix-thin', '--strict'], {
      input: pack,
      work: 'transfer',
      timeoutMs: TIMEOUT_MS,
      maxOutput: MAX_OUTPUT,
    }).catch((error: unknown) => {
      throw isMissing(error) ? missingCommit(error) : error;
    });
    if (await isEmpty(quarantined)) return 0;
    const { program, services } = target;
    const bytes = await checkReceivedPack({ target: { ...quarantined, program }, services, limits });
    await check?.(bytes, quarantined);
    await publishObjects(quarantined);
    return bytes;
  });
}

/** Git reads the objects of both, so that it can leave out those of the target, and send changes of them. */
function packCommits(
  source: Pick<GitTarget, 'folder'>,
  target: GitTarget,
  commits: readonly string[],
  without: readonly string[],
): AsyncGenerator<Buffer, void, void> {
  const wanted = commits.map((oid) => `${checkedObjectId(oid)}\n`);
  const known = without.map((oid) => `^${checkedObjectId(oid)}\n`);
  const args = ['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '--quiet'];
  const { program, signal } = target;
  const both = { program, folder: source.folder, alternates: [target.folder], ...(signal && { signal }) };
  return streamGit(both, args, {
    input: [...wanted, ...known].join(''),
    work: 'transfer',
    timeoutMs: TIMEOUT_MS,
  });
}

async function* limitBytes(chunks: AsyncIterable<Buffer>, max: number): AsyncGenerator<Buffer, void, void> {
  let left = max;
  for await (const chunk of chunks) {
    left -= chunk.length;
    if (left < 0)
      throw new Failure('too-large', `The commits have more than ${max} bytes of objects that are new here.`);
    yield chunk;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof GitError && MISSING.test(error.stderr);
}

function missingCommit(cause: unknown): Failure {
  return new Failure('invalid', 'A commit that is to be copied does not exist, or is not complete.', {
    cause,
  });
}

async function isEmpty({ quarantine }: QuarantinedTarget): Promise<boolean> {
  const folder = join(quarantine, 'pack');
  const packs = (await readdir(folder)).filter((name) => name.endsWith('.pack'));
  for (const name of packs) if ((await stat(join(folder, name))).size > EMPTY_PACK_BYTES) return false;
  return true;
}
