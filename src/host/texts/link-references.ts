// Makes links of the references in rendered Markdown, and takes from it what a page that shows it could be misled by.
import { findMarks, type Mark } from './references.ts';
import { siteOf } from '../site.ts';

/**
 * Where links begin, in HTML that is kept: the addresses of a server and of a repository change. The renderer encodes
 * braces in the addresses of links, so no text can contain these.
 */
const ORIGIN = '{origin}';
const REPOSITORY = '{repository}';

/** What `#12` means in a text: an issue of its repository, or nothing where it belongs to none. */
export type ReferenceScope = 'repository' | 'server';

/** Further references stay text: each takes many times as much as its text. */
const MAX_LINKS = 1000;
/** A tag, or the text up to the next. The renderer escapes angle brackets in texts and attributes. */
const PIECE = /<(\/?)(\w+)[^>]*>|[^<]+/g;
const UNLINKED = new Set(['a', 'code', 'pre']);

export function linkReferences(html: string, scope: ReferenceScope): string {
  let depth = 0;
  let left = MAX_LINKS;
  return html.replaceAll(PIECE, (piece: string, slash: string | undefined, tag: string | undefined) => {
    if (tag !== undefined) {
      if (UNLINKED.has(tag)) depth += slash === '/' ? -1 : 1;
      return piece;
    }
    if (depth > 0) return piece;
    const marks = findMarks(piece)
      .filter((mark) => addressOf(mark, scope) !== undefined)
      .slice(0, left);
    left -= marks.length;
    return linkMarks(piece, marks, scope);
  });
}

function linkMarks(text: string, marks: readonly Mark[], scope: ReferenceScope): string {
  let end = 0;
  const parts = marks.map((mark) => {
    const before = text.slice(end, mark.start);
    end = mark.end;
    return `${before}<a href="${addressOf(mark, scope)}">${text.slice(mark.start, mark.end)}</a>`;
  });
  return parts.join('') + text.slice(end);
}

/** By the text alone: nothing says whether there is such an issue, account or commit. */
function addressOf(mark: Mark, scope: ReferenceScope): string | undefined {
  if (mark.kind === 'mention') return `${ORIGIN}/${mark.login}`;
  if (mark.repository === undefined && scope === 'server') return undefined;
  const place = mark.repository === undefined ? REPOSITORY : `${ORIGIN}/${mark.repository}`;
  return mark.kind === 'issue' ? `${place}/issues/${mark.number}` : `${place}/commit/${mark.id}`;
}

interface TextPlace {
  /** The address of the API. */
  base: string;
  /** `owner/name` of the repository that the text belongs to. */
  fullName?: string;
}

/** Completes the links of HTML that was kept. */
export function placeLinks(html: string, { base, fullName = '' }: TextPlace): string {
  const site = siteOf(base);
  return html
    .replaceAll(` href="${ORIGIN}`, ` href="${site}`)
    .replaceAll(` href="${REPOSITORY}`, ` href="${site}/${fullName}`);
}

/**
 * What the renderer adds to tags could be meant for the page: ids and classes of footnotes, and classes that name the
 * language of code, which a text chooses. Quotes are escaped in texts and attributes, so these only occur in its tags.
 */
export function isolate(html: string): string {
  return html
    .replaceAll(/ href="(?:ircs?|xmpp):[^"]*"/gi, ' href=""')
    .replaceAll(/ (id|aria-describedby)="footnote-label"/g, ' $1="user-content-footnote-label"')
    .replaceAll(/ class="(?!language-[\w+#.-]{1,50}")[^"]*"/g, '')
    .replaceAll('<a href=', '<a rel="nofollow noopener" href=');
}
