// The worker thread that renders documents of Markdown, one after the other; it may be terminated at any time.
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import type { MarkdownTexts } from './markdown-client.ts';
import { lineBreaks, lineBreaksHtml } from './line-breaks.ts';

serveTasks<MarkdownTexts, string>(({ texts, mode }, port) => {
  for (const text of texts) {
    /** HTML in the text is escaped. Links lead to http, https and mailto addresses, or are relative. */
    const html = micromark(text, {
      extensions: [gfm(), ...(mode === 'gfm' ? [lineBreaks] : [])],
      htmlExtensions: [gfmHtml(), ...(mode === 'gfm' ? [lineBreaksHtml] : [])],
    });
    // The renderer escapes quotes in text, so this only occurs in a tag of its own.
    port.send(html.replaceAll(/ href="(?:ircs?|xmpp):[^"]*"/gi, ' href=""'));
  }
});
