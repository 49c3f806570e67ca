// Renders files as HTML: Markdown as a document, everything else as its escaped text.
import { escapeHtml } from '../../kernel/http/pages/html.ts';
import type { MarkdownRenderer } from './markdown-client.ts';

const MARKDOWN = /\.(?:md|markdown|mdown|mkdn|mkd)$/i;

export async function renderFile(markdown: MarkdownRenderer, path: string, content: Buffer): Promise<string> {
  const text = content.toString();
  const html = MARKDOWN.test(path) ? await markdown.render(text) : undefined;
  return html ?? `<pre>${escapeHtml(text)}</pre>`;
}
