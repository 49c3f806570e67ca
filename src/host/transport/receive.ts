// Pushes: git receives the objects into its quarantine, the hook asks whether they may come, and what has changed is recorded.
import type { GitProcess } from '../git/git-process.ts';
import { removeStaleQuarantines } from '../git/stale-quarantine.ts';
import { MAX_PUSH_MS } from '../pushes/record-pushes.ts';
import { exchangePack } from './exchange-pack.ts';
import { finishReply } from './finish-reply.ts';
import { MAX_COMMAND_BYTES, receivePack } from './git-service.ts';
import { answerProposal, readProposal } from './hook-dialogue.ts';
import { NOT_CACHED } from './plain-reply.ts';
import { openBody } from './request-body.ts';
import type { GitExchange, PushVerdict } from './served-git.ts';

/** Somewhat shorter than the time after which a push counts as over. */
const TIMEOUT_MS = MAX_PUSH_MS - 60_000;

export async function receive(exchange: GitExchange): Promise<void> {
  const { kernel, call, served, request, response } = exchange;
  const { packs } = kernel.services;
  const body = openBody(request, 'application/x-git-receive-pack-request');
  const { folder, program, maxPushBytes } = served;
  const hooksPath = await packs.hooks.ensure();
  const { args, start } = receivePack({ folder }, '--stateless-rpc', { maxPushBytes, hooksPath });
  const release = await packs.acquire(call.signal);
  let end: PushVerdict['end'];
  try {
    const process = await program.start(args, start);
    const late = setTimeout(process.end, TIMEOUT_MS);
    // Once the push is accepted, git finishes it even for a client that is gone.
    const leave = () => end === undefined && process.end();
    const cut = () => {
      leave();
      response.destroy();
    };
    call.signal.addEventListener('abort', leave, { once: true });
    if (call.signal.aborted) leave();
    const headers = { 'content-type': 'application/x-git-receive-pack-result', ...NOT_CACHED };
    const maxBody = maxPushBytes + MAX_COMMAND_BYTES;
    const decided = decide(exchange, process, (atEnd) => (end = atEnd));
    await exchangePack({ body, response, process, headers, maxBody, stallMs: packs.stallMs, cut });
    const exit = await process.exited;
    clearTimeout(late);
    await decided;
    await end?.();
    await removeStaleQuarantines(folder, MAX_PUSH_MS);
    finishReply(kernel, call, response, exit, headers);
  } finally {
    release();
  }
}

/** Answers the hook. Whatever goes wrong refuses the push. */
async function decide(
  { kernel, call, served }: GitExchange,
  process: GitProcess,
  onAccept: (end: PushVerdict['end']) => void,
): Promise<void> {
  const dialogue = process.dialogue!;
  let messages: readonly string[] = ['The server could not check the push. Try again later.'];
  try {
    const proposal = await readProposal(dialogue, served.maxPushedRefs);
    if (proposal === undefined) return;
    const verdict = await served.judgePush(proposal);
    messages = verdict.messages;
    onAccept(verdict.end);
  } catch (error) {
    kernel.log.error({ err: error, call: call.id }, 'a push could not be checked');
  }
  answerProposal(dialogue, messages);
}
