// Fetches and clones: sends the objects that the client asks for.
import { exchangePack } from './exchange-pack.ts';
import { finishReply } from './finish-reply.ts';
import { MAX_FETCH_BYTES, protocolOf, uploadPack } from './git-service.ts';
import { NOT_CACHED } from './plain-reply.ts';
import { openBody } from './request-body.ts';
import type { GitExchange } from './served-git.ts';

export async function upload({ kernel, call, served, request, response }: GitExchange): Promise<void> {
  const { packs } = kernel.services;
  const body = openBody(request, 'application/x-git-upload-pack-request');
  const { folder, program } = served;
  const protocol = protocolOf(call.headers['git-protocol']);
  const { args, start } = uploadPack({ folder, protocol }, '--stateless-rpc');
  const transfer = await packs.transfers.begin(call);
  try {
    const process = await program.start(args, start);
    call.signal.addEventListener('abort', process.kill, { once: true });
    if (call.signal.aborted) process.kill();
    const headers = { 'content-type': 'application/x-git-upload-pack-result', ...NOT_CACHED };
    await exchangePack({
      body,
      response,
      process,
      headers,
      isPush: false,
      maxBody: MAX_FETCH_BYTES,
      transfer,
      stop: process.kill,
    });
    finishReply(kernel, call, { body, response }, await process.exited, headers);
  } finally {
    transfer.end();
  }
}
