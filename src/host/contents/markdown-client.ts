// Renders Markdown in a worker thread, with limits on time and memory.
import { hash } from 'node:crypto';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { TaskStopped } from '../../kernel/threads/task-error.ts';
import { threadFile, ThreadRunner } from '../../kernel/threads/thread-runner.ts';
import type { ReferenceScope } from '../texts/link-references.ts';

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
/** Characters of HTML in memory. */
const MAX_RENDERED = 8 * 1024 * 1024;
/** So that no call waits for minutes. */
const MAX_WAITING = 30;

/** As documents, or as comments, whose lines stay lines. */
export const MARKDOWN_MODES = ['markdown', 'gfm'] as const;

export type MarkdownMode = (typeof MARKDOWN_MODES)[number];

/** What the thread gets. */
export interface MarkdownTask {
  text: string;
  mode: MarkdownMode;
  /** References become links that `placeLinks` completes. */
  references?: ReferenceScope;
}

interface MarkdownLimits {
  maxCpuMs?: number;
  maxWaiting?: number;
}

/** Renders one document after another. */
export class MarkdownRenderer {
  /** By key: calls that ask for the same text at once wait for one task. */
  readonly #rendering = new Map<string, Promise<string | undefined>>();
  /** Documents by their hash: a README is read far more often than it changes. */
  readonly #rendered = new BoundedCache<string, string>({ max: MAX_RENDERED, weigh: ({ length }) => length });
  readonly #threads: ThreadRunner<MarkdownTask, string | undefined>;

  constructor({ maxCpuMs = MAX_CPU_MS, maxWaiting = MAX_WAITING }: MarkdownLimits = {}) {
    this.#threads = new ThreadRunner(THREAD, {
      cpuMs: maxCpuMs,
      megabytes: MAX_MEGABYTES,
      idleMs: IDLE_MS,
      maxWaiting,
      refusal: 'Too many documents are waiting on this server. Try again in a moment.',
    });
  }

  /** The HTML of a document that was rendered before. */
  find(text: string, mode: MarkdownMode = 'markdown'): string | undefined {
    return this.#rendered.get(keyOf(text, mode));
  }

  /** Undefined for a document that is too long, or takes too long. */
  async render(text: string, mode: MarkdownMode = 'markdown'): Promise<string | undefined> {
    const key = keyOf(text, mode);
    const known = this.#rendered.get(key);
    if (known !== undefined) return known;
    const html = await this.#renderOnce(key, { text, mode });
    if (html !== undefined) this.#rendered.set(key, html);
    return html;
  }

  /** Renders a comment, with links for its references. Undefined where it takes too long. */
  async renderOnce(key: string, text: string, references: ReferenceScope): Promise<string | undefined> {
    return await this.#renderOnce(`comment ${key}`, { text, mode: 'gfm', references });
  }

  async #renderOnce(key: string, task: MarkdownTask): Promise<string | undefined> {
    const running = this.#rendering.get(key);
    if (running !== undefined) return await running;
    const rendering = this.#render(task);
    this.#rendering.set(key, rendering);
    try {
      return await rendering;
    } finally {
      this.#rendering.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  async #render(task: MarkdownTask): Promise<string | undefined> {
    if (task.text.length > MAX_CHARACTERS) return undefined;
    try {
      return await this.#threads.ask(() => task);
    } catch (error) {
      // Where the thread itself has ended, the document may be as good as any.
      if (error instanceof TaskStopped && error.reason !== 'exit') return undefined;
      throw error;
    }
  }
}

function keyOf(text: string, mode: MarkdownMode): string {
  return `${mode} ${hash('sha256', text, 'base64')}`;
}
