// Headers of replies with bytes that a user chose: a browser must never run them with the viewer's session. ADR 0022.
import type { Headers } from '../protocol.ts';

/** Scripts may run, but in an opaque origin without cookies, storage or access to other pages. */
const SANDBOX = 'sandbox allow-scripts';

/**
 * For every reply with stored or exported bytes (records, exports, attachments), under any content type: browsers run
 * scripts in more types than any list has (`text/xsl`), and sniff the type if they do not know the declared one.
 */
export function userContentHeaders(contentType: string, attachmentName?: string): Headers {
  return {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    // Browsers show no PDF in a sandbox, and scripts in a PDF cannot act as a page of this origin.
    ...(!PDF.test(contentType) && { 'content-security-policy': SANDBOX }),
    ...(attachmentName !== undefined && {
      'content-disposition': `attachment; filename="${attachmentName}"`,
    }),
  };
}

/** Simple parameters only. Browsers split a header at commas, even inside quotes, and use its last type. */
const PARAMETERS = String.raw`(?:\s*;\s*[\w-]+=[\w.-]+)*\s*`;
const PDF = new RegExp(String.raw`^\s*application/pdf${PARAMETERS}$`, 'i');
const PASSIVE = new RegExp(
  String.raw`^\s*(?:(?:image|audio|video|font)/(?![^;]*(?:xml|svg|html))[\w.+-]+|text/(?:plain|csv)|` +
    String.raw`application/(?:octet-stream|json|x-ndjson|pdf|zip|gzip))${PARAMETERS}$`,
  'i',
);

/**
 * Whether browsers only show or save content of this type, even without the headers above. Only such content may be served
 * by object storage, which does not send them.
 */
export function isPassive(contentType: string): boolean {
  return PASSIVE.test(contentType);
}
