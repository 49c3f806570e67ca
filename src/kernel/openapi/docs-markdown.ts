// A page of the documentation as Markdown, made from the HTML that the page is made of: for programs that read, and for people who copy. ADR 0186.
import type { DocsContent } from './docs-frame.ts';

/** A text, or an element with what is in it. */
type DocsNode = string | { name: string; attributes: string; children: DocsNode[] };

const PIECE = /<(?<end>\/?)(?<name>[a-z][a-z0-9]*)(?<attributes>(?:[^>"]|"[^"]*")*)>|(?<text>[^<]+)/g;
const VOID = new Set(['br', 'input', 'img']);
/** They are for people who look at the page. */
const LEFT_OUT = new Set(['form', 'svg', 'button', 'script']);
const HEADING = /^h(?<level>[2-6])$/;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function markdownOf({ title, body }: DocsContent): string {
  return `# ${title}\n\n${blocksOf(parse(body))}\n`;
}

/** The pages are well-formed: each element ends inside of the one that it begins in. */
function parse(html: string): DocsNode[] {
  const root: DocsNode[] = [];
  const open = [root];
  for (const { groups } of html.matchAll(PIECE)) {
    const { end, name = '', attributes = '', text } = groups!;
    const children = open.at(-1)!;
    if (text !== undefined) children.push(unescape(text));
    else if (end === '/') open.pop();
    else {
      const element = { name, attributes, children: [] };
      children.push(element);
      if (!VOID.has(name)) open.push(element.children);
    }
  }
  return root;
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|([a-z]+));/g, (all, code: string | undefined, name: string) =>
    code === undefined ? (NAMED[name] ?? all) : String.fromCodePoint(Number(code)),
  );
}

/** What stands in a line goes on in it; everything else begins a paragraph. */
function blocksOf(nodes: readonly DocsNode[]): string {
  const blocks: string[] = [];
  let line: DocsNode[] = [];
  const endLine = () => {
    const text = lineOf(line);
    if (text !== '') blocks.push(text);
    line = [];
  };
  for (const node of nodes) {
    const block = typeof node === 'string' ? undefined : blockOf(node);
    if (block === undefined) line.push(node);
    else {
      endLine();
      if (block !== '') blocks.push(block);
    }
  }
  endLine();
  return blocks.join('\n\n');
}

/** Undefined for what stands in a line. */
function blockOf({ name, children }: Exclude<DocsNode, string>): string | undefined {
  const level = HEADING.exec(name)?.groups?.['level'];
  if (level !== undefined) return `${'#'.repeat(Number(level))} ${lineOf(children)}`;
  if (LEFT_OUT.has(name)) return '';
  switch (name) {
    case 'p':
    case 'summary':
    case 'figcaption':
    case 'dt':
    case 'dd':
      return lineOf(children);
    case 'ul':
      return elementsIn(children, 'li')
        .map((item) => `- ${blocksOf(item.children).replaceAll('\n', '\n  ')}`)
        .join('\n');
    case 'pre':
      return fencedText(textOf(children));
    case 'table':
      return tableOf(children);
    case 'section':
    case 'div':
    case 'figure':
    case 'details':
    case 'dl':
      return blocksOf(children);
    default:
      return undefined;
  }
}

function tableOf(children: readonly DocsNode[]): string {
  const [head = [], ...rows] = elementsIn(children, 'tr').map((row) =>
    row.children.map((cell) => lineOf([cell]).replaceAll('|', '\\|')),
  );
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function lineOf(nodes: readonly DocsNode[]): string {
  return nodes.map(wordsOf).join('').replaceAll(/\s+/g, ' ').trim();
}

function wordsOf(node: DocsNode): string {
  if (typeof node === 'string') return node;
  const { name, attributes, children } = node;
  if (LEFT_OUT.has(name)) return '';
  const words = children.map(wordsOf).join('');
  if (name === 'br') return ' ';
  if (name === 'code') return `\`${words}\``;
  if (name === 'strong') return `**${words}**`;
  const target = name === 'a' ? /href="([^"]*)"/.exec(attributes)?.[1] : undefined;
  return target === undefined ? words : `[${words}](${unescape(target)})`;
}

function textOf(nodes: readonly DocsNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

/** At any depth, but not inside of one another. */
function elementsIn(nodes: readonly DocsNode[], wanted: string): Exclude<DocsNode, string>[] {
  return nodes.flatMap((node) =>
    typeof node === 'string' ? [] : node.name === wanted ? [node] : elementsIn(node.children, wanted),
  );
}

/** With a longer fence than any in the text. */
export function fencedText(text: string, language = ''): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
