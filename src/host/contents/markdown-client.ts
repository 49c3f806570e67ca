// Renders Markdown in a worker thread, with limits on time and memory.
import { TaskStopped } from '../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    markdown: MarkdownRenderer;
  }
}

const THREAD = threadFile('markdown-thread', import.meta.url);

/** The parser takes quadratic time for some texts, such as many `](`. */
const MAX_CPU_MS = 2000;
const MAX_MEGABYTES = 256;
const IDLE_MS = 10_000;
const MAX_CHARACTERS = 512 * 1024;
/** So that no call waits for minutes. */
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
  readonly #threads: ThreadRunner<MarkdownTexts, string>;

  constructor({ maxCpuMs = MAX_CPU_MS, maxWaiting = MAX_WAITING }: MarkdownLimits = {}) {
    this.#threads = new ThreadRunner(THREAD, {
      cpuMs: maxCpuMs,
      megabytes: MAX_MEGABYTES,
      idleMs: IDLE_MS,
      maxWaiting,
      refusal: 'Too many documents are waiting on this server. Try again in a moment.',
    });
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
    const rendered = await this.#renderFitting({ texts: fitting, mode });
    return texts.map((_text, index) => rendered[index]);
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #renderFitting(sent: MarkdownTexts): Promise<string[]> {
    const rendered: string[] = [];
    const channel = await this.#threads.open(() => sent);
    try {
      while (rendered.length < sent.texts.length) rendered.push(await channel.receive());
    } catch (error) {
      if (!(error instanceof TaskStopped)) throw error;
    } finally {
      await channel.close();
    }
    return rendered;
  }
}
