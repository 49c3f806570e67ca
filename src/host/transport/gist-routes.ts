// Gists over the protocol of git: everybody who knows the id fetches, the owner pushes, and what a push brings is recorded.
import { Failure } from '../../kernel/failure.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { gistResource, openGist, ownsGist, READ_GIST, UPDATE_GIST, type FoundGist } from '../gists/access.ts';
import { GIST_REF, MAX_GIST_FILES } from '../gists/gist.ts';
import { beginGistWrite, recordGistChange } from '../gists/record-change.ts';
import { editFiles } from '../gists/write-revision.ts';
import { streamGit, runGit, type GitTarget, splitRecords } from '../git/git-target.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { gitRoutes } from './git-routes.ts';
import { callAgain, type ServiceName, type PushVerdict, type ServedGit } from './git-service.ts';
import type { ProposedPush } from './pre-receive-hook.ts';

/** The largest pack of a push, where the server does not allow less anyway. */
const MAX_GIST_PACK = 100 * 1024 ** 2;

export const gistTransportRoutes = gitRoutes<FoundGist>({
  name: 'gist-git',
  below: '/gist/{gist_id}',
  read: READ_GIST,
  push: UPDATE_GIST,
  open: openForService,
  serve: serveGist,
});

type OpeningCall = Pick<RawRouteCall, 'caller' | 'now' | 'params' | 'can'>;

async function openForService(kernel: Kernel, call: OpeningCall, service: ServiceName): Promise<FoundGist> {
  const { caller, now, params } = call;
  const can: RawRouteCall['can'] = (resource, action) => call.can(resource, action);
  // Addresses for git end with `.git`.
  const gist = { gist_id: params['gist_id']!.replace(/\.git$/, '') };
  const found = await openGist(kernel, { caller, now, can, params: gist }, 'read');
  if (service === 'git-upload-pack') return found;
  const isAllowed = call.can(gistResource(found), UPDATE_GIST.action);
  // Who may clone a gist knows that it is there.
  if (!ownsGist(caller, found.gist) && !administersHost(caller))
    throw new Failure('denied', 'Only the owner of a gist may push to it. Fork it, and push to the fork.');
  if (!isAllowed) throw new Failure('denied', 'The token does not allow pushes to this gist.');
  return found;
}

async function serveGist(kernel: Kernel, call: RawRouteCall, found: FoundGist): Promise<ServedGit> {
  const { gistGit, packs } = kernel.services;
  const { number } = found.gist;
  const { folder, program } = gistGit.repository(number);
  if (!(await gistGit.exists(number)))
    throw new Failure('unavailable', 'The files of the gist are not there. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  return {
    folder,
    program,
    row: { table: 'gists', number },
    logged: { gist: number },
    maxPushBytes: Math.min(packs.maxPushBytes, MAX_GIST_PACK),
    maxPushedRefs: MAX_GIST_REFS,
    judgePush: (proposal) => judgeGistPush(kernel, call, { folder, program }, proposal),
  };
}

async function judgeGistPush(
  kernel: Kernel,
  call: RawRouteCall,
  target: Pick<ServedGit, 'folder' | 'program'>,
  proposal: ProposedPush,
): Promise<PushVerdict> {
  const { quarantine } = proposal;
  const { caller, params } = call;
  const checked = { ...target, ...(quarantine !== undefined && { quarantine }) };
  let found: FoundGist;
  let messages: string[];
  try {
    // Much may have changed since the push began: the token, the owner, the gist itself.
    const present = await callAgain(kernel, caller, UPDATE_GIST.action);
    found = await openForService(kernel, { ...present, params }, 'git-receive-pack');
    messages = await checkGistPush(checked, proposal);
  } catch (error) {
    if (error instanceof Failure) return { messages: [error.message] };
    throw error;
  }
  if (messages.length > 0) return { messages };
  const { gist } = found;
  const write = await beginGistWrite(kernel, gist.number, caller, kernel.clock.now());
  return {
    messages,
    async end() {
      try {
        await recordGistChange(kernel, gist, caller, { write });
      } catch (error) {
        // The branch has moved: due work records that.
        kernel.log.warn({ err: error, gist: gist.number }, 'A push to a gist is to be recorded later');
      }
    },
  };
}

