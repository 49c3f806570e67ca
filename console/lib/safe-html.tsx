// HTML that the server has rendered from what somebody wrote. It is parsed into a document that runs nothing, and built anew from a
// list of allowed elements: no styles, no scripts, no ids but its own, links to pages or into the console, images of this server alone.
import { createElement, Fragment, memo, useId, useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Call } from '../api/call.ts';
import { ORIGIN } from '../api/server.ts';
import { resolveImage, resolveLink, type PageOf } from './safe-links.ts';
import { SignedImage } from './signed-image.tsx';
import '../styles/safe-html.css';

/** For relative addresses. */
export interface HtmlPlaces {
  pageOf: PageOf;
  /** The call that reads an image relative to the text. */
  imageOf: (relative: string) => Call | undefined;
}

export interface SafeHtmlProps {
  html: string;
  /** Where relative links and images lead. Without it they are text. */
  places?: HtmlPlaces | undefined;
}

/** Drawn as they are, with nothing but what stands in them. */
const PLAIN = new Set(
  (
    'p br hr em strong b i u s del ins sub sup small mark kbd samp var q abbr cite dfn time ' +
    'h1 h2 h3 h4 h5 h6 blockquote ul ol li dl dt dd table thead tbody tfoot tr th td caption ' +
    'pre code div span details summary section figure figcaption'
  ).split(' '),
);
/** They and all that stands in them are left out. */
const DROPPED = new Set(
  'script style template noscript iframe frame frameset object embed applet svg math title head link meta base form textarea select button canvas audio video'.split(
    ' ',
  ),
);
/** Elements that may hold nothing. */
const EMPTY = new Set(['br', 'hr']);
/** The page has the first two ranks itself. */
const HEADINGS: Readonly<Record<string, string>> = {
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  h6: 'h6',
};
/** Deeper ones are drawn as text, so that nobody's text exhausts the stack. */
const MAX_DEPTH = 100;
/** A text with more than these is cut: see `isCut`. */
const MAX_NODES = 50_000;
const OWN_ID = /^user-content-[\w-]{1,100}$/;
const CUT = 'The rest of this text is too long to be shown here.';
const TASK = { done: 'Done', open: 'To do' };
/** The box of a list of tasks, at the beginning of its item. */
const TASK_BOX =
  ':scope > input[type=checkbox]:first-child, :scope > p:first-child > input[type=checkbox]:first-child';

interface Build {
  places: HtmlPlaces | undefined;
  /** Before ids, so that two texts on a page never have the same. */
  prefix: string;
  nodes: number;
}

export const SafeHtml = memo(function SafeHtml({ html, places }: SafeHtmlProps) {
  const prefix = useId();
  const { content, isCut } = useMemo(() => {
    const build: Build = { places, prefix, nodes: 0 };
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    const built = childrenOf(body, build, 0);
    return { content: built, isCut: build.nodes > MAX_NODES };
  }, [html, places, prefix]);
  return (
    <div className="md">
      {content}
      {isCut && <p className="muted">{CUT}</p>}
    </div>
  );
});

function childrenOf(parent: Node, build: Build, depth: number): ReactNode[] {
  const built: ReactNode[] = [];
  for (const [index, node] of [...parent.childNodes].entries()) {
    build.nodes += 1;
    if (build.nodes > MAX_NODES) break;
    built.push(<Fragment key={index}>{nodeOf(node, build, depth + 1)}</Fragment>);
  }
  return built;
}

function nodeOf(node: Node, build: Build, depth: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const name = node.localName;
  if (DROPPED.has(name)) return null;
  if (depth > MAX_DEPTH) return node.textContent;
  if (name === 'a') return linkOf(node, build, depth);
  if (name === 'img') return <SafeImage image={node} places={build.places} />;
  if (name === 'input') return checkboxOf(node);
  const children = EMPTY.has(name) ? [] : childrenOf(node, build, depth);
  // What is not known is drawn by what stands in it.
  if (!PLAIN.has(name)) return children;
  const element = createElement(HEADINGS[name] ?? name, attributesOf(node, name, build), ...children);
  if (name !== 'table') return element;
  // Wide tables are moved by themselves, also by the keyboard.
  return <div className="md__table">{element}</div>;
}

function attributesOf(element: Element, name: string, { prefix }: Build): Record<string, unknown> {
  const id = element.getAttribute('id') ?? '';
  const align = element.getAttribute('align') ?? '';
  const span = (attribute: string) => Number(element.getAttribute(attribute) ?? '1');
  return {
    ...(OWN_ID.test(id) && { id: prefix + id }),
    ...(HEADINGS[name] !== undefined && { className: `md__${name}` }),
    ...((name === 'th' || name === 'td') && {
      ...(['center', 'right'].includes(align) && { className: `md__${align}` }),
      ...(span('colspan') > 1 && span('colspan') <= 100 && { colSpan: span('colspan') }),
      ...(span('rowspan') > 1 && span('rowspan') <= 1000 && { rowSpan: span('rowspan') }),
    }),
    ...(name === 'ol' && { start: Number.parseInt(element.getAttribute('start') ?? '1', 10) || 1 }),
    ...(name === 'li' && element.querySelector(TASK_BOX) !== null && { className: 'md__task' }),
    ...(name === 'pre' && { tabIndex: 0 }),
  };
}

function linkOf(element: Element, build: Build, depth: number): ReactNode {
  const children = childrenOf(element, build, depth);
  const href = element.getAttribute('href') ?? '';
  if (href.startsWith('#')) return anchorOf(element, href.slice(1), build, children);
  const link = resolveLink(href, ORIGIN, build.places?.pageOf);
  if (link === undefined) return children;
  if (link.isInside)
    return (
      <Link href={link.href} className="ln">
        {children}
      </Link>
    );
  return (
    <a href={link.href} className="ln" target="_blank" rel="noreferrer nofollow">
      {children}
    </a>
  );
}

/** Within the text. The page has a base, so the whole address is written. */
function anchorOf(element: Element, id: string, { prefix }: Build, children: ReactNode): ReactNode {
  if (!OWN_ID.test(id)) return children;
  const target = prefix + id;
  const own = element.getAttribute('id') ?? '';
  return (
    <a
      href={`${location.pathname}${location.search}#${encodeURIComponent(target)}`}
      id={OWN_ID.test(own) ? prefix + own : undefined}
      className="ln"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(target)?.scrollIntoView({ block: 'center' });
      }}
    >
      {children}
    </a>
  );
}

/** Of a list of tasks: it only shows. */
function checkboxOf(element: Element): ReactNode {
  if (element.getAttribute('type') !== 'checkbox') return null;
  const isDone = element.hasAttribute('checked');
  return (
    <span role="img" aria-label={isDone ? TASK.done : TASK.open}>
      {isDone ? '☑' : '☐'}
    </span>
  );
}

/** Others are named, with a link to where they are: nothing is fetched from elsewhere. */
function SafeImage({ image, places }: { image: Element; places: HtmlPlaces | undefined }) {
  const alt = image.getAttribute('alt') ?? '';
  const src = image.getAttribute('src') ?? '';
  const source = resolveImage(src, ORIGIN);
  const call: Call | undefined =
    source?.kind === 'relative'
      ? places?.imageOf(source.path)
      : source?.kind === 'raw'
        ? { api: 'host', path: source.path }
        : undefined;
  if (call !== undefined) return <SignedImage call={call} alt={alt} />;
  if (source?.kind === 'elsewhere')
    return (
      <a href={source.href} className="ln" target="_blank" rel="noreferrer nofollow">
        {alt === '' ? source.href : alt}
      </a>
    );
  return <>{alt}</>;
}
