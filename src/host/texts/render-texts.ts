// Renders texts once, and keeps the HTML by what it was made from, so that lists of long texts cost no more than reading it. ADR 0134.
import { createHash } from 'node:crypto';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { placeLinks, type ReferenceScope } from './link-references.ts';
import {
  deleteRenderedTextsBefore,
  insertRenderedText,
  listRenderedTexts,
  updateRenderedTextUse,
} from './store-rendered.ts';

/** To be increased when the same text is rendered in another way. */
const RENDERER_VERSION = 1;
/** Stands for the HTML of a text that takes too long. Other HTML is empty, or begins with a tag. */
const TOO_LONG = '!';
/** After so many texts of one call that take too long, further ones are left for later calls, so that none waits for minutes. */
const MAX_EXHAUSTED = 3;

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const KEPT_MS = 30 * DAY;
const BATCH_SIZE = 200;

export interface TextPlaces {
  /** The address of the API. */
  base: string;
  /** `owner/name` of the repository that all texts belong to, or of each; absent for texts outside of repositories. */
  fullName?: string | readonly string[];
}

type RenderingKernel = Pick<Kernel, 'db' | 'clock' | 'log' | 'services'>;

/**
 * In the order of the texts; undefined for those that take too long. Not for use in a transaction, because it writes what it
 * has rendered.
 */
export async function renderTexts(
  kernel: RenderingKernel,
  texts: readonly string[],
  { base, fullName }: TextPlaces,
): Promise<(string | undefined)[]> {
  const scope = fullName === undefined ? 'server' : 'repository';
  const keys = await mapInSlices(texts, (text) => keyOf(text, scope));
  const kept = await listRenderedTexts(kernel.db, keys);
  const now = kernel.clock.now();
  const old = [...kept.values()].filter(({ usedAt }) => usedAt < now - DAY).map(({ key }) => key);
  if (old.length > 0) await keep(kernel, () => updateRenderedTextUse(kernel.db, old, now));
  let exhausted = 0;
  for (const [index, text] of texts.entries()) {
    const key = keys[index]!;
    if (kept.has(key) || exhausted === MAX_EXHAUSTED) continue;
    const html = (await kernel.services.markdown.renderOnce(key, text, scope)) ?? TOO_LONG;
    if (html === TOO_LONG) exhausted += 1;
    const rendered = { key, html, usedAt: now };
    kept.set(key, rendered);
    await keep(kernel, () => insertRenderedText(kernel.db, rendered));
  }
  return await mapInSlices([...keys.entries()], ([index, key]) => {
    const html = kept.get(key)?.html;
    if (html === undefined || html === TOO_LONG) return undefined;
    const name = typeof fullName === 'object' ? fullName[index] : fullName;
    return placeLinks(html, { base, ...(name !== undefined && { fullName: name }) });
  });
}

function keyOf(text: string, scope: ReferenceScope): string {
  return createHash('sha256').update(`${RENDERER_VERSION} ${scope}\n`).update(text).digest('base64url');
}

/** A call that only reads does not fail because nothing can be written. */
async function keep({ log }: RenderingKernel, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    log.warn({ err: error }, 'Rendered texts could not be kept');
  }
}

/** Deletes what nobody has asked for in a month. */
export function renderedTextSweep({ db, clock }: Kernel): RecurringWork {
  return {
    kind: 'host.sweep-rendered-texts',
    everyMs: HOUR,
    async run(signal) {
      let deleted: number;
      do {
        deleted = await deleteRenderedTextsBefore(db, clock.now() - KEPT_MS, BATCH_SIZE);
      } while (deleted === BATCH_SIZE && !signal.aborted);
    },
  };
}
