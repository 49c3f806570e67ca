// Gists over the protocol of git: everybody who knows the id fetches, the owner pushes, and what a push brings is recorded.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { gistResource, openGist, ownsGist, READ_GIST, UPDATE_GIST, type FoundGist } from '../gists/access.ts';
import { editFiles } from '../gists/file-edits.ts';
import { GIST_REF, MAX_GIST_FILES } from '../gists/gist.ts';
import { beginGistWrite, recordGistChange } from '../gists/record-change.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { callAgain } from './call-again.ts';
import { checkGistPush, MAX_GIST_REFS, type GistPushRules } from './check-gist-push.ts';
import { gitRoutes } from './git-routes.ts';
import type { ServiceName } from './git-service.ts';
import type { ProposedPush } from './hook-dialogue.ts';
import type { PushVerdict, ServedGit } from './served-git.ts';

/** The largest pack of a push, where the server does not allow less anyway. */
const MAX_GIST_PACK = 100 * 1024 ** 2;

const RULES: GistPushRules = { branch: GIST_REF, maxFiles: MAX_GIST_FILES, problemWithName };

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
    messages = await checkGistPush(checked, proposal, RULES);
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

/** The rule of the API decides. */
function problemWithName(name: string): string | undefined {
  try {
    editFiles(undefined, { [name]: { content: name } });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
