// Pushes: git receives the objects into its quarantine, the hook asks whether they may come, and what has changed is recorded.
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GitProcess } from '../git/process/git-process.ts';
import type { GitTarget } from '../git/git-target.ts';
import { removeStaleQuarantines } from '../git/maintenance/leftovers.ts';
import {
  killChildren,
  checkReceivedPack,
  watchInflation,
  maxInflatedBytes,
  type InflationLimits,
} from '../git/received-pack.ts';
import { measureInflatedBytes, measurePackBytes } from '../git/maintenance/repository-size.ts';
import { MAX_PUSH_MS } from '../pushes/push.ts';
import { exchangePack, finishReply, openBody } from './exchange-pack.ts';
import { MAX_COMMAND_BYTES, receivePack, type GitExchange, type PushVerdict } from './git-service.ts';
import { answerProposal, readProposal } from './pre-receive-hook.ts';
import { NOT_CACHED } from './git-packets.ts';
import {
  addInflatedBytes,
  findInflatedBytes,
  replaceInflatedBytes,
  type CountedRow,
} from './store-inflated.ts';

/** Somewhat shorter than the time after which a push counts as over. */
const TIMEOUT_MS = MAX_PUSH_MS - 60_000;

export async function receive(exchange: GitExchange): Promise<void> {
  const { kernel, call, served, request, response } = exchange;
  const { packs } = kernel.services;
  kernel.disk.checkNotFull('repositories');
  const body = openBody(request, 'application/x-git-receive-pack-request');
  const { folder, program, maxPushBytes } = served;
  const hooksPath = await packs.hooks.ensure();
  const { args, start } = receivePack({ folder }, '--stateless-rpc', { maxPushBytes, hooksPath });
  const transfer = await packs.transfers.begin(call);
  let end: PushVerdict['end'];
  let unwatch: (() => void) | undefined;
  try {
    const process = await program.start(args, start);
    const late = setTimeout(process.end, TIMEOUT_MS);
    // Once the push is accepted, git finishes it even for a client that is gone.
    let hasEnded = false;
    const leave = () => {
      if (end !== undefined || hasEnded) return;
      process.end();
      // What has read the whole pack would otherwise go on with it.
      killChildren(process.pid);
    };
    unwatch = watchInflation(process, packs.inflation, () =>
      kernel.log.info(
        { call: call.id, ...served.logged },
        'a push was stopped: its pack takes too long to read',
      ),
    );
    call.signal.addEventListener('abort', leave, { once: true });
    if (call.signal.aborted) leave();
    const headers = { 'content-type': 'application/x-git-receive-pack-result', ...NOT_CACHED };
    const maxBody = maxPushBytes + MAX_COMMAND_BYTES;
    const decided = decide(exchange, process, (atEnd) => (end = atEnd));
    await exchangePack({ body, response, process, headers, isPush: true, maxBody, transfer, stop: leave });
    const exit = await process.exited;
    hasEnded = true;
    clearTimeout(late);
    await decided;
    await end?.();
    await removeStaleQuarantines(folder, MAX_PUSH_MS);
    finishReply(kernel, call, { body, response }, exit, headers);
  } finally {
    unwatch?.();
    transfer.end();
  }
}

/** Answers the hook. Whatever goes wrong refuses the push. */
async function decide(
  exchange: GitExchange,
  process: GitProcess,
  onAccept: (end: PushVerdict['end']) => void,
): Promise<void> {
  const { kernel, call, served } = exchange;
  const dialogue = process.dialogue!;
  let messages: readonly string[] = ['The server could not check the push. Try again later.'];
  try {
    const proposal = await readProposal(dialogue, served.maxPushedRefs);
    if (proposal === undefined) return;
    await checkContent(exchange, proposal.quarantine);
    const verdict = await served.judgePush(proposal);
    messages = verdict.messages;
    onAccept(verdict.end);
  } catch (error) {
    if (error instanceof Failure) messages = [error.message];
    else kernel.log.error({ err: error, call: call.id }, 'a push could not be checked');
  }
  answerProposal(dialogue, messages);
}

/** @throws {Failure} */
async function checkContent({ kernel, call, served }: GitExchange, quarantine?: string): Promise<void> {
  if (quarantine === undefined) return;
  const { program, folder } = served;
  const { git, packs } = kernel.services;
  const target = { program, folder, quarantine, signal: call.signal };
  const limits = packs.inflation;
  const bytes = await checkReceivedPack({ target, services: git.require(), limits });
  await countInflated(kernel.db, { row: served.row, target, bytes }, limits);
}

const MAX_TRIES = 5;

interface CountedPush {
  row: CountedRow;
  target: GitTarget & { quarantine: string };
  /** Of the push. */
  bytes: number;
}

/**
 * Each push is bounded by itself, and many small ones together could still stand for terabytes. The count may be too
 * high: it has objects that were pushed twice, or are deleted, and pushes that were refused later. So the repository
 * is measured before a push is refused.
 * @throws {Failure} where the repository would have more than it may.
 */
export async function countInflated(db: Db, push: CountedPush, limits: InflationLimits): Promise<void> {
  const { row, bytes, target } = push;
  const { ratio, repositoryBytes } = limits;
  // Nearly always enough, so that no file is looked at.
  if (bytes === 0 || (await addInflatedBytes(db, row, bytes, repositoryBytes))) return;
  const { quarantine, ...repository } = target;
  const packed =
    (await measurePackBytes(join(target.folder, 'objects'))) + (await measurePackBytes(quarantine));
  const max = maxInflatedBytes({ ratio, leastBytes: repositoryBytes }, packed);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await addInflatedBytes(db, row, bytes, max)) return;
    const counted = await findInflatedBytes(db, row);
    // It was deleted, which is found out later.
    if (counted === undefined) return;
    const measured = await measureInflatedBytes(repository);
    if (!(await replaceInflatedBytes(db, row, counted, measured))) continue;
    if (measured + bytes > max)
      throw new Failure(
        'too-large',
        `The objects of all pushes to this repository have more than ${max} bytes when they are inflated, which is too much for its size. Delete branches with large files, and push again when their objects have expired, or ask the administrator for more.`,
      );
  }
  throw new Failure('unavailable', 'Too many pushes to the repository at once. Try again later.');
}
