// Headers of replies whose bytes a user chose: whatever they are, a browser must not run them with the viewer's session.
import type { Headers } from './dialect.ts';

/** Scripts may run, but in an origin of their own that has no cookies, no storage and no access to other pages. */
const SANDBOX = 'sandbox allow-scripts';

/**
 * For every reply with stored or exported bytes (records, exports, attachments), under any content type: browsers run
 * scripts in more types than anybody lists (`text/xsl`), and guess a type where they do not know the one they are told.
 */
export function userContentHeaders(contentType: string, attachmentName?: string): Headers {
  return {
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    // Browsers show no PDF in a sandbox, and run nothing in one that could act as a page of this origin.
    ...(!PDF.test(contentType) && { 'content-security-policy': SANDBOX }),
    ...(attachmentName !== undefined && {
      'content-disposition': `attachment; filename="${attachmentName}"`,
    }),
  };
}

/** Simple parameters only. Browsers split a header that has commas, also inside quotes, and take the last type of it. */
const PARAMETERS = String.raw`(?:\s*;\s*[\w-]+=[\w.-]+)*\s*`;
const PDF = new RegExp(String.raw`^\s*application/pdf${PARAMETERS}$`, 'i');
const PASSIVE = new RegExp(
  String.raw`^\s*(?:(?:image|audio|video|font)/(?![^;]*(?:xml|svg|html))[\w.+-]+|text/(?:plain|csv)|` +
    String.raw`application/(?:octet-stream|json|x-ndjson|pdf|zip|gzip))${PARAMETERS}$`,
  'i',
);

/**
 * Whether browsers only show or save content of this type, also without the headers above. Only such content may be
 * given out by another server, which does not send them.
 */
export function isPassive(contentType: string): boolean {
  return PASSIVE.test(contentType);
}
