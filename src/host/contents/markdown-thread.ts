// The worker thread that renders documents of Markdown, one after the other; it may be terminated at any time.
import { parentPort, workerData } from 'node:worker_threads';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

for (const text of workerData as string[]) {
  /** HTML in the text is escaped. Links lead to http, https and mailto addresses, or are relative. */
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  // The renderer escapes quotes in text, so this only occurs in a tag of its own.
  parentPort!.postMessage(html.replaceAll(/ href="(?:ircs?|xmpp):[^"]*"/gi, ' href=""'));
}
