// Renders Markdown in a worker thread, with limits on time and memory.
import { extname } from 'node:path';
import { WorkerThread } from '../../kernel/network/streams.ts';
import { ProcessSlots } from '../git/process/process-slots.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    markdown: MarkdownRenderer;
  }
}

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const THREAD = new URL(`./markdown-thread${extname(import.meta.url)}`, import.meta.url);

/** The parser takes quadratic time for some texts, such as many `](`. This is CPU time, so that the load does not matter. */
const MAX_CPU_MS = 2000;
const POLL_MS = 50;
const MAX_MEGABYTES = 256;
const MAX_CHARACTERS = 512 * 1024;
/** One thread, so that hostile documents use one core at most; and a bounded queue, so that no call waits for minutes. */
const MAX_THREADS = 1;
const MAX_WAITING = 30;

/** As documents, or as comments, whose lines stay lines. */
export const MARKDOWN_MODES = ['markdown', 'gfm'] as const;

export type MarkdownMode = (typeof MARKDOWN_MODES)[number];

/** What the thread gets. */
export interface MarkdownTexts {
  texts: readonly string[];
  mode: MarkdownMode;
}

interface MarkdownLimits {
  maxCpuMs?: number;
  maxWaiting?: number;
}

/** Renders one document after another. */
export class MarkdownRenderer {
  readonly #slots: ProcessSlots;
  readonly #maxCpuMs: number;

  constructor({ maxCpuMs = MAX_CPU_MS, maxWaiting = MAX_WAITING }: MarkdownLimits = {}) {
    this.#slots = new ProcessSlots({ max: MAX_THREADS, maxWaiting, what: 'documents' });
    this.#maxCpuMs = maxCpuMs;
  }

  /** Undefined for a document that is too long, or takes too long. */
  async render(text: string, mode?: MarkdownMode): Promise<string | undefined> {
    return (await this.renderAll([text], mode))[0];
  }

  /** In the order of the texts, by one thread. Undefined for those that are not reached within the limits of one document. */
  async renderAll(
    texts: readonly string[],
    mode: MarkdownMode = 'markdown',
  ): Promise<(string | undefined)[]> {
    let room = MAX_CHARACTERS;
    const end = texts.findIndex((text) => (room -= text.length) < 0);
    const fitting = end < 0 ? texts : texts.slice(0, end);
    if (fitting.length === 0) return texts.map(() => undefined);
    const release = await this.#slots.acquire();
    try {
      const rendered = await renderInThread({ texts: fitting, mode }, this.#maxCpuMs);
      return texts.map((_text, index) => rendered[index]);
    } finally {
      release();
    }
  }
}

async function renderInThread(sent: MarkdownTexts, maxCpuMs: number): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const rendered: string[] = [];
  const worker = new WorkerThread(THREAD, {
    workerData: sent,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  const poll = setInterval(() => {
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000 > maxCpuMs && resolve(),
      () => {}, // the thread has ended
    );
  }, POLL_MS);
  worker.on('message', (html: string) => {
    rendered.push(html);
    if (rendered.length === sent.texts.length) resolve();
  });
  // Out of memory, or a stack overflow.
  worker.once('error', () => resolve());
  try {
    await promise;
    return rendered;
  } finally {
    clearInterval(poll);
    await worker.terminate();
  }
}
