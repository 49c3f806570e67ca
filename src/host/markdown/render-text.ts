// Renders a text of a caller: one after another, with turns that callers share.
import type { Clock } from '../../kernel/clock.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes } from '../../kernel/http/route.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import type { MarkdownMode } from '../contents/markdown-client.ts';
import { FairSlots } from '../transport/fair-slots.ts';
import { holderOf, type GitTransferCall } from '../transport/git-transfers.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** One text is rendered at a time, so that in the queue of the renderer there is never more than one before a README. */
    markdownTurns: FairSlots;
  }
}

/** In UTF-8. */
export const MAX_TEXT_BYTES = 400 * 1024;

const MAX_WAITING = 100;
const WAIT_MS = 60_000;

export function openMarkdownTurns(clock: Clock): FairSlots {
  return new FairSlots({
    max: 1,
    maxWaiting: MAX_WAITING,
    waitMs: WAIT_MS,
    what: 'documents',
    now: () => clock.now(),
  });
}

/** @throws {Failure} for a text that is too long, or takes too long, and where too many wait. */
export async function renderText(
  { services }: Pick<Kernel, 'services'>,
  call: GitTransferCall,
  text: string,
  mode: MarkdownMode,
): Promise<Bytes> {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw new Failure('too-large', `The text is too large: the limit is ${MAX_TEXT_BYTES} bytes.`);
  const known = services.markdown.find(text, mode);
  if (known !== undefined) return asHtml(known);
  const release = await services.markdownTurns.acquire(holderOf(call), call.signal);
  try {
    const html = await services.markdown.render(text, mode);
    if (html === undefined)
      throw new Failure(
        'invalid',
        'The text takes too long to render. Send less of it, or simpler Markdown.',
      );
    return asHtml(html);
  } finally {
    release();
  }
}

function asHtml(html: string): Bytes {
  return new Bytes(Buffer.from(html), userContentHeaders('text/html; charset=utf-8'));
}
