// The first request of every clone, fetch and push: which references and abilities there are.
import { once } from 'node:events';
import { asDownload } from './downloads.ts';
import { announcement, protocolOf, receivePack, uploadPack } from './git-service.ts';
import { NOT_CACHED } from './plain-reply.ts';
import type { GitExchange } from './served-git.ts';

const TIMEOUT_MS = 5 * 60_000;
const MODE = '--http-backend-info-refs';

export async function announce({ kernel, call, served, service, response }: GitExchange): Promise<void> {
  const { folder, program, maxPushBytes } = served;
  // Here git shows the reason to its user.
  kernel.services.packs.transfers.check(call);
  const isPush = service === 'git-receive-pack';
  const protocol = isPush ? undefined : protocolOf(call.headers['git-protocol']);
  const { args, start } = isPush
    ? receivePack({ folder }, MODE, { maxPushBytes, hooksPath: await kernel.services.packs.hooks.ensure() })
    : uploadPack({ folder, protocol }, MODE);
  const headers = { 'content-type': `application/x-${service}-advertisement`, ...NOT_CACHED };
  const output = program.stream(args, { ...start, timeoutMs: TIMEOUT_MS, signal: call.signal });
  let isFirst = true;
  for await (const chunk of await asDownload(kernel, call, output)) {
    if (isFirst) {
      response.writeHead(200, headers);
      if (call.method === 'HEAD') break;
      if (protocol?.startsWith('version=2') !== true) response.write(announcement(service));
    }
    isFirst = false;
    if (!response.write(chunk)) await once(response, 'drain', { signal: call.signal });
  }
  response.end();
}
