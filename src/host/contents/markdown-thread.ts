// The worker thread that renders one document of Markdown; it may be terminated at any time.
import { parentPort, workerData } from 'node:worker_threads';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** HTML in the text is escaped. Links lead to http, https and mailto addresses, or are relative. */
const html = micromark(workerData as string, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
// The renderer escapes quotes in text, so this only occurs in a tag of its own.
parentPort!.postMessage(html.replaceAll(/ href="(?:ircs?|xmpp):[^"]*"/gi, ' href=""'));