/** The same rule as for files that are written by the API. */
function problemWithName(name: string): string | undefined {
  try {
    editFiles(undefined, { [name]: { content: name } });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** More references in one push to a gist are not even looked at: it has one. */
const MAX_GIST_REFS = 20;

/** Each commit becomes a revision, which is a row of the database. */
const MAX_GIST_COMMITS = 2000;
const MEBIBYTE = 1024 ** 2;
const MAX_FILE_BYTES = 10 * MEBIBYTE;
const MAX_ALL_BYTES = 100 * MEBIBYTE;
const MAX_MESSAGES = 20;
const TIMEOUT_MS = 60_000;

/**
 * A push brings commits on the one branch, whose newest has files at the top level only. What is wrong, in words for
 * the pusher; nothing where the push may be accepted.
 */
async function checkGistPush(
  target: GitTarget,
  { changes, count }: Pick<ProposedPush, 'changes' | 'count'>,
): Promise<string[]> {
  const short = GIST_REF.replace(/^refs\/heads\//, '');
  const others = changes.filter(({ name }) => name !== GIST_REF);
  if (others.length > 0 || count > changes.length)
    return [
      ...others
        .slice(0, MAX_MESSAGES)
        .map(({ name }) => `${name}: a gist has one branch, ${short}, and no tags.`),
      `Push to it alone: git push origin HEAD:${short}`,
    ];
  const [change] = changes;
  if (change?.to === undefined) return [`${short} cannot be deleted: it is the gist's one branch.`];
  return (await checkHistory(target, change)) ?? (await checkFiles(target, change.to));
}

/** A bounded count: a push can bring millions of small commits. */
async function checkHistory(target: GitTarget, { from, to }: RefChange): Promise<string[] | undefined> {
  const type = await runGit(target, ['cat-file', '-t', to!], { timeoutMs: TIMEOUT_MS, maxOutput: 100 });
  if (type.toString().trim() !== 'commit') return ['The branch of a gist must be at a commit.'];
  const limit = String(MAX_GIST_COMMITS + 1);
  const range = from === undefined ? [to!] : [to!, `^${from}`];
  const args = ['rev-list', '--count', `--max-count=${limit}`, '--end-of-options', ...range];
  const counted = await runGit(target, args, { timeoutMs: TIMEOUT_MS, maxOutput: 100 });
  if (Number(counted.toString()) <= MAX_GIST_COMMITS) return undefined;
  return [`The push has more than ${MAX_GIST_COMMITS} commits. Push them in parts, or squash them.`];
}

async function checkFiles(target: GitTarget, commit: string): Promise<string[]> {
  const messages: string[] = [];
  let files = 0;
  let bytes = 0;
  const args = ['ls-tree', '-l', '-z', '--full-tree', '--end-of-options', commit];
  for await (const record of splitRecords(streamGit(target, args, { timeoutMs: TIMEOUT_MS }))) {
    const tab = record.indexOf('\t');
    const [mode = '', , , size = ''] = record.subarray(0, tab).toString('latin1').split(/ +/);
    files += 1;
    bytes += Number(size) || 0;
    if (files > MAX_GIST_FILES) return [`A gist has at most ${MAX_GIST_FILES} files.`];
    const problem = problemWithEntry(mode, Number(size), record.subarray(tab + 1));
    if (problem !== undefined) messages.push(problem);
    if (messages.length >= MAX_MESSAGES) return messages;
  }
  if (files === 0) messages.push('A gist must have at least one file.');
  if (bytes > MAX_ALL_BYTES)
    messages.push(`The files of a gist have at most ${MAX_ALL_BYTES / MEBIBYTE} MiB together.`);
  return messages;
}

function problemWithEntry(mode: string, size: number, bytes: Buffer): string | undefined {
  const name = bytes.toString();
  if (mode === '040000') return `${name}: a gist has no folders. Move its files to the top.`;
  if (mode === '160000') return `${name}: a gist has no submodules.`;
  if (mode === '120000') return `${name}: a gist has no symbolic links.`;
  if (size > MAX_FILE_BYTES) return `${name}: a file of a gist has at most ${MAX_FILE_BYTES / MEBIBYTE} MiB.`;
  if (!bytes.equals(Buffer.from(name))) return `${name}: the name of a file must be UTF-8.`;
  return problemWithName(name);
}
